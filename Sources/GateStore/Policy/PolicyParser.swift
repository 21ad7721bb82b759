import Gate
import LinuxSystem

/// Reads one policy file: its rules, or its mistakes. Mistakes of YAML end the reading; of those in rules all are reported.
struct PolicyParser {
    let file: String
    private(set) var rules: [PolicyRule] = []
    private(set) var diagnostics: [PolicyDiagnostic] = []

    init(_ text: String, file: String) {
        self.file = file
        do throws(PolicyMistake) {
            if let root = try PolicyDocument.root(of: text) {
                readRoot(root)
            } else {
                report("The file is empty; it needs `version: 1` and a list of `rules`.", at: nil)
            }
        } catch {
            report(error.message, at: error.position)
        }
    }

    /// Notes a mistake at a node.
    mutating func report(_ message: String, at node: PolicyNode) { report(message, at: node.position) }

    private mutating func report(_ message: String, at position: YAMLPosition?) {
        diagnostics.append(
            PolicyDiagnostic(
                file: file, line: position?.line ?? 0, column: position?.column ?? 0, message: message))
    }

    /// Reads the two keys of a file. All rules are read, also after one that has a mistake.
    private mutating func readRoot(_ root: PolicyNode) {
        guard let entries = entries(of: root, known: ["version", "rules"], what: "A policy file") else { return }
        readVersion(entries["version"], root)
        guard let list = entries["rules"] else { return report("The list of `rules` is missing.", at: root) }
        guard case .list(let nodes) = list.content else {
            return report("`rules` must be a list, each rule behind a dash.", at: list)
        }
        for node in nodes { readRule(node) }
    }

    /// Checks the version, so that an older program refuses rules that it would misread.
    private mutating func readVersion(_ node: PolicyNode?, _ root: PolicyNode) {
        guard let node else { return report("`version: 1` is missing.", at: root) }
        guard node.word == "1" else {
            return report("This program reads version 1 alone: write `version: 1`.", at: node)
        }
    }

    /// The values of a mapping by their keys; says what is unknown.
    mutating func entries(of node: PolicyNode, known: [String], what: String) -> [String: PolicyNode]? {
        guard case .mapping(let mapping) = node.content else {
            report("\(what) must be a mapping of keys to values.", at: node)
            return nil
        }
        var entries: [String: PolicyNode] = [:]
        for (key, value) in mapping {
            guard let name = key.word, known.contains(name) else {
                let text = key.word.map { "`\($0)`" } ?? "This"
                report("\(text) is not a key here; known are \(known.joined(separator: ", ")).", at: key)
                continue
            }
            entries[name] = value
        }
        return entries
    }

    mutating func add(_ rule: PolicyRule) { rules.append(rule) }
}
