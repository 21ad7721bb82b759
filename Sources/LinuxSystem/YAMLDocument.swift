import LinuxSystem

/// A mistake in a policy file, in one sentence.
struct PolicyMistake: Error, Hashable, Sendable {
    let message: String
    /// `nil` for a mistake of the file as a whole.
    let position: YAMLPosition?

    init(_ message: String, at position: YAMLPosition?) {
        self.message = message
        self.position = position
    }

    /// A text that is not YAML.
    init(_ error: YAMLError) {
        guard let position = error.position else {
            self.init("This can't be read as YAML: \(error.problem).", at: nil)
            return
        }
        // For a list that never ends, its beginning is the useful position.
        if let context = error.context, error.problem.contains("end of stream") {
            self.init(
                "This is not YAML: \(context) that begins here, \(error.problem).", at: error.contextPosition)
        } else {
            self.init("This is not YAML: \(error.problem).", at: position)
        }
    }
}

/// A word, a list or a mapping of a policy file, with the position at which it begins.
struct PolicyNode: Sendable {
    typealias Entry = (key: PolicyNode, value: PolicyNode)

    /// Tags are ignored: a rule's key determines the kind of its value.
    enum Content: Sendable {
        /// A plain word has no quotes.
        case word(String, isPlain: Bool)
        case list([PolicyNode])
        case mapping([Entry])
    }

    let content: Content
    let position: YAMLPosition

    /// The text of a word; `nil` for anything else.
    var word: String? {
        if case .word(let text, _) = content { text } else { nil }
    }
}

/// Builds the nodes of a policy file from its events.
///
/// Anchors are refused at their position: an alias stands for a text elsewhere, which may be arbitrarily large. Without anchors
/// no alias can mean anything.
struct PolicyDocument: ~Copyable {
    private var events: YAMLReader
    private var depth = 0

    /// Greatest depth of nested lists and mappings. Rules need four; the stack has room for many times this depth.
    private static let deepest = 100

    private init(_ text: String) throws(PolicyMistake) {
        do throws(YAMLError) {
            events = try YAMLReader(text)
        } catch {
            throw PolicyMistake(error)
        }
    }

    /// The one document of a file; `nil` if it has none.
    ///
    /// - Throws: `PolicyMistake`, for the first YAML error.
    static func root(of text: String) throws(PolicyMistake) -> PolicyNode? {
        var document = try PolicyDocument(text)
        _ = try document.next()
        guard try document.next().kind != .streamEnds else { return nil }
        let root = try document.node(try document.next())
        _ = try document.next()
        let end = try document.next()
        guard end.kind == .streamEnds else {
            throw PolicyMistake("This is not YAML: but found another document.", at: end.position)
        }
        return root
    }

    private mutating func next() throws(PolicyMistake) -> YAMLEvent {
        do throws(YAMLError) {
            return try events.next()
        } catch {
            throw PolicyMistake(error)
        }
    }

    /// The node that begins with an event.
    private mutating func node(_ event: YAMLEvent) throws(PolicyMistake) -> PolicyNode {
        if event.hasAnchor {
            throw PolicyMistake("An anchor stands here; write again what it stands for.", at: event.position)
        }
        depth += 1
        defer { depth -= 1 }
        guard depth <= PolicyDocument.deepest else {
            throw PolicyMistake(
                "More than \(PolicyDocument.deepest) lists and mappings stand in one another here.", at: event.position)
        }
        return PolicyNode(content: try content(event), position: event.position)
    }

    /// The content of a node; for a list and a mapping, everything up to its end.
    private mutating func content(_ event: YAMLEvent) throws(PolicyMistake) -> PolicyNode.Content {
        switch event.kind {
        case .scalar(let text, let isPlain): return .word(text, isPlain: isPlain)
        case .sequenceBegins: return .list(try list())
        case .mappingBegins(let isBlock): return .mapping(try mapping(isBlock: isBlock))
        case .alias: throw PolicyMistake("This is not YAML: found undefined alias.", at: event.position)
        case .streamBegins, .streamEnds, .documentBegins, .documentEnds, .sequenceEnds, .mappingEnds:
            throw PolicyMistake("This is not YAML: a value is missing here.", at: event.position)
        }
    }

    /// The nodes up to the end of a list.
    private mutating func list() throws(PolicyMistake) -> [PolicyNode] {
        var nodes: [PolicyNode] = []
        var event = try next()
        while event.kind != .sequenceEnds {
            nodes.append(try node(event))
            event = try next()
        }
        return nodes
    }

    /// The keys and values up to the end of a mapping.
    private mutating func mapping(isBlock: Bool) throws(PolicyMistake) -> [PolicyNode.Entry] {
        var entries: [PolicyNode.Entry] = []
        var event = try next()
        while event.kind != .mappingEnds {
            let key = try node(event)
            entries.append((key, try node(try next())))
            event = try next()
        }
        try PolicyDocument.checkKeys(of: entries, isBlock: isBlock)
        return entries
    }

    /// YAML does not define which of two equal keys counts; a reader might see one, and the program follow the other.
    private static func checkKeys(of entries: [PolicyNode.Entry], isBlock: Bool) throws(PolicyMistake) {
        var first: [String: YAMLPosition] = [:]
        var repeated: Set<String> = []
        var position: YAMLPosition?
        for (key, _) in entries {
            guard let word = key.word else { continue }
            guard let earlier = first.updateValue(first[word] ?? key.position, forKey: word) else { continue }
            repeated.insert(word)
            // In braces both keys are mostly on one line: there the position is the first one's.
            position = position ?? (isBlock ? key.position : earlier)
        }
        guard let position else { return }
        throw PolicyMistake(
            "A key stands here twice: \(repeated.sorted().joined(separator: ", ")).", at: position)
    }
}
