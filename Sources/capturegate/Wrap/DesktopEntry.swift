import CaptureGate
import LinuxSystem

/// Desktop entry: the text of a menu item, and the command that starts its program.
///
/// Standard: Desktop Entry Specification 1.5.
struct DesktopEntry {
    private let lines: [String]

    private static let group = "[Desktop Entry]"
    /// Key that marks a copy, with the name of its launcher.
    private static let mark = "X-CaptureGate-Launcher="

    init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Reads an entry; `nil` if it can't be read.
    init?(at path: String) {
        guard let bytes = ProcessFile.bytes(path, limit: 1 << 20) else { return nil }
        self.init(String(decoding: bytes, as: UTF8.self))
    }

    /// Name of the launcher that the entry was copied for; `nil` if it is not a copy.
    var launcher: String? {
        lines.first { $0.hasPrefix(Self.mark) }.map { String($0.dropFirst(Self.mark.count)) }
    }

    /// Copy of the entry whose commands start the program through its launcher.
    ///
    /// - Parameters:
    ///   - launcher: absolute path of the launcher.
    ///   - isProgram: true if a command's first word names the program.
    /// - Returns: `nil` if no command in it starts the program.
    func through(_ launcher: String, _ isProgram: (String) -> Bool) -> String? {
        var isNamed = false
        let name = launcher.split(separator: "/").last.map(String.init) ?? launcher
        let changed = lines.flatMap { line -> [String] in
            if line == Self.group { return [line, Self.mark + name] }
            guard let sign = line.firstIndex(of: "=") else { return [line] }
            let value = String(line[line.index(after: sign)...])
            switch line[..<sign].filter({ $0 != " " }) {
            case "Exec":
                guard let exec = ExecCommand(value).replaced(by: launcher, isProgram) else { return [line] }
                isNamed = true
                return ["Exec=\(exec)"]
            case "TryExec": return [isProgram(value) ? "TryExec=\(launcher)" : line]
            // D-Bus would start the program by its service file and bypass the launcher.
            case "DBusActivatable": return ["DBusActivatable=false"]
            default: return [line]
            }
        }
        return isNamed ? changed.joined(separator: "\n") : nil
    }
}

/// Command of a desktop entry. Its program is the first word after prefixes such as `env NAME=value`.
private struct ExecCommand {
    private let words: [Word]

    /// Word as written in the file, with the blanks after it.
    private struct Word {
        let raw: String
        /// Text of the word, without escapes.
        let text: String
        let blanks: String
    }

    init(_ value: String) {
        var (words, rest) = ([Word](), value[...])
        while !rest.isEmpty {
            let end = Self.end(of: rest)
            let raw = String(rest[..<end])
            let blanks = rest[end...].prefix { $0 == " " }
            words.append(Word(raw: raw, text: Self.text(of: raw), blanks: String(blanks)))
            rest = rest[blanks.endIndex...]
        }
        self.words = words
    }

    /// - Returns: `nil` if the command starts another program.
    func replaced(by launcher: String, _ isProgram: (String) -> Bool) -> String? {
        guard let place = words.firstIndex(where: { !Self.leads($0.text) }), isProgram(words[place].text) else {
            return nil
        }
        return words.enumerated().map { ($0 == place ? Self.quoted(launcher) : $1.raw) + $1.blanks }.joined()
    }

    /// True for `env` and the variables that it sets.
    private static func leads(_ word: String) -> Bool {
        word.isEmpty || word == "env" || word == "/usr/bin/env" || (word.contains("=") && !word.hasPrefix("/"))
    }

    private static func end(of text: Substring) -> Substring.Index {
        guard text.first == "\"" else { return text.firstIndex(of: " ") ?? text.endIndex }
        var isEscaped = false
        let close = text.indices.dropFirst().first { index in
            defer { isEscaped = text[index] == "\\" && !isEscaped }
            return text[index] == "\"" && !isEscaped
        }
        return close.map { text.index(after: $0) } ?? text.endIndex
    }

    /// The rules for values and for commands each remove one backslash.
    private static func text(of raw: String) -> String {
        guard raw.count > 1, raw.hasPrefix("\""), raw.hasSuffix("\"") else { return raw }
        return String(raw.dropFirst().dropLast()).replacing("\\\\", with: "\\").replacing("\\\\", with: "\\")
    }

    /// Path as a word of a command, with special characters escaped.
    private static func quoted(_ path: String) -> String {
        let isPlain = path.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+".contains($0)) }
        if isPlain { return path }
        let inner = path.reduce(into: "") { text, character in
            switch character {
            case "\\": text += #"\\\\"#
            case "\"", "`", "$": text += #"\\"# + String(character)
            case "%": text += "%%"
            default: text.append(character)
            }
        }
        return "\"\(inner)\""
    }
}
