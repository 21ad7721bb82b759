import Gate
import LinuxSystem

/// Has the broker ask through its agent, since only an agent can prove that a person has answered.
///
/// While it waits, this program is an agent itself, if the broker allows it: then the question returns here. So the command line
/// asks at its own terminal, even if no agent was started.
///
/// *thread-safe*
package struct BrokerPrompter: PersonPrompter {
    private let link: BrokerLink
    /// Asks questions that do not concern the broker, and as an agent.
    private let other: any Prompter

    /// - Parameters:
    ///   - link: to the broker.
    ///   - other: asks here.
    package init(_ link: BrokerLink, besides other: any Prompter) {
        self.link = link
        self.other = other
    }

    package var name: String { "broker" }

    package var asksPerson: Bool { true }

    package func obstacle() async -> CaptureError? {
        // Only the broker knows its agents, and reports a missing one when it is asked.
        nil
    }

    package func ask(_ question: Question) async -> Answer {
        let (link, order) = (link, DeviceList(question.items.map(\.request)))
        return await BrokerAgent.serving(link, asking: other) {
            do throws(CaptureError) {
                guard case .asked(let end) = try await link.call(.ask(order), within: nil).body else {
                    throw BrokerFault.kind.error
                }
                return end.answer
            } catch {
                return .failed(error)
            }
        }
    }

    /// Shows an alert by the prompter that asks here.
    func shown(_ alert: Alert) async -> AlertResponse {
        if let obstacle = await other.obstacle() { return .failed(obstacle) }
        guard let presenter = other as? any AlertPresenter else {
            return .failed(CaptureError(.unavailable, "The prompter \(other.name) does not support alerts."))
        }
        return await presenter.present(alert)
    }

    package func confirm(_ confirmation: ConfirmationRequest) async -> ConfirmationAnswer {
        if let obstacle = await other.obstacle() { return .failed(obstacle) }
        return await other.confirm(confirmation)
    }
}

extension QuestionEnd {
    /// The same as a prompter's answer.
    package var answer: Answer {
        switch self {
        case .allow(let lifetime): .allow(lifetime)
        case .deny: .deny
        case .dismissed: .dismissed
        case .timedOut: .timedOut
        case .failed(let failure): .failed(failure.error)
        }
    }

    /// The end that a prompter's answer is.
    package init(_ answer: Answer) {
        switch answer {
        case .allow(let lifetime): self = .allow(lifetime)
        case .deny: self = .deny
        case .dismissed: self = .dismissed
        case .timedOut: self = .timedOut
        case .failed(let error): self = .failed(BrokerFailure(error))
        }
    }

    /// The end that a prompter's answer to yes or no is.
    package init(_ answer: ConfirmationAnswer) {
        switch answer {
        case .yes: self = .allow(.once)
        case .no: self = .deny
        case .dismissed: self = .dismissed
        case .timedOut: self = .timedOut
        case .failed(let error): self = .failed(BrokerFailure(error))
        }
    }
}
