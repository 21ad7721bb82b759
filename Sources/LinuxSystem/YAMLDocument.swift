/// A mistake in a YAML file, in one sentence.
///
/// *thread-safe*
package struct YAMLMistake: Error, Hashable, Sendable {
    package let message: String
    /// `nil` for a mistake of the file as a whole.
    package let position: YAMLPosition?

    package init(_ message: String, at position: YAMLPosition?) {
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

/// A mistake in a file that a person wrote, with the file.
///
/// *thread-safe*
package struct YAMLDiagnostic: Hashable, Sendable, CustomStringConvertible {
    /// The path of the file, or of a directory if the mistake is there.
    package let file: String
    /// 1 upwards; 0 for a mistake of the file as a whole.
    package let line: Int
    /// Characters from 1 upwards; 0 for a mistake of the file as a whole.
    package let column: Int
    /// One sentence: the mistake, and what to write instead.
    package let message: String

    package init(file: String, line: Int = 0, column: Int = 0, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.message = message
    }

    /// - Parameter position: `nil` for a mistake of the file as a whole.
    package init(file: String, at position: YAMLPosition?, message: String) {
        self.init(file: file, line: position?.line ?? 0, column: position?.column ?? 0, message: message)
    }

    /// `FILE:LINE:COLUMN: MESSAGE`, the form that editors can follow.
    package var description: String {
        line == 0 ? "\(file): \(message)" : "\(file):\(line):\(column): \(message)"
    }
}

/// A word, a list or a mapping of a YAML file, with the position at which it begins.
///
/// *thread-safe*
package struct YAMLNode: Sendable {
    package typealias Entry = (key: YAMLNode, value: YAMLNode)

    /// Tags are ignored: the key before a value determines its kind.
    package enum Content: Sendable {
        /// A plain word has no quotes.
        case word(String, isPlain: Bool)
        case list([YAMLNode])
        case mapping([Entry])
    }

    package let content: Content
    package let position: YAMLPosition

    package init(_ content: Content, at position: YAMLPosition) {
        self.content = content
        self.position = position
    }

    /// True for an empty word, and for an unquoted one that means null (YAML 1.1): a value that somebody forgot.
    package var isNothing: Bool {
        guard case .word(let text, let isPlain) = content else { return false }
        return text.isEmpty || isPlain && ["~", "null", "Null", "NULL"].contains(text)
    }

    /// The text of a word; `nil` for anything else.
    package var word: String? {
        if case .word(let text, _) = content { text } else { nil }
    }
}

/// Builds the nodes of a YAML file from its events.
///
/// Anchors are refused at their position: an alias refers to a text elsewhere, which may be arbitrarily large. Without anchors no
/// alias can refer to anything.
package struct YAMLDocument: ~Copyable {
    private var events: YAMLReader
    private var depth = 0

    /// Greatest depth of nested lists and mappings. Rules and plans need a handful; the stack has room for many times this depth.
    private static let deepest = 100

    private init(_ text: String) throws(YAMLMistake) {
        do throws(YAMLError) {
            events = try YAMLReader(text)
        } catch {
            throw YAMLMistake(error)
        }
    }

    /// The one document of a file; `nil` if it has none.
    ///
    /// - Throws: `YAMLMistake`, for the first YAML error.
    package static func root(of text: String) throws(YAMLMistake) -> YAMLNode? {
        var document = try YAMLDocument(text)
        _ = try document.next()
        guard try document.next().kind != .streamEnds else { return nil }
        let root = try document.node(try document.next())
        _ = try document.next()
        let end = try document.next()
        guard end.kind == .streamEnds else {
            throw YAMLMistake("This is not YAML: but found another document.", at: end.position)
        }
        return root
    }

    private mutating func next() throws(YAMLMistake) -> YAMLEvent {
        do throws(YAMLError) {
            return try events.next()
        } catch {
            throw YAMLMistake(error)
        }
    }

    /// The node that begins with an event.
    private mutating func node(_ event: YAMLEvent) throws(YAMLMistake) -> YAMLNode {
        if event.hasAnchor {
            throw YAMLMistake("Anchors and aliases are not supported. Write the value again.", at: event.position)
        }
        depth += 1
        defer { depth -= 1 }
        guard depth <= YAMLDocument.deepest else {
            throw YAMLMistake(
                "Lists and mappings are nested more than \(YAMLDocument.deepest) levels deep.", at: event.position)
        }
        return YAMLNode(try content(event), at: event.position)
    }

    /// The content of a node; for a list and a mapping, everything up to its end.
    private mutating func content(_ event: YAMLEvent) throws(YAMLMistake) -> YAMLNode.Content {
        switch event.kind {
        case .scalar(let text, let isPlain): return .word(text, isPlain: isPlain)
        case .sequenceBegins: return .list(try list())
        case .mappingBegins(let isBlock): return .mapping(try mapping(isBlock: isBlock))
        case .alias: throw YAMLMistake("This is not YAML: found undefined alias.", at: event.position)
        case .streamBegins, .streamEnds, .documentBegins, .documentEnds, .sequenceEnds, .mappingEnds:
            throw YAMLMistake("This is not YAML: a value is missing here.", at: event.position)
        }
    }

    /// The nodes up to the end of a list.
    private mutating func list() throws(YAMLMistake) -> [YAMLNode] {
        var nodes: [YAMLNode] = []
        var event = try next()
        while event.kind != .sequenceEnds {
            nodes.append(try node(event))
            event = try next()
        }
        return nodes
    }

    /// The keys and values up to the end of a mapping.
    private mutating func mapping(isBlock: Bool) throws(YAMLMistake) -> [YAMLNode.Entry] {
        var entries: [YAMLNode.Entry] = []
        var event = try next()
        while event.kind != .mappingEnds {
            let key = try node(event)
            entries.append((key, try node(try next())))
            event = try next()
        }
        try YAMLDocument.checkKeys(of: entries, isBlock: isBlock)
        return entries
    }

    /// YAML does not define which of two equal keys counts; a reader might see one, and the program follow the other.
    private static func checkKeys(of entries: [YAMLNode.Entry], isBlock: Bool) throws(YAMLMistake) {
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
        throw YAMLMistake(
            "These keys are repeated: \(repeated.sorted().joined(separator: ", ")).", at: position)
    }
}
