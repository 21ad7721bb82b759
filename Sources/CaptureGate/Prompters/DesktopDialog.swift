import Gate
import LinuxSystem

/// A dialog program of a desktop and its command line: zenity of GTK, or kdialog of KDE.
struct DesktopDialog: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case zenity, kdialog
    }

    /// Decides its options, and what its exit status means.
    let kind: Kind
    /// Absolute: PATH is not asked, since whoever started the program may have set it.
    let path: String

    static let installed = [
        DesktopDialog(kind: .zenity, path: "/usr/bin/zenity"), DesktopDialog(kind: .kdialog, path: "/usr/bin/kdialog"),
    ]

    /// A list of the choices, of which the first is picked already. It prints the key of the one that stays picked.
    ///
    /// Text from outside stands behind "=" or a word of ours, never at the beginning of an argument: GLib passes over "--"
    /// where an argument behind it begins with a hyphen.
    func arguments<Value>(for text: PromptText<Value>) -> [String] {
        let heading = Self.escaped(text.lines + ["", text.title], lineBreak: kind == .zenity ? "\n" : "<br>")
        let rows = text.choices.enumerated().map { (index, choice) in
            (key: String(choice.key), label: choice.label, isFirst: index == 0)
        }
        switch kind {
        case .zenity:
            return [
                "--list", "--radiolist", "--title=CaptureGate", "--text=\(heading)", "--column=", "--column=key",
                "--column=", "--hide-column=2", "--print-column=2", "--hide-header", "--width=480", "--height=360",
            ] + rows.flatMap { [$0.isFirst ? "TRUE" : "FALSE", $0.key, $0.label] }
        case .kdialog:
            // The tag makes it rich text in every case, so that escaping is right in every case.
            return ["--title", "CaptureGate", "--radiolist", "<qt>\(heading)</qt>"]
                + rows.flatMap { [$0.key, $0.label, $0.isFirst ? "on" : "off"] }
        }
    }

    /// Text as it must be given so that it is shown as it is: neither Pango nor Qt takes anything in it for markup, and
    /// neither program takes a backslash in it for the beginning of another character.
    static func escaped(_ lines: [String], lineBreak: String) -> String {
        lines.map { line in
            line.reduce(into: "") { result, character in
                switch character {
                case "&": result += "&amp;"
                case "<": result += "&lt;"
                case ">": result += "&gt;"
                case "\"": result += "&quot;"
                case "'": result += "&#39;"
                case "\\": result += "\\\\"
                default: result.append(character)
                }
            }
        }.joined(separator: lineBreak)
    }
}

extension DesktopDialog {
    /// The meaning of the dialog's end. Only the key of a choice, printed by a dialog that ended well, is an answer.
    func outcome<Value>(of ended: ChildProcess.Outcome, to text: PromptText<Value>) -> PromptOutcome<Value> {
        switch ended.ending {
        case .exited(0): return choice(ended.text, of: text)
        // Both programs end so when the window is closed, by Escape or the button, and when they find no display.
        case .exited(1) where !Self.foundNoDisplay(ended.diagnostics): return .dismissed
        case .exited(1): return failed("finds no display", ended)
        case .exited(5) where kind == .zenity: return .timedOut
        case .exited(let code): return failed("ended with exit status \(code)", ended)
        case .killed(let signal): return failed("was ended by signal \(signal)", ended)
        case .lost(let errno): return failed("ended unseen: \(errno.text)", ended)
        case .timedOut: return .timedOut
        case .cancelled: return .dismissed
        }
    }

    /// The choice whose key stands alone on the one line that was printed.
    private func choice<Value>(_ printed: String, of text: PromptText<Value>) -> PromptOutcome<Value> {
        let lines = printed.split(separator: "\n")
        if lines.isEmpty { return .dismissed }
        guard lines.count == 1, let choice = text.choices.first(where: { String($0.key) == lines[0] }) else {
            return .failed(error("printed what is none of its choices", printed))
        }
        return .chosen(choice.value)
    }

    /// Exit status 1 has two meanings; the libraries' own words on standard error tell them apart.
    private static func foundNoDisplay(_ diagnostics: String) -> Bool {
        ["cannot open display", "could not connect to display", "unable to init server"].contains { phrase in
            diagnostics.lowercased().contains(phrase)
        }
    }

    /// The last line that the program wrote says mostly what it lacked.
    private func failed<Value>(_ what: String, _ ended: ChildProcess.Outcome) -> PromptOutcome<Value> {
        .failed(error(what, ended.diagnostics))
    }

    private func error(_ what: String, _ said: String) -> CaptureError {
        let last = said.split(separator: "\n").last.map { " It said: \(VisibleText.of(String($0), limit: 200))" } ?? ""
        return CaptureError(
            .unavailable, "The dialog \(path) \(what).\(last)",
            remedies: [Remedy("Start the program from a terminal, to be asked there.")])
    }
}
