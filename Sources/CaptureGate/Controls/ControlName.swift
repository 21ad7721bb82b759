/// The names of controls.
enum ControlName {
    /// As `v4l2-ctl` makes them of the device's words: letters and digits in lower case, underscores for what is between.
    static func spelled(_ label: String) -> String {
        var name = ""
        var isBetween = false
        for byte in label.utf8 {
            let isLetter = (0x61...0x7A).contains(byte | 0x20) && byte < 0x80
            if isLetter || (0x30...0x39).contains(byte) {
                if isBetween, !name.isEmpty { name += "_" }
                isBetween = false
                name.unicodeScalars.append(Unicode.Scalar(isLetter ? byte | 0x20 : byte))
            } else {
                isBetween = true
            }
        }
        return name
    }

    /// Makes names that two controls share different: the second gets its number.
    static func distinct(_ names: [String]) -> [String] {
        var seen: [String: Int] = [:]
        return names.map { name in
            let count = seen[name, default: 0] + 1
            seen[name] = count
            return count == 1 ? name : "\(name)_\(count)"
        }
    }

    /// The names that somebody may have meant, the likeliest first, three at most.
    static func nearest(to name: String, among names: [String]) -> [String] {
        let wanted = spelled(name)
        let ranked = names.map { ($0, distance(wanted, $0)) }
            .filter { $0.1 <= max(2, wanted.count / 3) || !wanted.isEmpty && $0.0.contains(wanted) }
        return ranked.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.prefix(3).map(\.0)
    }

    /// How many letters have to be changed, added or left out (Levenshtein).
    private static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first.utf8), Array(second.utf8))
        var row = Array(0...second.count)
        for (index, letter) in first.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (other, right) in second.enumerated() {
                let changed = diagonal + (letter == right ? 0 : 1)
                diagonal = row[other + 1]
                row[other + 1] = min(changed, row[other] + 1, row[other + 1] + 1)
            }
        }
        return row[second.count]
    }
}
