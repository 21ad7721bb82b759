import Dispatch
import Gate
import GateTestKit
import Synchronization
import Testing

@Suite("Revocation")
struct RevocationTests {
    typealias Microphone = Capability.Microphone

    /// A capture that continues until the gate ends it, and reports the reason.
    struct UntilEnded: CaptureOperation {
        let authorization = AuthorizedFor(Microphone())
        let begun: Signal

        func execute(
            with permit: consuming Permit, in context: OperationContext
        ) async throws(CaptureError) -> CaptureEndReason? {
            let id = DeviceID(rawValue: "usb-mic")
            guard let permit = permit.take(id) else { return nil }
            let capture = try await permit.redeem(opening: id, as: .microphone)
            let ended = Signal()
            let reasons = Record<CaptureEndReason>()
            capture.onEnd { reason in
                reasons.append(reason)
                ended.raise()
            }
            begun.raise()
            await ended.reached()
            await capture.finish(frames: 1, bytes: 2, outcome: "ended by the gate")
            return reasons.all.count == 1 ? reasons.all[0] : nil
        }
    }

    /// Starts a capture on `lifetime`, lets `change` happen, and says how it ended.
    func end(
        _ lifetime: Lifetime, _ world: World = World(), _ change: (World, Int64) -> Void
    ) async throws -> CaptureEndReason? {
        let id = world.decide(.allow, for: lifetime)
        let operation = UntilEnded(begun: Signal())
        let handle = world.queue.add(operation)
        await operation.begun.reached()
        change(world, id)
        let reason = try await handle.value()
        world.store.fail(with: nil)
        #expect(world.store.events(.stop).isEmpty)
        return reason
    }

    @Test("A grant that is taken back ends the capture, and the log says so")
    func revoked() async throws {
        let world = World()
        #expect(try await end(.always, world) { $0.revoke($1) } == .revoked)
        #expect(world.store.events(.revocation).map(\.frames) == [1])
        #expect(try await end(.always) { world, _ in world.decide(.deny) } == .revoked)
    }

