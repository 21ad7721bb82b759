import ArgumentParser
import CaptureGate
import Glibc

/// Where the program starts and ends.
///
/// The main thread waits for signals, and for nothing else; the command runs beside it and ends the process.
@main
enum Program {
    static func main() {
        Provision.fillStreams()
        ensureColumns()
        let dispatcher = SignalDispatcher()
        let invocation = Invocation(Provision.arguments, isText: Provision.areArgumentsText)
        do throws(CaptureError) {
            try Provision.begin()
        } catch {
            _exit(invocation.tell(error))
        }
        // Not on the main actor, whose thread waits.
        Task.detached {
            let status = await SignalDispatcher.$current.withValue(dispatcher) { await invocation.run() }
            // Not `exit`: what libraries clean up there, a thread of theirs or of the gate may be using still.
            fflush(nil)
            _exit(status)
        }
        dispatcher.wait()
    }

    /// The parser's library traps where a terminal, or COLUMNS, leaves a line less room than its indentation takes. Nothing
    /// else runs yet that could read the variable meanwhile.
    private static func ensureColumns() {
        let columns = getenv("COLUMNS").flatMap { Int(String(cString: $0)) }
        if columns ?? StandardStream.output.columns < 40 { setenv("COLUMNS", "40", 1) }
    }
}

/// The whole command line.
struct CaptureGateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capturegate",
        abstract: "Record from microphones and cameras, when a person allowed it.",
        discussion: """
            A first clip, with the built-in test picture and tone, and then with your own devices:

              capturegate record a.mkv --camera test:bars --microphone test:tone --for 5s
              capturegate devices
              capturegate record clip.mkv --for 5s

            The first recording of a device asks at the terminal; without a terminal, allow it before:

              capturegate grant camera --once
              capturegate grant microphone --always

            Exit codes: 0 done (also after Ctrl-C, with a valid file), 64 wrong usage, 65 a file \
            to be read is missing or malformed, 66 no such device, 69 unavailable, \
            unplugged or stalled, 73 the file exists, 74 input/output, disk full or --on-loss fail, 75 busy, 77 not authorized, revoked, or \
            stopped before it began, \
            78 the device would not do what --strict asked, a bad configuration or a broken store.
            """,
        version: "capturegate 0.1.0",
        subcommands: [
            RecordCommand.self, SnapshotCommand.self, MeterCommand.self, RecoverCommand.self, BenchCommand.self,
            DevicesCommand.self,
            ControlsCommand.self, StatusCommand.self, GrantCommand.self, RevokeCommand.self, ResetCommand.self,
            KillCommand.self, LogCommand.self, PolicyCommand.self,
        ])
}

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
