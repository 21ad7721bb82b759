/// The words of the command line.
struct SweepWords {
    private let words: [String]

    init(_ words: [String]) { self.words = words }

    var kind: String { words.count > 1 ? words[1] : "" }
    var device: String? { words.count > 2 ? words[2] : nil }

    var options: Sweep.Options {
        var options = Sweep.Options(
            isWhole: words.contains("--all"), seed: Int(number("--seed") ?? 0),
            only: value("--only")?.split(separator: ",").map(String.init) ?? [])
        let part = value("--part")?.split(separator: "/").compactMap { Int($0) } ?? []
        if part.count == 2, part[1] > 0 { options.part = (part[0] - 1, part[1]) }
        return options
    }

    func value(_ option: String) -> String? {
        guard let at = words.firstIndex(of: option), at + 1 < words.count else { return nil }
        return words[at + 1]
    }

    func number(_ option: String) -> Int64? { value(option).flatMap { Int64($0) } }
}
