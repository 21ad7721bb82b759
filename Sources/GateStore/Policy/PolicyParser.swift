import Gate
import Yams

/// Reads one policy file: its rules, or everything that is wrong with it.
struct PolicyParser {
    let file: String
    private(set) var rules: [PolicyRule] = []
    private(set) var diagnostics: [PolicyDiagnostic] = []

    init(_ text: String, file: String) {
        self.file = file
        do {
            // Said, since the library else asks a variable of the environment, and prints what it found there.
            let parser = try Yams.Parser(yaml: text, encoding: .utf8)
            // The names of anchors live as long as it does.
            defer { withExtendedLifetime(parser) {} }
            if let root = try parser.singleRoot() {
                if let anchor = PolicyParser.anchor(in: root) {
                    report("An anchor stands here; write again what it stands for.", at: anchor)
                } else {
                    readRoot(root)
                }
            } else {
                report("The file is empty; it needs `version: 1` and a list of `rules`.")
            }
        } catch {
            let (message, place) = PolicyParser.explanation(of: error, in: text)
            diagnostics.append(
                PolicyDiagnostic(file: file, line: place?.line ?? 0, column: place?.column ?? 0, message: message))
        }
    }

    /// Notes a fault at a node, or of the file as a whole.
    mutating func report(_ message: String, at node: Node? = nil) {
        let mark = node?.mark
        diagnostics.append(
            PolicyDiagnostic(file: file, line: mark?.line ?? 0, column: mark?.column ?? 0, message: message))
    }

    /// The first node with a name of its own, from the top down: what an alias means stands elsewhere, and may be as large
    /// as it likes. It is found before what is in it, so that nothing is looked at twice.
    private static func anchor(in node: Node) -> Node? {
        if node.anchor != nil { return node }
        switch node {
        case .sequence(let nodes):
            for node in nodes { if let found = anchor(in: node) { return found } }
        case .mapping(let pairs):
            for (key, value) in pairs { if let found = anchor(in: key) ?? anchor(in: value) { return found } }
        case .scalar, .alias: break
        }
        return nil
    }

    private mutating func readRoot(_ root: Node) {
        guard let entries = entries(of: root, known: ["version", "rules"], what: "A policy file") else { return }
        readVersion(entries["version"], root)
        guard let list = entries["rules"] else { return report("The list of `rules` is missing.", at: root) }
        guard case .sequence(let nodes) = list else {
            return report("`rules` must be a list, each rule behind a dash.", at: list)
        }
        for node in nodes { readRule(node) }
    }

    private mutating func readVersion(_ node: Node?, _ root: Node) {
        guard let node else { return report("`version: 1` is missing.", at: root) }
        guard node.scalar?.string == "1" else {
            return report("This program reads version 1 alone: write `version: 1`.", at: node)
        }
    }

    /// The values of a mapping by their keys; says what is unknown.
    mutating func entries(of node: Node, known: [String], what: String) -> [String: Node]? {
        guard case .mapping(let mapping) = node else {
            report("\(what) must be a mapping of keys to values.", at: node)
            return nil
        }
        var entries: [String: Node] = [:]
        for (key, value) in mapping {
            guard let name = key.scalar?.string, known.contains(name) else {
                let text = key.scalar.map { "`\($0.string)`" } ?? "This"
                report("\(text) is not a key here; known are \(known.joined(separator: ", ")).", at: key)
                continue
            }
            entries[name] = value
        }
        return entries
    }

    mutating func add(_ rule: PolicyRule) { rules.append(rule) }
}

extension PolicyParser {
    typealias Place = (line: Int, column: Int)

    /// What Yams threw, as one sentence and the place of the mistake.
    static func explanation(of thrown: any Error, in text: String) -> (message: String, place: Place?) {
        switch thrown as? YamlError {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            // Of what never ends, the beginning is of use.
            if let context, problem.contains("end of stream") {
                ("This is not YAML: \(context.text) that begins here, \(problem).", place(context.mark))
            } else {
                ("This is not YAML: \(problem).", place(mark))
            }
        case .reader(let problem, _, _, _): ("This is not text in UTF-8: \(problem).", nil)
        case .duplicatedKeysInMapping(let keys, let context):
            (
                "A key stands here twice: \(keys.sorted().joined(separator: ", ")).",
                repetition(of: keys, from: context.mark, in: text)
            )
        default: ("This can't be read as YAML: \(thrown).", nil)
        }
    }

    /// Where one of the keys stands for the second time in the mapping that begins at a mark; the mark itself where it is
    /// written in braces.
    private static func repetition(of keys: [String], from mark: Mark, in text: String) -> Place {
        var seen: Set<String> = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated().dropFirst(mark.line - 1) {
            let rest = line.dropFirst(mark.column - 1)
            guard let key = keys.first(where: { rest.hasPrefix($0 + ":") }) else { continue }
            if !seen.insert(key).inserted { return (index + 1, mark.column) }
        }
        return place(mark)
    }

    private static func place(_ mark: Mark) -> Place { (mark.line, mark.column) }
}
