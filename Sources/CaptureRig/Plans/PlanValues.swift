import LinuxSystem

/// Reads the values of parameters, and the commands of a plan.
///
/// *session-bound*
struct PlanValues {
    let mistakes: PlanMistakes
    /// Directory of the plan, absolute: relative paths begin there.
    let directory: String

    /// Default time of a command: a hub takes seconds to power a port, and a plan must not hang.
    static let standardLimit = Duration.seconds(30)

    /// The value of a parameter, or `nil` with a diagnostic.
    func value(_ node: YAMLNode, of parameter: CheckDefinition.Parameter) -> PlanValue? {
        switch parameter.kind {
        case .words:
            let words = mistakes.words(node, what: "`\(parameter.name)`").map(\.text)
            return words.isEmpty ? nil : .words(words)
        case .command: return command(short: node).map(PlanValue.command)
        case .path: return mistakes.word(node).map { .path(absolute($0)) }
        case .duration, .count, .number, .size, .rate, .word:
            guard let word = mistakes.word(node) else { return nil }
            if let value = Self.value(of: word, parameter.kind) { return value }
            mistakes.report(
                "`\(parameter.name)` must be \(parameter.kind.spelling), not \(PlanMistakes.quoted(word)).", at: node)
            return nil
        }
    }

    /// A path of the plan from the root on.
    func absolute(_ path: String) -> String { PlanPath.joined(directory, path) }

    /// The value of one word; `nil` if the kind has no such value.
    static func value(of word: String, _ kind: CheckDefinition.Parameter.Kind) -> PlanValue? {
        switch kind {
        case .duration: PlanQuantity(word)?.duration.map(PlanValue.duration)
        case .count: PlanQuantity(word)?.whole.flatMap { $0 >= 0 ? .count($0) : nil }
        case .number: PlanQuantity(word).flatMap { $0.unit.isEmpty ? .number($0.number) : nil }
        case .size: pair(word, "x", 1...65_535).map { .size(width: $0, height: $1) }
        case .rate: rate(word)
        case .word: .word(word)
        // Of these, a word does not say all.
        case .words, .path, .command: nil
        }
    }

    /// Frames a second, whole or as a fraction.
    private static func rate(_ word: String) -> PlanValue? {
        // Far above every device, and small enough to be multiplied by the nanoseconds of a second.
        let bounds = 1...1_000_000_000
        if let whole = number(word[...], bounds) { return .rate(numerator: whole, denominator: 1) }
        return pair(word, "/", bounds).map { .rate(numerator: $0, denominator: $1) }
    }

    /// Two numbers and the separator between them.
    private static func pair(_ word: String, _ separator: Character, _ bounds: ClosedRange<Int>) -> (Int, Int)? {
        let parts = word.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.count == 2, let first = number(parts[0], bounds), let last = number(parts[1], bounds) else {
            return nil
        }
        return (first, last)
    }

    /// A number of digits alone.
    private static func number(_ text: Substring, _ bounds: ClosedRange<Int>) -> Int? {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text).flatMap { bounds.contains($0) ? $0 : nil }
    }
}

extension PlanValues {
    /// Values where a plan has none, by the parameter's name; those that the device chooses are not in it.
    ///
    /// The catalogue writes them as a plan does, so they are read as a plan's. One that can't be read is a mistake of
    /// the catalogue, which is reported at `node`.
    func standards(of check: CheckDefinition, at node: YAMLNode) -> [String: PlanValue] {
        var values: [String: PlanValue] = [:]
        for parameter in check.parameters {
            guard let text = parameter.standard else { continue }
            let own = PlanValues(mistakes: PlanMistakes(in: ""), directory: directory)
            if let value = own.value(text, of: parameter, at: node.position) {
                values[parameter.name] = value
            } else {
                mistakes.report(
                    "The default of `\(parameter.name)` can't be read. Write a value.", at: node)
            }
        }
        return values
    }

    /// The value of a parameter that is written outside of a plan, in a plan's spelling; `nil` if it has no such value.
    func value(_ text: String, of parameter: CheckDefinition.Parameter, at position: YAMLPosition) -> PlanValue? {
        // Words need not be YAML: `*` would be an alias.
        let isSimple = ![.words, .command].contains(parameter.kind)
        let root = isSimple ? YAMLNode(.word(text, isPlain: false), at: position) : try? YAMLDocument.root(of: text)
        return root.flatMap { value($0, of: parameter) }
    }
}

