import Dispatch
import Gate
import GateTestKit
import Testing

/// The callback style and the async style of asking.
@Suite("Requests for access")
struct RequestTests {
    typealias Microphone = Capability.Microphone

    /// A queue that can be identified.
    struct MarkedQueue: Sendable {
        private static let key = DispatchSpecificKey<Int>()
        let queue = DispatchQueue(label: "marked")

        init() { queue.setSpecific(key: Self.key, value: 7) }
        var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) == 7 }
    }

    @Test("The callback comes once, on the queue it was given", arguments: Pace.allCases)
    func callback(_ pace: Pace) async {
        let marked = MarkedQueue()
        for answer in [Answer.allow(.always), .deny, .dismissed] {
            let world = World(pace, answer: answer)
            let calls = Record<(granted: Bool, isThere: Bool)>()
            let called = Signal()
            world.gatekeeper.requestAccess(for: .microphone, purpose: "Say hello", on: marked.queue) { granted in
                calls.append((granted, marked.isCurrent))
                called.raise()
            }
            world.gatekeeper.requestAccess(for: Microphone(purpose: "Say hello"), on: marked.queue) { status in
                calls.append((status.isAuthorized, marked.isCurrent))
                called.raise()
            }
            await called.reached(2)
            let isGranted = answer == .allow(.always)
            #expect(calls.all.count == 2 && calls.all.allSatisfy { $0 == (isGranted, true) })
            #expect(world.prompter.questions.first?.items.first?.request.purpose == "Say hello")
        }
    }

    @Test(
        "Without a queue it comes on another one than the caller's, and purposes have a default",
        arguments: Pace.allCases)
    func anywhere(_ pace: Pace) async {
        let world = World(pace)
        let marked = MarkedQueue()
        let result = await withCheckedContinuation { continuation in
            marked.queue.async {
                world.gatekeeper.requestAccess(for: .microphone) { granted in
                    continuation.resume(returning: (granted, marked.isCurrent))
                }
            }
        }
        #expect(result == (true, false))
        #expect(world.prompter.questions.first?.items.first?.request.purpose == "Use the microphone")
    }

    @Test("The async style gives the status, or whether it is granted", arguments: Pace.allCases)
    func async(_ pace: Pace) async {
        let yes = World(pace)
        #expect(await yes.gatekeeper.requestAccess(for: .camera, purpose: "Scan a code"))
        #expect(await yes.gatekeeper.requestAccess(for: Capability.Camera()).isAuthorized)
        #expect(yes.prompter.questions.map { $0.items[0].request.level } == [.video])
        let no = World(pace, answer: .deny)
        #expect(await !no.gatekeeper.requestAccess(for: .camera))
        guard case .denied = await no.gatekeeper.requestAccess(for: Capability.Camera()) else {
            Issue.record("not denied")
            return
        }
        #expect(no.prompter.questions.count == 1)
        let absent = World(pace)
        absent.decide(.allow, .camera, .video)
        absent.directory.set(.camera, [])
        #expect(await !absent.gatekeeper.requestAccess(for: .camera))
    }

    @Test("The safest choice comes first in a question")
    func lifetimes() async {
        let world = World()
        await world.gatekeeper.requestAccess(for: Microphone()).ignore()
        let lifetimes = world.prompter.questions.first?.lifetimes ?? []
        #expect(lifetimes.first == .once && lifetimes.last == .always && lifetimes.count == 4)
        #expect(lifetimes.contains(.session(.first)))
        #expect(lifetimes.contains(.until(world.clock.now.later(seconds: 3600))))
    }
}

extension AuthorizationStatus {
    fileprivate func ignore() {}
}
