import CaptureBase
import Testing

@testable import GatePipeWire

@Suite("Who is linked to a program's node")
struct LinkWatchTests {
    /// The node of grantee 1 under test is 10; its client is 1 with the node 11, a stranger's is 2 with the node 12.
    private final class Scene: Sendable {
        private struct State {
            var passes: [Bool] = []
            var unlinked: [UInt32] = []
        }

        /// Carries the state to closures, which can't capture a lock.
        private final class Box: Sendable {
            let state = Locked(State())
        }

        private let box: Box
        let watch: LinkWatch

        init() {
            let box = Box()
            watch = LinkWatch { link in box.state.withLock { $0.unlinked.append(link) } }
            self.box = box
            watch.note(.peer(GraphPeer(id: 11, client: 1, records: .microphone, wantsOther: false)))
            watch.note(.peer(GraphPeer(id: 12, client: 2, records: .microphone, wantsOther: false)))
            watch.note(.peer(GraphPeer(id: 13, client: nil, records: nil, wantsOther: false)))
            watch.identify(1, as: 1)
            watch.add(10, of: 1) { isOpen in box.state.withLock { $0.passes.append(isOpen) } }
        }

        var passes: Bool { box.state.withLock { $0.passes.last ?? false } }
        var unlinked: [UInt32] { box.state.withLock { $0.unlinked } }

        func link(_ id: UInt32, to input: UInt32) { watch.note(.link(GraphLink(id: id, output: 10, input: input))) }
    }

    @Test("Nothing passes before its capture has begun, and nothing after its end")
    func open() {
        let scene = Scene()
        scene.link(20, to: 11)
        #expect(!scene.passes)
        scene.watch.open(10, true)
        #expect(scene.passes)
        scene.watch.open(10, false)
        #expect(!scene.passes)
    }

    @Test("Nothing passes while a stranger is linked, whose link is destroyed")
    func stranger() {
        let scene = Scene()
        scene.watch.identify(2, as: 2)
        scene.watch.open(10, true)
        scene.link(20, to: 11)
        #expect(scene.passes)
        scene.link(21, to: 12)
        #expect(!scene.passes)
        #expect(scene.unlinked.contains(21) && !scene.unlinked.contains(20))
        scene.watch.note(.gone(21))
        #expect(scene.passes)
    }

    @Test("Nothing passes while it is not known who is linked, and the link stays until it is")
    func unknown() {
        let scene = Scene()
        scene.watch.open(10, true)
        scene.link(21, to: 12)
        #expect(!scene.passes)
        #expect(scene.unlinked.isEmpty)
        scene.watch.identify(2, as: 1)
        #expect(scene.passes)
    }

    @Test("A client that could not be told from others is a stranger", arguments: [UInt32(12), 13])
    func nobody(peer: UInt32) {
        let scene = Scene()
        scene.watch.identify(2, as: nil)
        scene.watch.open(10, true)
        scene.link(21, to: peer)
        #expect(!scene.passes)
        #expect(scene.unlinked.contains(21))
    }

    @Test("A link to a node that nobody has told of is a stranger's")
    func unseen() {
        let scene = Scene()
        scene.watch.open(10, true)
        scene.link(21, to: 99)
        #expect(!scene.passes)
        #expect(scene.unlinked.contains(21))
    }

    @Test("Anybody may be linked to a node that is never let pass")
    func closed() {
        let scene = Scene()
        scene.watch.add(30, of: nil) { _ in }
        scene.watch.identify(2, as: 2)
        scene.watch.note(.link(GraphLink(id: 22, output: 30, input: 12)))
        #expect(scene.unlinked.isEmpty)
    }

    @Test("A node that is removed is closed")
    func removed() {
        let scene = Scene()
        scene.watch.open(10, true)
        #expect(scene.passes)
        scene.watch.remove(10)
        #expect(!scene.passes)
    }
}
