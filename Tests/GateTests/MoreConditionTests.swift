import Gate
import GateTestKit
import Testing

@Suite("Conditions of place and person")
struct MoreConditionTests {
    @Test("A confirmation is asked once for each evaluation, and nothing is stored", arguments: Pace.allCases)
    func confirmation(_ pace: Pace) async {
        let world = World(pace)
        let condition = UserConfirmationCondition("Overwrite the clip?")
        let answers: [(ConfirmationAnswer, CaptureError.Kind?)] = [
            (.yes, nil), (.no, .conditionFailed), (.dismissed, .dismissed), (.timedOut, .dismissed),
            (.failed(CaptureError(.unavailable, "no terminal")), .dismissed),
        ]
        for (answer, kind) in answers {
            world.prompter.confirm(with: answer)
            #expect(await world.refusal(by: condition)?.kind == kind)
        }
        #expect(world.prompter.confirmations.map(\.title) == Array(repeating: "Overwrite the clip?", count: 5))
        #expect(world.store.events.isEmpty)
        #expect(await world.refusal(by: SilentCondition(condition))?.kind == .notAuthorized)
        #expect(await world.refusal(by: NegatedCondition(condition)) == nil)
        #expect(await world.refusal(by: condition, BlockCondition { false })?.kind == .conditionFailed)
        #expect(world.prompter.confirmations.count == 6)
    }

    /// A condition that asks for a confirmation where nobody may be asked.
    struct Whispering: OperationCondition {
        func evaluate(in context: OperationContext) async -> ConditionResult {
            let asking = ClosureOperation { _ in }.adding(UserConfirmationCondition("Psst?"))
            guard case .failure(.refused(let error)) = await context.perform(asking) else { return .satisfied }
            return .failed(error)
        }
    }

    @Test("No confirmation is asked where nobody may be asked")
    func silent() async {
        let world = World()
        world.prompter.confirm(with: .yes)
        #expect(await world.refusal(by: Whispering())?.kind == .notAuthorized)
        #expect(world.prompter.confirmations.isEmpty)
    }

    @Test("Confirmations and questions take turns")
    func turns() async {
        let world = World(.later)
        world.prompter.confirm(with: .yes)
        let handles = (0..<5).map { _ in
            world.queue.add(ClosureOperation { _ in }.adding(UserConfirmationCondition("Go on?")))
        }
        let capture = world.queue.add(Capture(Capability.Microphone()))
        for handle in handles { #expect(await handle.result.error == nil) }
        #expect(await capture.result.error == nil)
        #expect(world.prompter.mostOpen == 1 && world.prompter.confirmations.count == 5)
    }

    @Test("A retried operation is confirmed once, and remembers the answer")
    func confirmedOnce() async {
        let world = World()
        world.prompter.confirm(with: .yes)
        let tries = Signal()
        let flaky = ClosureOperation { _ throws(CaptureError) in
            tries.raise()
            if tries.count < 3 { throw CaptureError(.busy, "not yet") }
        }.adding(UserConfirmationCondition("Go on?"))
        #expect(await world.queue.add(RetryOperation(flaky, attempts: 5, clock: ManualClock())).result.error == nil)
        #expect(world.prompter.confirmations.count == 1 && tries.count == 3)
    }

    struct Network: RouteFinder {
        func obstacle(to host: String) async -> CaptureError? {
            host == "near" ? nil : CaptureError(.unavailable, "There is no route to \(host).")
        }
    }

    struct Desktop: NotificationService {
        let isThere: Bool
        func obstacle() async -> CaptureError? { isThere ? nil : CaptureError(.unavailable, "Nobody answers.") }
    }

    @Test("Reachability and notification are as the machine says")
    func machine() async {
        let world = World()
        #expect(await world.refusal(by: ReachabilityCondition(host: "near", by: Network())) == nil)
        #expect(
            await world.refusal(by: ReachabilityCondition(host: "far", by: Network()))?.message
                == "There is no route to far.")
        #expect(await world.refusal(by: UserNotificationCondition(Desktop(isThere: true))) == nil)
        #expect(await world.refusal(by: UserNotificationCondition(Desktop(isThere: false)))?.kind == .unavailable)
    }

    struct Disk: StorageInspector {
        let state: StorageState
        func inspect(_ folder: String) async -> StorageState { state }
    }

    @Test("Storage must exist, be writable and have room; nobody is asked for it")
    func storage() async {
        let world = World()
        let states: [(StorageState, CaptureError.Kind?)] = [
            (.absent, .inputOutput), (.notDirectory, .inputOutput),
            (.directory(isWritable: false, freeBytes: 999), .notAuthorized),
            (.directory(isWritable: true, freeBytes: 99), .diskFull),
            (.directory(isWritable: true, freeBytes: 100), nil),
        ]
        for (state, kind) in states {
            let storage = Capability.Storage("/clips", freeBytes: 100, by: Disk(state: state))
            #expect(await world.refusal(by: AuthorizedFor(storage))?.kind == kind)
            let grant = await world.gatekeeper.status(of: storage).grant
            #expect(grant?.decidedBy == (kind == nil ? .system : nil))
        }
        #expect(world.prompter.questions.isEmpty && world.prompter.confirmations.isEmpty)
    }
}
