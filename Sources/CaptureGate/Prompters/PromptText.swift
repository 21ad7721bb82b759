import Gate

/// A question as lines of text and choices, for a terminal or a dialog.
struct PromptText<Value: Sendable>: Sendable {
    /// A choice and the key that picks it.
    struct Choice: Sendable {
        let key: Character
        /// The same written out.
        let word: String
        /// For a terminal: the key in brackets, as in `[n]o`.
        let text: String
        /// For a dialog.
        let label: String
        /// Time for which the answer holds, in a few words; empty if the choice says it.
        var term = ""
        let value: Value

        /// The same for a dialog.
        var labelWithTerm: String { term.isEmpty ? label : "\(label): \(term)" }

        /// The first letter in brackets.
        fileprivate var letter: String { String(text.drop { $0 != "[" }.dropFirst().prefix(1)) }

        /// True if a line in lower case names it: by its key, its word, or y for yes.
        fileprivate func isNamed(_ line: String) -> Bool {
            line == String(key) || line == word || text.hasPrefix("[y]es") && ["y", "yes"].contains(line)
        }
    }

    /// The lines above the choices, already made visible: nothing in them is obeyed by a terminal.
    let lines: [String]
    /// The question itself, one line.
    let title: String
    /// The safest first, which a dialog has picked already.
    let choices: [Choice]

    /// The choices with their terms, a line each; none if the line of the answer says all.
    var choiceLines: [String] {
        guard choices.contains(where: { !$0.term.isEmpty }) else { return [] }
        let width = choices.map(\.text.count).max() ?? 0
        return choices.map { choice in
            let gap = String(repeating: " ", count: width - choice.text.count)
            return "  \(choice.text)" + (choice.term.isEmpty ? "" : "\(gap)  \(choice.term)")
        }
    }

    /// The line a person answers on.
    var promptLine: String {
        let keys = choiceLines.isEmpty ? choices.map(\.text) : choices.map(\.letter)
        return "\(title) " + keys.joined(separator: ", ") + ", Enter to decide later: "
    }

    /// The choice that a typed line names, by its key or its word.
    /// - Returns: `nil` if the line means nothing.
    func choice(for line: String) -> Value? {
        // Shift and caps lock change nothing about what a person means.
        let word = line.lowercased()
        return choices.first { $0.isNamed(word) }?.value
    }
}

/// The end of a question, by a person or without one.
enum PromptOutcome<Value: Sendable>: Sendable {
    case chosen(Value)
    /// Turned away without a decision: nothing is stored.
    case dismissed
    /// Nobody answered before the deadline: nothing is stored.
    case timedOut
    /// Nobody could be asked, or the answer was lost: nothing is stored.
    case failed(CaptureError)
}

/// A question about devices in words. Whatever comes from outside is shown, not obeyed, and cut to a length that leaves
/// the question on the screen.
struct QuestionText: Sendable {
    let question: Question

    var prompt: PromptText<Answer> {
        PromptText(lines: lines, title: "Allow?", choices: choices)
    }

    /// The program first: it is what a yes is given to, and why it asks.
    private var lines: [String] {
        let program = Self.shown(question.subject.executable.path, 120)
        let purposes = question.items.map { Self.shown($0.request.purpose, 200) }
        let isCommon = Set(purposes).count == 1 && purposes[0] != ""
        var lines = [isCommon ? "\(program) wants to use, for \"\(purposes[0])\":" : "\(program) wants to use:"]
        for (item, purpose) in zip(question.items, purposes) {
            lines.append(Self.line(for: item))
            if !isCommon { lines.append("    \(purpose)") }
        }
        if let application = question.subject.application {
            lines.append("  It runs in \(application.kind.rawValue) \(Self.shown(application.name, 80)).")
        }
        if let previous = question.previous {
            let old = Self.shown(String(previous.subject.executable.sha256.prefix(12)), 12)
            lines.append("  The program has changed since you allowed it (its SHA-256 began with \(old)).")
        }
        return lines
    }

    /// A yes to a request that names no device is one to every device of its kind, and must read so.
    private static func line(for item: Question.Item) -> String {
        let request = item.request
        let (capability, level) = (shown(request.capability.rawValue, 40), shown(request.level.name, 40))
        let device = "\(shown(item.device.name, 60)) [\(shown(item.device.id.rawValue, 80))]"
        switch request.device {
        case .any: return "  any \(capability) (\(level)), now: \(device)"
        case .id: return "  the \(capability) (\(level)): \(device)"
        }
    }

    /// "No" first: it is what a dialog has picked already.
    private var choices: [PromptText<Answer>.Choice] {
        [PromptText.Choice(key: "n", word: "no", text: "[n]o", label: "No", term: Self.lasting, value: .deny)]
            + question.lifetimes.map { lifetime in
                let (word, text, label, term) = Self.words(for: lifetime)
                return PromptText.Choice(
                    key: word.first ?? "?", word: word, text: text, label: label, term: term, value: .allow(lifetime))
            }
    }

    private static let lasting = "until you change it"

    /// The key is the letter in brackets, which is the word's first.
    private static func words(for lifetime: Lifetime) -> (word: String, text: String, label: String, term: String) {
        switch lifetime {
        case .once: ("once", "[y]es, [o]nce", "Once", "only this capture")
        case .session: ("session", "this [s]ession", "For this session", "until you log out")
        case .until: ("hour", "for an [h]our", "For an hour", "")
        case .always: ("always", "[a]lways", "Always", lasting)
        }
    }

    private static func shown(_ text: String, _ limit: Int) -> String { VisibleText.of(text, limit: limit) }

    /// Text as a person may see it: see ``VisibleText``.
    static func visible(_ text: String) -> String { text.visible }
}

extension Answer {
    init(_ outcome: PromptOutcome<Answer>) {
        switch outcome {
        case .chosen(let answer): self = answer
        case .dismissed: self = .dismissed
        case .timedOut: self = .timedOut
        case .failed(let error): self = .failed(error)
        }
    }
}

/// Yes-or-no question in the program's words. They are displayed, never obeyed, and cut to a length that fits on the screen.
struct ConfirmationText: Sendable {
    let confirmation: ConfirmationRequest

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
