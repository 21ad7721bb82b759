import Gate

extension DesktopDialog {
    /// What the end of the dialog means. Only the key of a choice, printed by a dialog that ended well, is an answer.
    func outcome<Value>(of ended: ChildProgram.Outcome, to text: PromptText<Value>) -> PromptOutcome<Value> {
        switch ended.ending {
        case .exited(0): return choice(ended.text, of: text)
        // Both programs end so when the window is closed, by Escape or the button, and when they find no display.
        case .exited(1) where !Self.foundNoDisplay(ended.diagnostics): return .dismissed
        case .exited(1): return failed("finds no display", ended)
        case .exited(5) where kind == .zenity: return .timedOut
        case .exited(let code): return failed("ended with exit status \(code)", ended)
        case .killed(let signal): return failed("was ended by signal \(signal)", ended)
        case .lost(let errno): return failed("ended unseen: \(SystemText.error(errno))", ended)
        case .timedOut: return .timedOut
        case .cancelled: return .dismissed
        }
    }

    private func choice<Value>(_ printed: String, of text: PromptText<Value>) -> PromptOutcome<Value> {
        let lines = printed.split(separator: "\n")
        if lines.isEmpty { return .dismissed }
        guard lines.count == 1, let choice = text.choices.first(where: { String($0.key) == lines[0] }) else {
            return .failed(error("printed what is none of its choices", printed))
        }
        return .chosen(choice.value)
    }

    private static func foundNoDisplay(_ diagnostics: String) -> Bool {
        ["cannot open display", "could not connect to display", "unable to init server"].contains { phrase in
            diagnostics.lowercased().contains(phrase)
        }
    }

    private func failed<Value>(_ what: String, _ ended: ChildProgram.Outcome) -> PromptOutcome<Value> {
        .failed(error(what, ended.diagnostics))
    }

    private func error(_ what: String, _ said: String) -> CaptureError {
        let last = said.split(separator: "\n").last.map { " It said: \(VisibleText.of(String($0), limit: 200))" } ?? ""
        return CaptureError(
            .unavailable, "The dialog \(path) \(what).\(last)",
            remedies: [Remedy("Start the program from a terminal, to be asked there.")])
    }
}
