import ArgumentParser

/// The names of the commands, for who misspells one.
enum CommandNames {
    /// What follows `help` and is no command's name; `nil` where all is known.
    static func unknownTopic(_ arguments: [String]) -> (name: String, among: [String])? {
        guard arguments.first == "help" else { return nil }
        var command: any ParsableCommand.Type = CaptureGateCommand.self
        for name in arguments.dropFirst() where !name.hasPrefix("-") && name != "help" {
            guard let next = subcommands(of: command).first(where: { $0.0 == name }) else {
                return (name, subcommands(of: command).map(\.0))
            }
            command = next.1
        }
        return nil
    }

    /// The command of that name, unless it has commands of its own.
    static func leaf(_ name: String?) -> (any ParsableCommand.Type)? {
        subcommands(of: CaptureGateCommand.self).first { $0.0 == name && $0.1.configuration.subcommands.isEmpty }?.1
    }

    static var all: [String] { subcommands(of: CaptureGateCommand.self).map(\.0) }

    private static func subcommands(of command: any ParsableCommand.Type) -> [(String, any ParsableCommand.Type)] {
        command.configuration.subcommands.map { ($0.configuration.commandName ?? "", $0) }
    }

    /// The name that was probably meant.
    static func nearest(to word: String, among names: [String]) -> String? {
        let distances = names.map { (distance(Array(word), Array($0)), $0) }
        guard let best = distances.min(by: { $0.0 < $1.0 }), best.0 <= (best.1.count < 5 ? 1 : 2) else { return nil }
        return best.1
    }

    /// How many letters have to be put in, left out, changed, or swapped with their neighbour.
    private static func distance(_ from: [Character], _ to: [Character]) -> Int {
        var rows = [Array(0...to.count)]
        for (i, letter) in from.enumerated() {
            var row = [i + 1]
            for (j, other) in to.enumerated() {
                var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (letter == other ? 0 : 1))
                if i > 0, j > 0, letter == to[j - 1], from[i - 1] == other { best = min(best, rows[i - 1][j - 1] + 1) }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[from.count][to.count]
    }
}
