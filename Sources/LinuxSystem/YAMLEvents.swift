import CSystem

/// A position in a text, counted as in editors.
package struct YAMLPosition: Hashable, Sendable {
    /// The line, from 1 upwards.
    package let line: Int
    /// The character in the line, from 1 upwards.
    package let column: Int

    /// - Parameters:
    ///   - line: 1 upwards.
    ///   - column: 1 upwards.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Takes libyaml's position, which counts from 0.
    init(_ line: Int, _ column: Int) {
        self.line = line + 1
        self.column = column + 1
    }
}

/// A piece of a YAML text: a beginning, an end, or a value, with its position.
package struct YAMLEvent: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case streamBegins, streamEnds
        case documentBegins, documentEnds
        /// A word or a text. A plain one has no quotes.
        case scalar(String, isPlain: Bool)
        case sequenceBegins, sequenceEnds
        /// A block is written without braces.
        case mappingBegins(isBlock: Bool)
        case mappingEnds
        /// A word that refers to an anchor elsewhere.
        case alias
    }

    package let kind: Kind
    package let position: YAMLPosition
    /// True for a piece that an alias may refer to.
    package let hasAnchor: Bool
}

/// The error of a text that is not YAML.
package struct YAMLError: Error, Hashable, Sendable {
    /// libyaml's own words: "did not find expected ',' or ']'".
    package let problem: String
    /// `nil` if the bytes are no text, or no memory is left.
    package let position: YAMLPosition?
    /// The part of the text that was being read: "while parsing a flow sequence".
    package let context: String?
    package let contextPosition: YAMLPosition?

    fileprivate init(_ problem: String) {
        self.problem = problem
        (position, context, contextPosition) = (nil, nil, nil)
    }

    fileprivate init(_ raw: cs_yaml_problem) {
        problem = String(cString: raw.problem)
        position = raw.is_reading != 0 ? nil : YAMLPosition(raw.line, raw.column)
        context = raw.context.map { String(cString: $0) }
        contextPosition = raw.context == nil ? nil : YAMLPosition(raw.context_line, raw.context_column)
    }
}

/// Reads a YAML text piece by piece. Nothing is built, and aliases are not followed: a short text that expands to a huge one
/// costs no more than its length.
///
/// Standard: YAML 1.1, by yaml_parser_parse of libyaml. *session-bound*
package struct YAMLReader: ~Copyable {
    private let parser: UnsafeMutableRawPointer
    /// The text, which libyaml reads in place.
    private let bytes: UnsafeMutableRawBufferPointer

    /// - Parameter text: the text; positions count from its first character.
    /// - Throws: `YAMLError` if no memory is left.
    package init(_ text: String) throws(YAMLError) {
        bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: max(text.utf8.count, 1), alignment: 1)
        bytes.copyBytes(from: text.utf8)
        var made: UnsafeMutableRawPointer?
        guard cs_yaml_begin(bytes.baseAddress, text.utf8.count, &made) >= 0, let made else {
            bytes.deallocate()
            throw YAMLError("no memory is left")
        }
        parser = made
    }

    deinit {
        cs_yaml_drop(parser)
        bytes.deallocate()
    }

    /// The next piece; `.streamEnds` is the last one.
    ///
    /// - Throws: `YAMLError`, after which there are no more pieces.
    package mutating func next() throws(YAMLError) -> YAMLEvent {
        var event = cs_yaml_event()
        let result = cs_yaml_next(parser, &event)
        guard result >= 0 else { throw failure(result) }
        return YAMLEvent(
            kind: YAMLReader.kind(of: event), position: YAMLPosition(event.line, event.column),
            hasAnchor: event.has_anchor != 0)
    }

    /// Copies the content of an event: its text lies in libyaml's memory until the next event.
    private static func kind(of event: cs_yaml_event) -> YAMLEvent.Kind {
        switch Int(event.kind) {
        case CS_YAML_STREAM: .streamBegins
        case CS_YAML_DOCUMENT: .documentBegins
        case CS_YAML_DOCUMENT_END: .documentEnds
        case CS_YAML_SCALAR:
            .scalar(
                String(decoding: UnsafeRawBufferPointer(start: event.text, count: event.length), as: UTF8.self),
                isPlain: event.is_plain != 0)
        case CS_YAML_SEQUENCE: .sequenceBegins
        case CS_YAML_SEQUENCE_END: .sequenceEnds
        case CS_YAML_MAPPING: .mappingBegins(isBlock: event.is_plain != 0)
        case CS_YAML_MAPPING_END: .mappingEnds
        case CS_YAML_ALIAS: .alias
        default: .streamEnds
        }
    }

    private func failure(_ result: Int32) -> YAMLError {
        guard result == -EILSEQ else { return YAMLError("no memory is left") }
        var problem = cs_yaml_problem()
        cs_yaml_problem(parser, &problem)
        return YAMLError(problem)
    }
}
