import GateTestKit
import Testing

@testable import Gate

@Suite("Alerts")
struct AlertTests {
    /// Shows nothing; answers as told, and records.
    final class Presenter: AlertPresenter {
        let shown = Record<Alert>()
        let overlap = Overlap()
        private let respond: @Sendable (Alert) async -> AlertResponse

        init(_ respond: @escaping @Sendable (Alert) async -> AlertResponse) {
            self.respond = respond
        }

        func present(_ alert: Alert) async -> AlertResponse {
            shown.append(alert)
            await overlap.run()
            return await respond(alert)
        }
    }

    @Test("It shows its message, and its output is the choice")
    func choice() async {
        let world = World()
        let presenter = Presenter { _ in .chosen(1) }
        let alert = Alert("The disk is nearly full.", message: "4 minutes are left.", choices: ["Go on", "Stop"])
        #expect(await world.queue.add(AlertOperation(alert, by: presenter)).result == .success(1))
        #expect(presenter.shown.all == [alert])
        #expect(Alert("Done.").choices == ["OK"] && Alert("Done.", choices: []).choices == ["OK"])
        // It is not a permission, and stores nothing.
        #expect(world.store.decisions.isEmpty && world.prompter.questions.isEmpty)
    }

    @Test("What ends without a choice is an error that says why")
    func errors() async {
        let world = World()
        let torn = CaptureError(.unavailable, "The screen is off.")
        let cases: [(AlertResponse, CaptureError.Kind)] = [
            (.dismissed, .dismissed), (.timedOut, .dismissed), (.failed(torn), .unavailable),
            (.chosen(1), .unavailable),
            (.chosen(-1), .unavailable),
        ]
        for (response, kind) in cases {
            let operation = AlertOperation(Alert("Done."), by: Presenter { _ in response })
            #expect(await world.queue.add(operation).result.error?.kind == kind)
        }
        // The scripted prompter shows no alerts.
        #expect(await world.queue.add(AlertOperation(Alert("Done."))).result.error?.kind == .unavailable)
    }

    @Test("Alerts exclude each other without a condition, also of several queues, and come in their order")
    func exclusive() async {
        let world = World()
        let presenter = Presenter { _ in .chosen(0) }
        let other = GateQueue(gatekeeper: world.gatekeeper)
        for number in 0..<20 {
            (number.isMultiple(of: 2) ? world.queue : other).add(
                AlertOperation(Alert("\(number)"), by: presenter), priority: number.isMultiple(of: 3) ? .low : .high)
        }
        for queue in [world.queue, other] { await queue.waitUntilEmpty() }
        #expect(presenter.shown.all.map(\.title) == (0..<20).map { "\($0)" })
        #expect(presenter.overlap.most == 1)
    }

    @Test("Whatever takes the category of alerts excludes them")
    func category() async {
        let executor = CountingExecutor()
        let world = World(on: executor)
        let (gate, began) = (Signal(), Signal())
        let presenter = Presenter { _ in .chosen(0) }
        world.queue.add(
            ClosureOperation { _ in
                began.raise()
                await gate.reached()
            }.adding(MutuallyExclusive<Alert>()))
        await began.reached()
        let handle = world.queue.add(AlertOperation(Alert("Done."), by: presenter))
        await executor.idle()
        #expect(presenter.shown.all.isEmpty)
        gate.raise()
        #expect(await handle.result == .success(0))
    }

    @Test("No question is put while an alert stands there, and no alert during a question")
    func turns() async {
        let executor = CountingExecutor()
        let world = World(on: executor)
        let gate = Signal()
        let presenter = Presenter { _ in
            await gate.reached()
            return .chosen(0)
        }
        let alert = world.queue.add(AlertOperation(Alert("Done."), by: presenter))
        await executor.idle()
        let capture = world.queue.add(Capture(Capability.Microphone()))
        await executor.idle()
        #expect(presenter.shown.all.count == 1 && world.prompter.questions.isEmpty)
        gate.raise()
        #expect(await alert.result == .success(0))
        #expect(await capture.result.error == nil)
        #expect(world.prompter.questions.count == 1)
    }

    @Test("Cancelling takes it down, and the next one comes")
    func cancelled() async {
        let executor = CountingExecutor()
        let world = World(on: executor)
        let presenter = Presenter { alert in
            if alert.title == "first" { await untilCancelled() }
            return .chosen(0)
        }
        let first = world.queue.add(AlertOperation(Alert("first"), by: presenter))
        await executor.idle()
        let second = world.queue.add(AlertOperation(Alert("second"), by: presenter))
        first.cancel()
        #expect(await first.result.error == .cancelled)
        #expect(await second.result == .success(0))
    }

    @Test("Under a silent condition nobody sees it")
    func silent() async {
        let world = World()
        let presenter = Presenter { _ in .chosen(0) }
        let alert = AlertOperation(Alert("Done."), by: presenter)
        #expect(await world.refusal(by: SilentCondition(Agreed(alert: alert)))?.kind == .conditionFailed)
        let queue = world.queue
        let sneaky = BlockCondition { await queue.outcome(of: alert).error == nil }
        #expect(await world.refusal(by: sneaky)?.kind == .conditionFailed)
        #expect(presenter.shown.all.isEmpty)
        // Without silence it is what the condition waits for.
        #expect(await world.refusal(by: Agreed(alert: alert)) == nil)
        #expect(presenter.shown.all.count == 1)
    }

    /// A condition that holds if a person has picked a choice.
    struct Agreed: OperationCondition {
        let alert: AlertOperation

        func dependency(in context: OperationContext) async -> (any GateOperation)? { alert }

        func evaluate(in context: OperationContext) async -> ConditionResult {
            context.answer is Int ? .satisfied : .failed(CaptureError(.conditionFailed, "Nobody agreed."))
        }
    }
}
