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
