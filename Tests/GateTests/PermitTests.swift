import Gate
import Testing

@Suite("Permits")
struct PermitTests {
    typealias Microphone = Capability.Microphone

    @Test("A permit names its devices and hands each out once")
    func take() async throws {
        let world = World()
        let operation = Inspecting(Capability.Together(Capability.Camera(), Microphone())) { permit in
            var seen = permit.devices.map { "\($0.capability) \($0.level) \($0.device.id)" }
            for name in ["usb-cam", "usb-cam", "usb-mic", "other"] {
                seen.append(permit.take(DeviceID(rawValue: name)) == nil ? "nil" : name)
            }
            return seen
        }
        let seen = try await world.queue.run(operation)
        #expect(seen == ["camera video usb-cam", "microphone record usb-mic", "usb-cam", "nil", "usb-mic", "nil"])
    }

    /// Does something with its permit.
    struct Inspecting<Capable: DeviceCapability>: CaptureOperation {
        let authorization: AuthorizedFor<Capable>
        let look: @Sendable (inout Permit) async throws(CaptureError) -> [String]

        init(_ capability: Capable, _ look: @escaping @Sendable (inout Permit) async throws(CaptureError) -> [String]) {
            authorization = AuthorizedFor(capability)
            self.look = look
        }

        func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) -> [String]
        {
            try await look(&permit)
        }
    }

    @Test(
        "Ignored, Or and a closure that says yes can never let a capture run without authorization",
        arguments: Pace.allCases)
    func composition(_ pace: Pace) async {
        let yes = BlockCondition { true }
        let asking = AuthorizedFor(Microphone())
        let attacks: [[any OperationCondition]] = [
            [], [yes], [IgnoredCondition(asking)], [OrCondition(asking, yes)], [NegatedCondition(asking)],
            [OrCondition(IgnoredCondition(asking), NegatedCondition(SilentCondition(asking)))],
        ]
        for refuse in [Refusal.denied, .killed, .policy, .dismissed, .unreadable] {
            let world = refuse.world(pace)
            for conditions in attacks {
                let capture = Capture(Microphone(), conditions: conditions)
                let result = await world.queue.add(capture).result
                #expect(result.error != nil)
                #expect(capture.executions.count == 0)
                var composed = ComposedOperation(capture)
                composed.conditions = conditions
                #expect(await world.queue.add(composed).result.error != nil)
                #expect(capture.executions.count == 0)
            }
            #expect(world.store.events(.start).isEmpty)
        }
    }

    enum Refusal {
        case denied, killed, policy, dismissed, unreadable

        func world(_ pace: Pace) -> World {
            let world = World(pace, answer: .dismissed)
            switch self {
            case .denied: world.decide(.deny)
            case .killed:
                world.decide(.allow)
                world.kill(.microphone)
            case .policy:
                world.decide(.allow)
                let origin = Gate.Restriction.Cause.policy(PolicyOrigin(file: "a.yaml", line: 1))
                world.policy.set { _ in .deny(Restriction(cause: origin, reason: "No.", remedies: [])) }
            case .dismissed: break
            case .unreadable: world.store.fail(with: CaptureError(.store, "It is torn."))
            }
            return world
        }
    }

    /// A capability that says yes to everything.
    struct Liar: DeviceCapability {
        let requirement = DeviceRequest(capability: .microphone, level: .record, device: .any, purpose: "lie")
        func authorizationStatus(in gatekeeper: Gatekeeper) async -> AuthorizationStatus {
            await report(in: gatekeeper).status
        }
        func requestAuthorization(in gatekeeper: Gatekeeper) async throws(CaptureError) {}
        func report(in gatekeeper: Gatekeeper) async -> AuthorizationReport {
            let decision = Decision(
                verdict: .allow, subject: .recorder(), capability: .microphone, level: .record, device: .any,
                lifetime: .always, decidedBy: .command, decidedAt: SetClock().now)
            let status = Grant(decision).map { AuthorizationStatus.authorized($0) } ?? .notDetermined()
            return AuthorizationReport(availability: .available, status: status, refusal: nil, isAskable: false)
        }
    }

    @Test("A capability that says it is authorized gets no permit from what it says", arguments: Pace.allCases)
    func liar(_ pace: Pace) async {
        let world = World(pace)
        let capture = Capture(Liar())
        #expect(await world.queue.add(capture).result.error?.kind == .notAuthorized)
        #expect(capture.executions.count == 0)
    }

    @Test("An operation that names no device gets no permit")
    func noDevices() async {
        let world = World()
        let capture = Capture(Capability.Together([]))
        #expect(await world.queue.add(capture).result.error?.kind == .usage)
        #expect(capture.executions.count == 0)
    }

    /// Keeps a permit beyond its operation.
    final class Keeper: Sendable {
        private let kept = Locked<DevicePermit?>(nil)

        func keep(_ permit: consuming DevicePermit?) {
            var permit = Optional(permit)
            kept.withLock { $0 = permit.take() ?? nil }
        }

        func redeem() async throws(CaptureError) -> ActiveCapture? {
            var permit = kept.withLock { $0.take() }
            guard let permit = permit.take() else { return nil }
            return try await permit.redeem(opening: DeviceID(rawValue: "usb-mic"), as: .microphone)
        }
    }

    @Test("A permit kept from an earlier run opens nothing")
    func kept() async throws {
        let world = World()
        let keeper = Keeper()
        try await world.queue.run(
            Inspecting(Microphone()) { permit in
                keeper.keep(permit.take(DeviceID(rawValue: "usb-mic")))
                return []
            })
        let error = await #expect(throws: CaptureError.self) { try await keeper.redeem() }
        #expect(error?.kind == .notAuthorized)
        #expect(world.store.events(.start).isEmpty)
        #expect(world.store.events(.refusal).count == 1)
    }

    @Test("A permit of another device or capability opens nothing")
    func otherDevice() async throws {
        let world = World()
        let attempts = [("pci-mic", CapabilityName.microphone), ("usb-mic", .camera)]
        for (id, name) in attempts {
            let operation = Inspecting(Microphone()) { permit throws(CaptureError) in
                if let permit = permit.take(DeviceID(rawValue: "usb-mic")) {
                    _ = try await permit.redeem(opening: DeviceID(rawValue: id), as: name)
                }
                return []
            }
            #expect(await world.queue.add(operation).result.error?.kind == .notAuthorized)
        }
        #expect(world.store.events(.start).isEmpty)
    }

    @Test(
        "Revoked, expired or switched off while waiting for a lock: not one frame is captured", arguments: Pace.allCases
    )
    func lostWhileWaiting(_ pace: Pace) async {
        enum Lock {}
        let changes: [@Sendable (World, Int64) -> Void] = [
            { world, id in world.revoke(id) }, { world, _ in world.decide(.deny) },
            { world, _ in world.clock.pass(seconds: 3600) }, { world, _ in world.kill(.microphone) },
            { world, _ in world.store.fail(with: CaptureError(.store, "It is gone.")) },
        ]
        for change in changes {
            let world = World(pace)
            let gate = Signal()
            let began = Signal()
            let holding = world.queue.add(
                BlockOperation { _ in
                    began.raise()
                    await gate.reached()
                }.adding(MutuallyExclusive<Lock>()))
            await began.reached()
            let id = world.decide(.allow, for: .until(world.clock.now.later(seconds: 60)))
            let evaluated = Signal()
            let last = BlockCondition {
                evaluated.raise()
                return true
            }
            let capture = Capture(Microphone(), conditions: [MutuallyExclusive<Lock>(), last])
            let handle = world.queue.add(capture)
            await evaluated.reached()
            // Evaluation has read the grant, or will read the change: neither lets it through.
            change(world, id)
            gate.raise()
            world.prompter.reply(.dismissed)
            #expect(await handle.result.error != nil)
            #expect(capture.executions.count == 0 && capture.openings.count == 0)
            await holding.result.ignore()
        }
    }

    @Test("What changes between permit and opening refuses the opening")
    func lostBeforeOpening() async {
        let changes: [@Sendable (World) -> Void] = [
            { $0.decide(.deny) }, { $0.kill(.microphone) }, { $0.clock.pass(seconds: 3600) },
            { $0.decide(.allow, .microphone, .meter) },
            { $0.policy.set { _ in .deny(.init(cause: .killSwitch, reason: "No.", remedies: [])) } },
            { $0.store.fail(with: CaptureError(.store, "It is gone.")) },
        ]
        for change in changes {
            let world = World()
            world.decide(.allow, for: .until(world.clock.now.later(seconds: 60)))
            let operation = Inspecting(Microphone()) { permit throws(CaptureError) in
                change(world)
                if let permit = permit.take(DeviceID(rawValue: "usb-mic")) {
                    _ = try await permit.redeem(opening: DeviceID(rawValue: "usb-mic"), as: .microphone)
                }
                return ["opened"]
            }
            #expect(await world.queue.add(operation).result.error != nil)
            world.store.fail(with: nil)
            #expect(world.store.events(.start).isEmpty)
        }
    }

    @Test("Once is used up by one capture, also when that capture crashes at once", arguments: Pace.allCases)
    func once(_ pace: Pace) async {
        let world = World(pace, answer: .dismissed)
        world.decide(.allow, for: .once)
        let crashing = Inspecting(Microphone()) { permit throws(CaptureError) in
            if let permit = permit.take(DeviceID(rawValue: "usb-mic")) {
                _ = try await permit.redeem(opening: DeviceID(rawValue: "usb-mic"), as: .microphone)
            }
            throw CaptureError(.deviceGone, "It is gone.")
        }
        #expect(await world.queue.add(crashing).result.error == .failed(CaptureError(.deviceGone, "It is gone.")))
        #expect(world.store.decisions.isEmpty)
        let next = Capture(Microphone())
        #expect(await world.queue.add(next).result.error?.kind == .dismissed)
        #expect(next.executions.count == 0)
    }

    @Test("Two captures that share one `once` grant: one opens its device", arguments: Pace.allCases)
    func onceForTwo(_ pace: Pace) async {
        let world = World(pace, answer: .dismissed)
        world.decide(.allow, for: .once)
        let together = Signal()
        let openings = Signal()
        let operation = Inspecting(Microphone()) { permit throws(CaptureError) in
            together.raise()
            await together.reached(2)
            if let permit = permit.take(DeviceID(rawValue: "usb-mic")) {
                _ = try await permit.redeem(opening: DeviceID(rawValue: "usb-mic"), as: .microphone)
                openings.raise()
            }
            return []
        }
        let handles = [world.queue.add(operation), world.queue.add(operation)]
        var errors = 0
        for handle in handles where await handle.result.error != nil { errors += 1 }
        #expect(errors == 1 && openings.count == 1)
        #expect(world.store.events(.start).count == 1)
    }

    @Test("Once that is not used stays: a permit that was never redeemed uses nothing up")
    func onceUnused() async throws {
        let world = World()
        world.decide(.allow, for: .once)
        try await world.queue.run(Inspecting(Microphone()) { _ in [] })
        #expect(world.store.decisions.count == 1)
    }

    @Test("Every start and stop is one line of the audit log, with what was delivered")
    func audit() async throws {
        let world = World()
        try await world.queue.run(Capture(Microphone()))
        #expect(world.store.events.map(\.kind) == [.decision, .start, .stop])
        let stop = world.store.events.last
        #expect(stop?.frames == 48 && stop?.bytes == 96 && stop?.devices == [DeviceID(rawValue: "usb-mic")])
        #expect(stop?.decision == world.store.decisions.first?.id)
    }

    @Test("A capture that is let go without a word still has its line")
    func releasedCapture() async throws {
        let world = World()
        try await world.queue.run(
            Inspecting(Microphone()) { permit throws(CaptureError) in
                if let permit = permit.take(DeviceID(rawValue: "usb-mic")) {
                    _ = try await permit.redeem(opening: DeviceID(rawValue: "usb-mic"), as: .microphone)
                }
                return []
            })
        while world.store.events(.stop).isEmpty { await Task.yield() }
        #expect(world.store.events(.stop).count == 1)
    }
}

extension GateInstant {
    func later(seconds: Int64) -> GateInstant {
        GateInstant(
            wallNanoseconds: wallNanoseconds + seconds * 1_000_000_000,
            bootNanoseconds: bootNanoseconds + seconds * 1_000_000_000, bootID: bootID)
    }
}
