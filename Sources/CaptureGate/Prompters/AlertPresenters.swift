import Gate

extension TerminalPrompter: AlertPresenter {
    public func present(_ alert: Alert) async -> AlertResponse {
        AlertResponse(await outcome(of: AlertText(alert: alert).prompt))
    }
}

extension DesktopPrompter: AlertPresenter {
    public func present(_ alert: Alert) async -> AlertResponse {
        AlertResponse(await outcome(of: AlertText(alert: alert).prompt))
    }
}

extension PrompterChain: AlertPresenter {
    /// Shows the alert by the first prompter that can ask now.
    public func present(_ alert: Alert) async -> AlertResponse {
        switch await ready() {
        case .success(let prompter as any AlertPresenter): await prompter.present(alert)
        case .success(let prompter):
            .failed(CaptureError(.unavailable, "The prompter \(prompter.name) does not support alerts."))
        case .failure(let error): .failed(error)
        }
    }
}

extension BrokerPrompter: AlertPresenter {
    /// Shows the alert here: it decides nothing that is the broker's.
    package func present(_ alert: Alert) async -> AlertResponse { await shown(alert) }
}

/// An alert in words, as the program put it: shown, not obeyed, and cut to a length that leaves it on the screen.
struct AlertText: Sendable {
    let alert: Alert

    /// The choices are numbered: words of a program's own may begin with one letter, or with none.
    var prompt: PromptText<Int> {
        let message = VisibleText.of(alert.message, limit: 400)
        return PromptText(
            lines: message.isEmpty ? [] : ["  \(message)"], title: VisibleText.of(alert.title, limit: 120),
            choices: zip(1..., alert.choices).map { number, word in
                let word = VisibleText.of(word, limit: 40)
                return PromptText.Choice(
                    key: Character("\(number)"), word: "\(number)", text: "[\(number)] \(word)",
                    label: "\(number): \(word)", value: number - 1)
            })
    }
}

extension AlertResponse {
    init(_ outcome: PromptOutcome<Int>) {
        switch outcome {
        case .chosen(let index): self = .chosen(index)
        case .dismissed: self = .dismissed
        case .timedOut: self = .timedOut
        case .failed(let error): self = .failed(error)
        }
    }
}
