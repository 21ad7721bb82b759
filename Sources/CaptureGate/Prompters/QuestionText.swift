import Gate

/// A question about devices in words. Whatever comes from outside is shown, not obeyed, and cut to a length that leaves
/// the question on the screen.
struct QuestionText: Sendable {
    let question: Question

    var prompt: PromptText<Answer> {
        PromptText(lines: lines, title: "Allow?", choices: choices)
    }

    private var lines: [String] {
        var lines = ["\(Self.shown(question.subject.executable.path, 120)) wants to use:"]
        for item in question.items {
            lines.append(Self.line(for: item))
            lines.append("    \(Self.shown(item.request.purpose, 200))")
        }
        if let application = question.subject.application {
            lines.append("  It runs in \(application.kind.rawValue) \(Self.shown(application.name, 80)).")
        }
        if let previous = question.previous {
            let old = Self.shown(String(previous.subject.executable.sha256.prefix(12)), 12)
            lines.append("  The program has changed since it was allowed (its SHA-256 began with \(old)).")
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

    private var choices: [PromptText<Answer>.Choice] {
        [PromptText.Choice(key: "n", word: "no", text: "[n]o", label: "No", value: .deny)]
            + question.lifetimes.map { lifetime in
                let (word, text, label) = Self.words(for: lifetime)
                return PromptText.Choice(
                    key: word.first ?? "?", word: word, text: text, label: label, value: .allow(lifetime))
            }
    }

    private static func words(for lifetime: Lifetime) -> (word: String, text: String, label: String) {
        switch lifetime {
        case .once: ("once", "[o]nce", "Once")
        case .session: ("session", "this [s]ession", "For this session")
        case .until: ("hour", "for an [h]our", "For an hour")
        case .always: ("always", "[a]lways", "Always")
        }
    }

    private static func shown(_ text: String, _ limit: Int) -> String { VisibleText.of(text, limit: limit) }

    /// As a person may see it.
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
