/// A dialog program of a desktop and its command line: zenity of GTK, or kdialog of KDE.
struct DesktopDialog: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case zenity, kdialog
    }

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
