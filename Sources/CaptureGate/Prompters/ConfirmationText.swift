import Gate

/// A yes-or-no question in words, as the program put it: shown, not obeyed, and cut to a length that leaves it on the
/// screen.
struct ConfirmationText: Sendable {
    let confirmation: Confirmation

    var prompt: PromptText<ConfirmationAnswer> {
        let message = VisibleText.of(confirmation.message, limit: 400)
        let agreement = VisibleText.of(confirmation.agreement, limit: 40)
        // Begins with a word of ours, so that a dialog program can't take it for an option.
        let (text, label) =
            agreement.lowercased() == "yes" ? ("[y]es", "Yes") : ("[y]es (\(agreement))", "Yes (\(agreement))")
        return PromptText(
            lines: message.isEmpty ? [] : ["  \(message)"], title: VisibleText.of(confirmation.title, limit: 120),
            choices: [
                PromptText.Choice(key: "n", word: "no", text: "[n]o", label: "No", value: .no),
                PromptText.Choice(key: "y", word: "yes", text: text, label: label, value: .yes),
            ])
    }
}

extension ConfirmationAnswer {
    init(_ outcome: PromptOutcome<ConfirmationAnswer>) {
        switch outcome {
        case .chosen(let answer): self = answer
        case .dismissed: self = .dismissed
        case .timedOut: self = .timedOut
        case .failed(let error): self = .failed(error)
        }
    }
}
