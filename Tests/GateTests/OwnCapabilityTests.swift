import GateTestKit
import Testing

@testable import Gate

/// An aspect of the machine that the library does not know: permission to switch the desk lamp.
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
        let requiredLevel: AccessLevel? = nil
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

    /// A capability whose dialog stays open until `answered` is raised.
    final class Dialog: CapabilityType {
        let requirement = "see it"
        let requiredLevel: AccessLevel? = nil
        let name = CapabilityName(rawValue: "dialog")
        let (read, asked, answered) = (Signal(), Signal(), Signal())
        private let status = Locked(AuthorizationStatus.notDetermined())

        func availability(in gatekeeper: Gatekeeper) async -> Availability { .available }

        func authorizationStatus(in gatekeeper: Gatekeeper) async -> AuthorizationStatus {
            defer { read.raise() }
            return status.withLock { $0 }
        }

        func requestAuthorization(in gatekeeper: Gatekeeper) async throws(CaptureError) {
            asked.raise()
            await answered.reached()
            status.withLock { $0 = Lamp.status(.allow) }
        }
    }

    @Test("Whoever needs it while it is asked for waits for that answer: by a condition, by Authorize, by a request")
    func together() async {
        let executor = CountingExecutor()
        let world = World(on: executor)
        let dialog = Dialog()
        let handles = (0..<2).map { _ in world.queue.add(ClosureOperation { _ in }.adding(AuthorizedFor(dialog))) }
        let authorizing = world.queue.add(Authorize(dialog))
        let request = Task(executorPreference: executor) { await world.gatekeeper.requestAccess(for: dialog) }
        // All four wait for the answer: both conditions have found that asking helps.
        await executor.idle()
        #expect(dialog.read.count >= 2 && dialog.asked.count == 1)
        dialog.answered.raise()
        for handle in handles { #expect(await handle.result.error == nil) }
        #expect(await authorizing.result.error == nil)
        #expect(await request.value.isAuthorized)
        #expect(dialog.asked.count == 1 && world.gatekeeper.locks.isIdle)
    }

    @Test("Of several dialogs of one operation the next is shown only where the answer to the last settles nothing")
    func dialogs() async {
        let world = World()
        let (one, other) = (Dialog(), Dialog())
        for dialog in [one, other] { dialog.answered.raise() }
        let (first, second) = (AuthorizedFor(one), AuthorizedFor(other))
        #expect(await world.refusal(by: OrCondition(first, second)) == nil)
        #expect(one.asked.count + other.asked.count == 1)
        #expect(await world.refusal(by: first, second) == nil)
        #expect(one.asked.count + other.asked.count == 2 && world.gatekeeper.locks.isIdle)
        // What holds the category of the question would wait for itself.
        let inner = Authorize(one)
        let nested = ClosureOperation { context in await context.perform(inner).error?.captureError.kind }
            .adding(MutuallyExclusive(category: "Authorize(dialog)"))
        #expect(await world.queue.add(nested).result == .success(.deadlock))
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

    /// Levels of a program's own: nothing but their order.
    enum Brightness: Int, LeveledRequirement, CaseIterable {
        case dim = 1
        case bright, blinding
    }

    /// A capability that reports the granted level, and compares nothing.
    final class Light<Wanted: LeveledRequirement>: CapabilityType {
        let name = CapabilityName(rawValue: "light")
        let requirement: Wanted
        let asked = Signal()
        private let granted: Locked<AccessLevel>
        private let answer: Locked<AccessLevel?>

        init(_ wanted: Wanted, granted: AccessLevel) {
            requirement = wanted
            self.granted = Locked(granted)
            answer = Locked(nil)
        }

        func answer(_ level: AccessLevel) { answer.withLock { $0 = level } }

        func availability(in gatekeeper: Gatekeeper) async -> Availability { .available }

        func authorizationStatus(in gatekeeper: Gatekeeper) async -> AuthorizationStatus {
            let decision = Decision(
                verdict: .allow, subject: .recorder(), capability: name, level: granted.withLock { $0 }, device: .any,
                lifetime: .always, decidedBy: .command, decidedAt: SetClock().now)
            return Grant(decision).map { .authorized($0) } ?? .denied(decision)
        }

        func requestAuthorization(in gatekeeper: Gatekeeper) async throws(CaptureError) {
            asked.raise()
            if let level = answer.withLock({ $0 }) { granted.withLock { $0 = level } }
        }
    }

    /// The same with its own report, which ignores levels.
    struct ReportedLight<Wanted: LeveledRequirement>: CapabilityType {
        let light: Light<Wanted>
        var name: CapabilityName { light.name }
        var requirement: Wanted { light.requirement }

        func availability(in gatekeeper: Gatekeeper) async -> Availability { .available }
        func authorizationStatus(in gatekeeper: Gatekeeper) async -> AuthorizationStatus {
            await light.authorizationStatus(in: gatekeeper)
        }
        func requestAuthorization(in gatekeeper: Gatekeeper) async throws(CaptureError) {
            try await light.requestAuthorization(in: gatekeeper)
        }
        func report(in gatekeeper: Gatekeeper) async -> AuthorizationReport {
            AuthorizationReport(
                availability: .available, status: await authorizationStatus(in: gatekeeper), refusal: nil,
                isAskable: false)
        }
    }

    @Test("What is granted must be at least the requirement, without a comparison of its own")
    func levels() async {
        for granted in Brightness.allCases {
            for wanted in Brightness.allCases {
                let isMet = granted.rawValue >= wanted.rawValue
                let light = Light(wanted, granted: granted.level)
                await hold(light, to: isMet, "the level \"\(granted)\". It needs \"\(wanted)\"")
                await hold(ReportedLight(light: light), to: isMet, "the level \"\(granted)\". It needs \"\(wanted)\"")
                #expect(light.asked.count == (isMet ? 0 : 2))
            }
        }
    }

    private func hold(_ capability: some CapabilityType, to isMet: Bool, _ words: String) async {
        let world = World()
        let executed = Signal()
        let operation = ClosureOperation { _ throws(CaptureError) in executed.raise() }
            .adding(AuthorizedFor(capability))
        let error = await world.queue.add(operation).result.error?.captureError
        #expect((error == nil) == isMet && executed.count == (isMet ? 1 : 0), "\(words)")
        if let error { #expect(error.kind == .notAuthorized && error.message.contains(words)) }
        #expect((await world.refusal(by: SilentCondition(AuthorizedFor(capability))) == nil) == isMet)
        #expect(await world.gatekeeper.report(on: capability).isAskable == !isMet)
    }

    @Test("A person can raise a grant that is too low; an access level is a requirement, too")
    func raised() async {
        let world = World()
        let (low, high) = (AccessLevel(name: "low", rank: 1), AccessLevel(name: "high", rank: 9))
        let light = Light(high, granted: low)
        #expect(light.requiredLevel == high)
        #expect(await world.refusal(by: AuthorizedFor(light))?.kind == .notAuthorized)
        light.answer(high)
        #expect(await world.refusal(by: AuthorizedFor(light)) == nil)
        #expect(await world.refusal(by: AuthorizedFor(light)) == nil)
        #expect(light.asked.count == 2)
        // Any grant meets a requirement without levels.
        #expect(Lamp(.atOnce).requiredLevel == nil)
    }
}
