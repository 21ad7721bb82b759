import CaptureBase
import Testing

@testable import GatePipeWire

@Suite("Who is linked to a program's node")
struct LinkWatchTests {
    /// The node of grantee 1 under test is 10; its client is 1 with the node 11, a stranger's is 2 with the node 12.
    private final class Scene: Sendable {
        private struct State {
            var passes: [Bool] = []
            var seals = 0
            var intrusions: [LinkWatch.Intrusion] = []
        }

        /// Carries the state to closures, which can't capture a lock.
        private final class Box: Sendable {
            let state = Locked(State())
        }

        private let box: Box
        let watch: LinkWatch
        let valve: LinkWatch.Valve

        init() {
            let box = Box()
            watch = LinkWatch { intrusion in box.state.withLock { $0.intrusions.append(intrusion) } }
            valve = LinkWatch.Valve(
                pass: { isOpen in box.state.withLock { $0.passes.append(isOpen) } },
                seal: { box.state.withLock { $0.seals += 1 } })
            self.box = box
            watch.note(.peer(GraphPeer(id: 11, client: 1, records: .microphone, wantsOther: false)))
            watch.note(.peer(GraphPeer(id: 12, client: 2, records: .microphone, wantsOther: false)))
            watch.note(.peer(GraphPeer(id: 13, client: nil, records: nil, wantsOther: false)))
            watch.identify(1, as: 1)
            watch.add(10, of: 1, valve)
        }

        var passes: Bool { box.state.withLock { $0.passes.last ?? false } }
        var seals: Int { box.state.withLock { $0.seals } }
        var intrusions: [LinkWatch.Intrusion] { box.state.withLock { $0.intrusions } }

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

    @Test("A stranger's link seals the node for good, and that link alone is told of, once")
    func stranger() {
        let scene = Scene()
        scene.watch.identify(2, as: 2)
        scene.watch.open(10, true)
        scene.link(20, to: 11)
        #expect(scene.passes)
        scene.link(21, to: 12)
        #expect(!scene.passes)
        #expect(scene.seals == 1)
        #expect(scene.intrusions == [LinkWatch.Intrusion(node: 10, link: 21, client: 2)])
        scene.watch.note(.gone(21))
        scene.watch.open(10, true)
        scene.link(22, to: 12)
        #expect(!scene.passes)
        #expect(scene.seals == 1)
        #expect(scene.intrusions.count == 1)
    }

    @Test("One that is not known yet is a stranger")
    func unknown() {
        let scene = Scene()
        scene.watch.open(10, true)
        scene.link(21, to: 12)
        #expect(!scene.passes)
        #expect(scene.seals == 1)
        scene.watch.identify(2, as: 1)
        #expect(!scene.passes)
    }

    @Test("A client that can't be told from others is a stranger, and so is the daemon", arguments: [UInt32(12), 13])
    func nobody(peer: UInt32) {
        let scene = Scene()
        scene.watch.identify(2, as: nil)
        scene.watch.open(10, true)
        scene.link(21, to: peer)
        #expect(!scene.passes)
        #expect(scene.intrusions.map(\.link) == [21])
    }

    @Test("A link to a node that nobody has told of is a stranger's, and so is one into the node")
    func unseen() {
        for link in [GraphLink(id: 21, output: 10, input: 99), GraphLink(id: 21, output: 12, input: 10)] {
            let scene = Scene()
            scene.watch.open(10, true)
            scene.watch.note(.link(link))
            #expect(!scene.passes)
            #expect(scene.intrusions.map(\.link) == [21])
        }
    }

    @Test("Who listens in on the grantee's recording is a stranger, early or late", arguments: [false, true])
    func monitor(isEarly: Bool) {
        let scene = Scene()
        scene.watch.identify(2, as: 2)
        scene.watch.open(10, true)
        if !isEarly { scene.link(20, to: 11) }
        scene.watch.note(.link(GraphLink(id: 24, output: 11, input: 12)))
        if isEarly { scene.link(20, to: 11) }
        #expect(!scene.passes)
        #expect(scene.seals == 1)
        #expect(scene.intrusions == [LinkWatch.Intrusion(node: 10, link: 24, client: 2)])
    }

    @Test("A grantee may listen in on its own recording, and hand on by a node that plays")
    func ownMonitor() {
        let scene = Scene()
        scene.watch.note(.peer(GraphPeer(id: 14, client: 1, records: nil, wantsOther: false)))
        scene.watch.identify(2, as: 2)
        scene.watch.open(10, true)
        for (id, input) in [(20, 11), (21, 14)] as [(UInt32, UInt32)] { scene.link(id, to: input) }
        scene.watch.note(.link(GraphLink(id: 24, output: 11, input: 14)))
        scene.watch.note(.link(GraphLink(id: 25, output: 14, input: 12)))
        #expect(scene.passes)
        #expect(scene.intrusions.isEmpty)
    }

    @Test("A node that was linked to a stranger before it was added never passes anything")
    func early() {
        let scene = Scene()
        scene.watch.note(.link(GraphLink(id: 23, output: 40, input: 12)))
        scene.watch.add(40, of: 1, scene.valve)
        scene.watch.open(40, true)
        #expect(!scene.passes)
        #expect(scene.intrusions.map(\.node) == [40])
    }

    @Test("The grantee's own node, of a client that has gone, is a stranger's")
    func late() {
        let scene = Scene()
        scene.watch.open(10, true)
        scene.watch.note(.gone(1))
        scene.link(20, to: 11)
        #expect(!scene.passes)
    }

    @Test("Anybody may be linked to a node that is never let pass")
    func closed() {
        let scene = Scene()
        scene.watch.add(30, of: nil, scene.valve)
        scene.watch.identify(2, as: 2)
        scene.watch.note(.link(GraphLink(id: 22, output: 30, input: 12)))
        #expect(scene.intrusions.isEmpty)
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
