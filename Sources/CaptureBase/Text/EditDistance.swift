/// Guesses what a person meant to type.
///
/// *thread-safe*
package enum EditDistance {
    /// Number of letters to insert, delete, change, or swap with a neighbour, to turn one word into another: the distance of
    /// Damerau and Levenshtein in its restricted form, in which nothing is changed twice.
    package static func between(_ first: some Collection<Character>, _ second: some Collection<Character>) -> Int {
        let (first, second) = (Array(first), Array(second))
        var rows = [Array(0...second.count)]
        for (i, letter) in first.enumerated() {
            var row = [i + 1]
            for (j, other) in second.enumerated() {
                var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (letter == other ? 0 : 1))
                if i > 0, j > 0, letter == second[j - 1], first[i - 1] == other {
                    best = min(best, rows[i - 1][j - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[first.count][second.count]
    }
}
