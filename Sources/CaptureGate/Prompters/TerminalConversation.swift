import Gate

/// One question at one terminal: shown, then asked until a line means something.
struct TerminalConversation: Sendable {
    let path: String
    let deadline: Duration
    /// How long the question stands there before an answer counts.
    let pause: Duration

    /// Blocks until there is an outcome.
    /// - Parameter cancel: a descriptor that turns readable when the question is withdrawn.
    func outcome<Value>(of text: PromptText<Value>, cancel: Int32) -> PromptOutcome<Value> {
        do {
            let line = try TerminalLine(opening: path, cancel: cancel, deadline: Deadline(after: deadline))
            return ask(text, at: line)
        } catch {
            return Self.outcome(error)
        }
    }

    private func ask<Value>(_ text: PromptText<Value>, at line: borrowing TerminalLine) -> PromptOutcome<Value> {
        do throws(TerminalLine.Interruption) {
            try line.write(([""] + text.lines).joined(separator: "\n") + "\n")
            try line.settle(for: pause)
            while true {
                try line.write(text.promptLine)
                let answer = try line.readLine()
                if let value = text.choice(for: answer) { return .chosen(value) }
                if answer.isEmpty { break }
                try line.write("Please answer with one of the letters in brackets.\n")
            }
            line.note("Not decided; nothing is stored.\n")
            return .dismissed
        } catch {
            if case .turnedAway = error { line.note("\nNot decided; nothing is stored.\n") }
            if case .timedOut = error { line.note("\nNo answer in time; nothing is stored.\n") }
            return Self.outcome(error)
        }
    }

    private static func outcome<Value>(_ interruption: TerminalLine.Interruption) -> PromptOutcome<Value> {
        switch interruption {
        case .turnedAway: .dismissed
        case .timedOut: .timedOut
        case .failed(let error): .failed(error)
        }
    }
}