extension PlanValues {
    /// Keys of a command.
    static let commandKeys = ["run", "within"]

    /// Commands before or after a check: one, or a list of them.
    func commands(_ node: YAMLNode, what: String) -> [PlanCommand] {
        guard case .list = node.content else { return command(node).map { [$0] } ?? [] }
        return (mistakes.list(node, what: what) ?? []).compactMap { command($0) }
    }

    /// A command with its keys: `{run: [light, on], within: 5 s}`.
    func command(_ node: YAMLNode) -> PlanCommand? {
        guard let keys = mistakes.keys(of: node, known: Self.commandKeys, what: "A command") else { return nil }
        let limit = keys["within"].flatMap(limit)
        guard let run = keys["run"] else {
            mistakes.report("The command is missing. Write `run: [program, argument]`.", at: node)
            return nil
        }
        guard let arguments = arguments(run) else { return nil }
        return PlanCommand(arguments, limit: limit ?? Self.standardLimit)
    }

    /// A command as the value of a parameter: with keys, or its words alone.
    private func command(short node: YAMLNode) -> PlanCommand? {
        if case .mapping = node.content { return command(node) }
        return arguments(node).map { PlanCommand($0, limit: Self.standardLimit) }
    }

    /// A program and its arguments. A program in a directory is looked for from the plan's directory on, one without is
    /// left to PATH.
    private func arguments(_ node: YAMLNode) -> [String]? {
        guard case .list(let nodes) = node.content, !nodes.isEmpty else {
            mistakes.report(
                "Write the program and its arguments as a list, such as `[light, on]`. No shell is used.", at: node)
            return nil
        }
        // An empty argument is one, unlike an empty value elsewhere; a script for `sh -c` has several lines.
        let words = nodes.map { $0.word == "" && $0.isQuoted ? "" : mistakes.word($0, mayHaveBreaks: true) }
        guard let program = words[0], words.allSatisfy({ $0 != nil }) else { return nil }
        guard !program.isEmpty else {
            mistakes.report("The program's name is empty. Write its name or its path.", at: nodes[0])
            return nil
        }
        return [program.contains("/") ? absolute(program) : program] + words.dropFirst().compactMap { $0 }
    }

    /// Time after which a command is killed.
    private func limit(_ node: YAMLNode) -> Duration? {
        guard let word = mistakes.word(node) else { return nil }
        guard let limit = PlanQuantity(word)?.duration, limit > .zero else {
            mistakes.report(
                "`within` must be a time above zero such as `5 s`, not \(PlanMistakes.quoted(word)).", at: node)
            return nil
        }
        return limit
    }
}

/// Paths as texts: no file is looked at.
enum PlanPath {
    /// Directory of a path; `.` if it has none.
    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// A path that begins in a directory, or at the root by itself.
    static func joined(_ directory: String, _ path: String) -> String {
        if path.hasPrefix("/") || directory == "." { return path }
        let rest = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return directory.hasSuffix("/") ? directory + rest : "\(directory)/\(rest)"
    }

    /// The last part without its ending.
    static func stem(of path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard let point = name.lastIndex(of: "."), point != name.startIndex else { return name }
        return String(name[..<point])
    }
}

extension YAMLNode {
    fileprivate var isQuoted: Bool {
        if case .word(_, let isPlain) = content { !isPlain } else { false }
    }
}

extension CheckDefinition.Parameter.Kind {
    /// Spelling of a value, as a part of a sentence.
    package var spelling: String {
        switch self {
        case .duration: "a time such as `3 s`, `500 ms`, `2 min` or `8 h`"
        case .count: "a whole number such as `20`"
        case .number: "a number such as `0.5`"
        case .size: "a size such as `1280x720`"
        case .rate: "a rate such as `30` or `30000/1001`"
        case .word: "a word"
        case .words: "a list of words such as `[one, two]`"
        case .path: "a path, relative to the plan's directory"
        case .command: "a program and its arguments such as `[light, on]`"
        }
    }
}
