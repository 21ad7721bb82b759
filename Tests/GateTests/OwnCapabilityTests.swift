import Gate
import Testing

/// An aspect of the machine that the library knows nothing of: whether the desk lamp may be switched.
@Suite("Capabilities of one's own")
struct OwnCapabilityTests {
    /// Answers at once or later, and keeps its answers itself.
    final class Lamp: CapabilityType {
        private struct State {
            var availability = Availability.available
            var status = AuthorizationStatus.notDetermined()
            var answer = Decision.Verdict.allow
        }

        let requirement = "switch it"
        let name = CapabilityName(rawValue: "lamp")
        /// Rises with each question.
        let asked = Signal()
        private let pace: Pace
        private let state = Locked(State())

        init(_ pace: Pace, _ status: AuthorizationStatus = .notDetermined()) {
            self.pace = pace
            state.withLock { $0.status = status }
        }

        func set(_ availability: Availability) { state.withLock { $0.availability = availability } }
        func answer(_ verdict: Decision.Verdict) { state.withLock { $0.answer = verdict } }

        func availability(in gatekeeper: Gatekeeper) async -> Availability {
            await pace.pass()
            return state.withLock { $0.availability }
        }

        func authorizationStatus(in gatekeeper: Gatekeeper) async -> AuthorizationStatus {
            await pace.pass()
            return state.withLock { $0.status }
        }

        func requestAuthorization(in gatekeeper: Gatekeeper) async throws(CaptureError) {
            asked.raise()
            await pace.pass()
            state.withLock { $0.status = Self.status($0.answer) }
        }

        static func status(_ verdict: Decision.Verdict) -> AuthorizationStatus {
            let decision = Decision(
                verdict: verdict, subject: .recorder(), capability: CapabilityName(rawValue: "lamp"),
                level: AccessLevel(name: "use", rank: 1), device: .any, lifetime: .always, decidedBy: .command,
                decidedAt: SetClock().now)
            return Grant(decision).map { .authorized($0) } ?? .denied(decision)
        }
    }

    @Test("Its status is queried without asking, and asked for by Authorize", arguments: Pace.allCases)
    func authorize(_ pace: Pace) async throws {
        let world = World(pace)
        let lamp = Lamp(pace)
        let statuses = Record<AuthorizationStatus>()
        try await world.queue.run(GetAuthorizationStatus(lamp) { statuses.append($1) })
        #expect(lamp.asked.count == 0)
        try await world.queue.run(Authorize(lamp) { statuses.append($1) })
        #expect(lamp.asked.count == 1)
        #expect(statuses.all == [.notDetermined(), Lamp.status(.allow)])
        #expect(world.prompter.questions.isEmpty)
    }

    @Test("AuthorizedFor asks where nothing is decided, and never again", arguments: Pace.allCases)
    func condition(_ pace: Pace) async {
        let world = World(pace)
        let willing = Lamp(pace)
        for _ in 0..<2 { #expect(await world.refusal(by: AuthorizedFor(willing)) == nil) }
        #expect(willing.asked.count == 1)
        let unwilling = Lamp(pace)
        unwilling.answer(.deny)
        for _ in 0..<2 { #expect(await world.refusal(by: AuthorizedFor(unwilling))?.kind == .notAuthorized) }
        #expect(unwilling.asked.count == 1)
        let restriction = Restriction(cause: .killSwitch, reason: "It is daylight.", remedies: [])
        let restricted = Lamp(pace, .restricted(restriction))
        #expect(await world.refusal(by: AuthorizedFor(restricted))?.message == "It is daylight.")
        #expect(restricted.asked.count == 0)
    }

    @Test("Silent never asks it; what is absent is not asked for", arguments: Pace.allCases)
    func silentAndAbsent(_ pace: Pace) async {
        let world = World(pace)
        let lamp = Lamp(pace)
        #expect(await world.refusal(by: SilentCondition(AuthorizedFor(lamp)))?.kind == .notAuthorized)
        #expect(await world.refusal(by: NegatedCondition(SilentCondition(AuthorizedFor(lamp)))) == nil)
        lamp.set(.absent("a lamp"))
        #expect(await world.refusal(by: AuthorizedFor(lamp))?.kind == .noDevice)
        #expect(lamp.asked.count == 0)
        // One that is busy is there.
        lamp.set(.busy(nil))
        #expect(await world.refusal(by: AuthorizedFor(lamp)) == nil)
        #expect(await world.gatekeeper.availability(of: lamp) == .busy(nil))
    }

    @Test("The async style reports what it says", arguments: Pace.allCases)
    func styles(_ pace: Pace) async {
        let world = World(pace)
        let lamp = Lamp(pace)
        #expect(await world.gatekeeper.status(of: lamp) == .notDetermined())
        #expect(await world.gatekeeper.requestAccess(for: lamp).isAuthorized)
        let report = await world.gatekeeper.report(on: lamp)
        #expect(report.refusal == nil && !report.isAskable && report.availability.isAvailable)
    }
}
