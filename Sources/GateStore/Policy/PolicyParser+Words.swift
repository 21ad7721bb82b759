import Gate
import Yams

extension PolicyParser {
    typealias Word = (word: String, node: Node)

    /// One word, or each of a list; never empty without a diagnostic.
    mutating func words(_ node: Node) -> [Word] {
        guard case .sequence(let nodes) = node else { return word(node).map { [($0, node)] } ?? [] }
        if nodes.isEmpty { report("An empty list matches nothing; leave the key out or name something.", at: node) }
        return nodes.compactMap { node in word(node).map { ($0, node) } }
    }

    mutating func word(_ node: Node) -> String? {
        guard let scalar = node.scalar else {
            report("One word or text is expected here.", at: node)
            return nil
        }
        let isNothing = scalar.style == .plain && ["", "~", "null", "Null", "NULL"].contains(scalar.string)
        guard !isNothing, !scalar.string.isEmpty else {
            report("A value is missing here.", at: node)
            return nil
        }
        return scalar.string
    }

    /// Numbers of users or groups, by number or by name.
    mutating func ids(
        _ node: Node, _ what: String, _ find: (String) -> PolicyNames.Finding
    ) -> Set<UInt32>? {
        var ids: Set<UInt32> = []
        for (word, node) in words(node) {
            switch find(word) {
            case .id(let id): ids.insert(id)
            case .none: report("There is no \(what) `\(word)` on this machine.", at: node)
            case .failed(let text): report("The \(what) `\(word)` can't be looked up: \(text).", at: node)
            }
        }
        return ids
    }
}