    @Test("A kill switch ends the capture; another capability's does not")
    func killed() async throws {
        #expect(
            try await end(.always) { world, _ in
                world.kill(.camera)
                world.kill(.microphone)
            } == .killed)
    }

    @Test("A change of the policy ends the capture")
    func policy() async throws {
        let deny: @Sendable (PolicyQuery) -> PolicyVerdict = { _ in
            .deny(Restriction(cause: .policyUnreadable(file: "a.yaml"), reason: "torn", remedies: []))
        }
        #expect(try await end(.always) { world, _ in world.policy.set(deny) } == .revoked)
    }

    @Test("A store that can't be read ends the capture")
    func unreadable() async throws {
        #expect(try await end(.always) { world, _ in world.store.fail(with: CaptureError(.store, "torn")) } == .revoked)
    }

    @Test("A grant for the login session ends with it, as expired, and allows nothing new")
    func sessionEnd() async throws {
        let world = World(answer: .deny)
        let session = world.subject.session
        #expect(try await end(.session(session), world) { world, _ in world.sessions.end(session) } == .expired)
        let refused = await #expect(throws: CaptureError.self) {
            try await world.queue.run(UntilEnded(begun: Signal()))
        }
        #expect(refused?.kind == .notAuthorized)
        #expect(world.prompter.questions.count == 1)
    }

    @Test("What was granted for good goes on after the login session")
    func sessionEndOfLasting() async throws {
        let session = World().subject.session
        #expect(
            try await end(.always) { world, id in
                world.sessions.end(session)
                world.revoke(id)
            } == .revoked)
    }

    @Test("A grant whose date comes ends the capture as expired, by whichever clock gets there first")
    func expired() async throws {
        let changes: [(World, GateInstant) -> Void] = [
            { $0.clock.set(boot: $1.bootNanoseconds) }, { $0.clock.set(wall: $1.wallNanoseconds) },
            // The store has seen a later time than the clock shows now.
            { $0.store.see(sinceEpoch: $1.sinceEpoch) },
        ]
        for change in changes {
            let world = World()
            let limit = world.clock.now.later(seconds: 10)
            #expect(try await end(.until(limit), world) { world, _ in change(world, limit) } == .expired)
        }
    }

    @Test("A grant with a date that is taken back before it ends as revoked")
    func revokedBeforeItsDate() async throws {
        let world = World()
        let limit = world.clock.now.later(seconds: 10)
        #expect(try await end(.until(limit), world) { $0.revoke($1) } == .revoked)
        #expect(try await end(.until(limit)) { world, _ in world.kill(.microphone) } == .killed)
    }

    @Test("A used-up once grant carries its capture until it is removed, denied or switched off")
    func once() async throws {
        #expect(try await end(.once) { $0.revoke($1) } == .revoked)
        #expect(try await end(.once) { world, _ in world.decide(.deny) } == .revoked)
        #expect(try await end(.once) { world, _ in world.kill(.microphone) } == .killed)
    }

    @Test("Another once grant, which is for a capture to come, keeps no revoked capture alive")
    func otherOnce() async throws {
        #expect(
            try await end(.always) { world, id in
                world.decide(.allow, for: .once)
                world.revoke(id)
            } == .revoked)
    }

    @Test("A change that takes nothing away lets the capture go on")
    func goesOn() async throws {
        let world = World()
        let reason = try await end(.once, world) { world, id in
            world.decide(.allow, .camera, .video)
            world.decide(.deny, .microphone, .record, device: .id(DeviceID(rawValue: "pci-mic")))
            world.decide(.allow, about: .recorder(path: "/usr/bin/other"))
            world.revoke(id)
        }
        #expect(reason == .revoked)
    }

    @Test("What ended before anybody listened is told at once, and once")
    func endedBefore() async throws {
        let world = World()
        let id = world.decide(.allow)
        var capture = Capture(Microphone())
        let reasons = Record<CaptureEndReason>()
        capture.during = { captures in
            let observed = Signal()
            captures[0].onEnd { _ in observed.raise() }
            world.revoke(id)
            await observed.reached()
            captures[0].onEnd { reasons.append($0) }
            #expect(captures[0].endReason == .revoked)
        }
        try await world.queue.run(capture)
        #expect(reasons.all == [.revoked])
    }

    @Test("Whoever ends a capture as well returns once the end is in the log")
    func endedByTwo() async throws {
        for _ in 0..<50 {
            let world = World()
            world.decide(.allow)
            var capture = Capture(Microphone())
            capture.during = { captures in
                let capture = captures[0]
                await withTaskGroup { group in
                    for _ in 0..<2 {
                        group.addTask {
                            await capture.finish(frames: 1, bytes: 2, outcome: "ended by a test")
                            #expect(world.store.events(.stop).count == 1)
                        }
                    }
                }
            }
            try await world.queue.run(capture)
        }
    }

    @Test("A revocation between reading and watching is not lost")
    func gap() async throws {
        for _ in 0..<50 {
            let world = World(answer: .dismissed)
            let id = world.decide(.allow)
            // The reading that redeems is the last one before the start line is written.
            world.store.beforeSnapshot { _ in
                guard world.store.events(.start).isEmpty else { return }
                DispatchQueue.global().async { world.revoke(id) }
            }
            let operation = UntilEnded(begun: Signal())
            let result = await world.queue.add(operation).result
            switch result {
            case .success(let reason): #expect(reason == .revoked)
            case .failure(let error): #expect(error.kind == .notAuthorized || error.kind == .dismissed)
            }
        }
    }

    final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }

    @Test("A busy cooperative pool does not put a revocation off")
    func busyPool() async throws {
        let world = World()
        let id = world.decide(.allow)
        var capture = Capture(Microphone())
        capture.during = { captures in
            let ended = DispatchSemaphore(value: 0)
            captures[0].onEnd { _ in ended.signal() }
            let isEnded = Flag()
            // Every thread of the pool is taken until the handler has run.
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<64 {
                    group.addTask { while !isEnded.isSet {} }
                }
                DispatchQueue.global().async {
                    world.revoke(id)
                    ended.wait()
                    isEnded.set()
                }
            }
        }
        try await world.queue.run(capture)
        #expect(world.store.events(.revocation).count == 1)
    }

    @Test("Nothing is watched before something is captured, and the watching ends with the gatekeeper")
    func observation() async throws {
        let store: MemoryStore
        do {
            let world = World()
            store = world.store
            _ = await world.gatekeeper.requestAccess(for: Microphone())
            #expect(store.observers == 0)
            try await world.queue.run(Capture(Microphone()))
            #expect(store.observers == 1)
        }
        while store.observers > 0 { await Task.yield() }
    }
}
