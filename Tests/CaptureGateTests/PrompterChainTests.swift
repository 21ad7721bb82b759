import CaptureGate
import GateTestKit
import Testing

@Suite("Prompter chain")
struct PrompterChainTests {
    /// Nobody is there.
    struct Nobody: Prompter {
        let name: String
        func obstacle() async -> CaptureError? {
            CaptureError(.unavailable, "\(name) is not there.", remedies: [Remedy("Start \(name).")])
        }
        func ask(_ question: Question) async -> Answer { .allow(.always) }
    }

    @Test("The first that can ask is asked, for questions and confirmations")
    func first() async {
        let (second, third) = (
            ScriptedPrompter([.deny], confirmations: [.yes]), ScriptedPrompter([.allow(.always)])
        )
        let chain = PrompterChain([Nobody(name: "terminal"), second, third])
        #expect(chain.name == "terminal or scripted or scripted")
        #expect(await chain.obstacle() == nil)
        #expect(await chain.ask(Questions.one()) == .deny)
        #expect(await chain.confirm(ConfirmationRequest("Go on?")) == .yes)
        #expect(chain.name == "scripted")
        #expect(second.questions.count == 1 && second.confirmations.count == 1 && third.questions.isEmpty)
    }

    @Test("Where nobody can be asked, every reason and every remedy is told, and the answer is a failure")
    func nobody() async throws {
        let chain = PrompterChain([Nobody(name: "terminal"), Nobody(name: "desktop")])
        let obstacle = try #require(await chain.obstacle())
        #expect(obstacle.message == "terminal is not there. desktop is not there.")
        #expect(obstacle.remedies.map(\.text) == ["Start terminal.", "Start desktop."])
        #expect(await chain.ask(Questions.one()) == .failed(obstacle))
        #expect(await chain.confirm(ConfirmationRequest("Go on?")) == .failed(obstacle))
    }

    /// A person who sees alerts, too.
    struct Viewer: Prompter, AlertPresenter {
        let name = "viewer"
        func obstacle() async -> CaptureError? { nil }
        func ask(_ question: Question) async -> Answer { .dismissed }
        func present(_ alert: Alert) async -> AlertResponse { .chosen(alert.choices.count - 1) }
    }

    @Test("An alert is shown by the first that can ask, and fails where that shows none or nobody is there")
    func alerts() async throws {
        let alert = Alert("Stop?", choices: ["No", "Yes"])
        #expect(await PrompterChain([Nobody(name: "terminal"), Viewer()]).present(alert) == .chosen(1))
        for prompters in [[ScriptedPrompter([.deny])], [Nobody(name: "terminal")], []] as [[any Prompter]] {
            guard case .failed = await PrompterChain(prompters).present(alert) else {
                Issue.record("it was shown")
                continue
            }
        }
        // A gate shows it by its own prompter.
        let gatekeeper = try Gatekeeper.system(
            storeIn: try TemporaryFolder.make(), prompter: PrompterChain([Nobody(name: "terminal"), Viewer()]))
        #expect(await GateQueue(gatekeeper: gatekeeper).add(AlertOperation(alert)).result == .success(1))
    }

    @Test("A chain of nobody at all says so")
    func empty() async throws {
        #expect(try #require(await PrompterChain([]).obstacle()).message == "This program has no way to ask.")
    }

    @Test("A gate asks by it, and confirms")
    func gate() async throws {
        let prompter = ScriptedPrompter([], confirmations: [.yes, .no])
        let gatekeeper = try Gatekeeper.system(
            storeIn: try TemporaryFolder.make(), prompter: PrompterChain([Nobody(name: "terminal"), prompter]))
        let queue = GateQueue(gatekeeper: gatekeeper)
        var operation = ClosureOperation("confirmed") { _ throws(CaptureError) in }
        operation.conditions.append(UserConfirmationCondition("Overwrite the clip?"))
        try await queue.run(operation)
        await #expect(throws: CaptureError.self) { try await queue.run(operation) }
        #expect(prompter.confirmations.map(\.title) == ["Overwrite the clip?", "Overwrite the clip?"])
    }
}
