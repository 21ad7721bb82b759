import Gate

/// A question as lines of text for a terminal.
///
/// Whatever comes from outside, such as a device's name or a program's path, has its control characters shown, not
/// obeyed: else a name could move the cursor and rewrite the question.
struct QuestionText: Sendable {
    /// A choice and the key that picks it.
    struct Choice: Sendable {
        let key: Character
        let text: String
        let answer: Answer
    }

    let question: Question

    /// The lines above the choices.
    var lines: [String] {
        var lines = ["", "\(Self.visible(question.subject.executable.path)) wants to use:"]
        for item in question.items {
            let request = item.request
            lines.append(
                "  the \(request.capability) (\(request.level)): \(Self.visible(item.device.name)) [\(item.device.id)]")
            lines.append("    \(Self.visible(request.purpose))")
        }
        if let application = question.subject.application {
            lines.append("  It runs in \(application.kind.rawValue) \(Self.visible(application.name)).")
        }
        if let previous = question.previous {
            let old = previous.subject.executable.sha256.prefix(12)
            lines.append("  The program has changed since it was allowed (its SHA-256 began with \(old)).")
        }
        return lines
    }

    /// The choices, the safest first.
    var choices: [Choice] {
        [Choice(key: "n", text: "[n]o", answer: .deny)]
            + question.lifetimes.map { lifetime in
                let (key, text) = Self.word(for: lifetime)
                return Choice(key: key, text: text, answer: .allow(lifetime))
            }
    }

    /// The line a person answers on.
    var promptLine: String {
        "Allow? " + choices.map(\.text).joined(separator: ", ") + ", Enter to decide later: "
    }

    /// The answer a typed line means: its choice's key or word; an empty line turns away.
    /// - Returns: `nil` where the line means nothing.
    func answer(to line: String) -> Answer? {
        let word = line.lowercased()
        guard !word.isEmpty else { return .dismissed }
        return choices.first { choice in
            word == String(choice.key) || word == choice.text.filter { $0 != "[" && $0 != "]" }
        }?.answer
    }

    private static func word(for lifetime: Lifetime) -> (Character, String) {
        switch lifetime {
        case .once: ("o", "[o]nce")
        case .session: ("s", "this [s]ession")
        case .until: ("h", "for an [h]our")
        case .always: ("a", "[a]lways")
        }
    }

    /// `text` with control and formatting characters written as `\u{…}`.
    static func visible(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
