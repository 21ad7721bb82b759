import Yams

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
