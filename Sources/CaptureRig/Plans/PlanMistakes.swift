import CaptureBase
import LinuxSystem

/// A mistake in a plan or in a file that it includes.
package typealias PlanDiagnostic = YAMLDiagnostic

/// Mistakes of one file of a plan, and the reading of its nodes that finds them.
///
/// A class, because everything that reads a part of the file adds to it, and nothing stops at the first mistake.
///
/// *session-bound*
final class PlanMistakes {
    /// Path of the file, as a person at the terminal would write it.
    let file: String
    private(set) var found: [PlanDiagnostic] = []

    init(in file: String) {
        self.file = file
    }

    /// Records a mistake at the beginning of a node.
    func report(_ message: String, at node: YAMLNode) { report(message, at: node.position) }

    /// - Parameter position: `nil` for a mistake of the file as a whole.
    func report(_ message: String, at position: YAMLPosition?) {
        guard found.count <= Self.most else { return }
        let isTooMany = found.count == Self.most
        let text =
            isTooMany ? "More mistakes than these \(Self.most) are not shown. Correct these, and check again." : message
        found.append(PlanDiagnostic(file: file, at: position, message: text))
    }

    /// Mistakes after which a file is not what it claims to be, and guessing at each word takes too long.
    private static let most = 200

    /// Records a word that is not allowed in its place, and the word that was probably meant.
    ///
    /// - Parameters:
    ///   - word: the word in the plan.
    ///   - kind: expected kind, with its article: `a check`.
    ///   - known: all allowed words.
    func reportUnknown(_ word: String, _ kind: String, among known: [String], at node: YAMLNode) {
        guard found.count <= Self.most else { return }
        report("\(Self.quoted(word)) is not \(kind): \(Self.advice(on: word, among: known)).", at: node)
    }

    /// Clause that names the word that was probably meant, otherwise all allowed ones.
    static func advice(on word: String, among known: [String]) -> String {
        if let near = nearest(to: word, among: known) { return "write `\(near)`" }
        guard !known.isEmpty else { return "remove it: nothing is possible here" }
        let rest = known.count > mostShown ? " and \(known.count - mostShown) more" : ""
        return "use \(known.prefix(mostShown).map(quoted).joined(separator: ", "))\(rest)"
    }

    /// Known word that differs in a few letters; a third of the letters at most, since two short words are always near.
    private static func nearest(to word: String, among known: [String]) -> String? {
        guard word.utf8.count <= 64 else { return nil }
        let most = max(1, min(3, word.count / 3))
        let ranked = known.prefix(500).map {
            (distance: EditDistance.between(word.lowercased(), $0.lowercased()), word: $0)
        }
        return ranked.filter { $0.distance <= most }.min { $0.distance < $1.distance }?.word
    }

    /// A text from the file as a message shows it: nothing in it moves the cursor, or fills the screen.
    static func quoted(_ text: String) -> String { "`\(VisibleText.of(text, limit: 60))`" }

    /// More words than these help nobody to find the one that was meant.
    private static let mostShown = 16
}

extension PlanMistakes {
    typealias Word = (text: String, node: YAMLNode)

    /// Keys and values of a mapping; reports anything else.
    ///
    /// - Parameter what: subject of the sentence: `A check`.
    func entries(of node: YAMLNode, what: String) -> [YAMLNode.Entry]? {
        guard case .mapping(let entries) = node.content else {
            report("\(what) must be a mapping of keys to values, such as `key: value`.", at: node)
            return nil
        }
        return entries
    }

    /// Values of a mapping by their keys; reports keys that are not known, and leaves them out.
    func keys(of node: YAMLNode, known: [String], what: String) -> [String: YAMLNode]? {
        guard let entries = entries(of: node, what: what) else { return nil }
        var keys: [String: YAMLNode] = [:]
        for (key, value) in entries {
            guard let name = word(key) else { continue }
            if known.contains(name) {
                keys[name] = value
            } else {
                reportUnknown(name, "a key here", among: known, at: key)
            }
        }
        return keys
    }

    /// Nodes of a list, which may not be empty.
    ///
    /// - Parameter what: subject of the sentence: `\`checks\``.
    func list(_ node: YAMLNode, what: String) -> [YAMLNode]? {
        guard case .list(let nodes) = node.content else {
            report("\(what) must be a list. Write `[…]`, or start each part with a dash.", at: node)
            return nil
        }
        if nodes.isEmpty { report("\(what) is an empty list. Remove the key, or add an entry.", at: node) }
        return nodes.isEmpty ? nil : nodes
    }

    /// One word. A forgotten value is reported, and so is YAML's null.
    ///
    /// Escapes in quotes may make characters that the file itself may not have: a NUL would end a path early.
    ///
    /// - Parameter mayHaveBreaks: true for texts that no name, path or message is made of.
    func word(_ node: YAMLNode, mayHaveBreaks: Bool = false) -> String? {
        guard let text = node.word else {
            report("Write one word or text here, not a list or a mapping.", at: node)
            return nil
        }
        guard !node.isNothing else {
            report("A value is missing here.", at: node)
            return nil
        }
        let breaks: Set<Unicode.Scalar> = mayHaveBreaks ? ["\n", "\t"] : []
        let hasControls = text.unicodeScalars.contains {
            $0.properties.generalCategory == .control && !breaks.contains($0)
        }
        guard !hasControls else {
            report("This word contains a control character. Remove it.", at: node)
            return nil
        }
        return text
    }

    /// One word, or each word of a list that is not empty.
    ///
    /// - Parameter what: subject of the sentence, for a list that is empty.
    func words(_ node: YAMLNode, what: String) -> [Word] {
        guard case .list = node.content else { return word(node).map { [($0, node)] } ?? [] }
        return (list(node, what: what) ?? []).compactMap { node in word(node).map { ($0, node) } }
    }
}
