import ArgumentParser
import CaptureGate

/// One run of the program, from its arguments to its exit status.
struct Invocation {
    private let arguments: [String]

    init(_ arguments: [String]) {
        self.arguments = arguments
    }

    func run() async -> Int32 {
        do {
            let command = try CaptureGateCommand.parseAsRoot(arguments)
            if !(command is any SignalTaker) { SignalDesk.current?.letThrough() }
            return try await Self.execute(command)
        } catch {
            return report(error)
        }
    }

    private static func execute(_ command: any ParsableCommand) async throws -> Int32 {
        if var command = command as? any AsyncParsableCommand {
            try await command.run()
        } else {
            var command = command
            try command.run()
        }
        return 0
    }

    // MARK: Ends other than a good one

    private func report(_ error: any Error) -> Int32 {
        switch error {
        case let status as ExitStatus: status.code
        case let end as EarlyEnd: tell(end)
        case let failure as StreamFailure: failure.error.map { tell($0) } ?? 0
        case let error as CaptureError: tell(error)
        default: parsing(error)
        }
    }

    /// What the parser threw: a wish for help or for the version, or wrong usage.
    private func parsing(_ error: any Error) -> Int32 {
        guard CaptureGateCommand.exitCode(for: error) != .success else {
            let text = CaptureGateCommand.fullMessage(for: error)
            do throws(StreamFailure) { try StandardStream.output.line(text) } catch { return report(error) }
            return 0
        }
        let message = CaptureGateCommand.message(for: error).split(separator: "\n").joined(separator: " ")
        return tell(CaptureError(.usage, message, remedies: [Remedy("See '\(help)'.")]))
    }

    /// On standard error for people; on the stream of events, too, for programs.
    private func tell(_ error: CaptureError) -> Int32 {
        tellPeople(error)
        if arguments.contains("--json") {
            let event: [(String, JSONValue)] = isOngoing ? [("event", "error")] : []
            events.note(JSONValue.object(event + [("error", ErrorReport(error: error).json)]).text)
        }
        return error.exitCode
    }

    /// On standard error alone: the recording's own last event has told programs.
    private func tell(_ end: EarlyEnd) -> Int32 {
        tellPeople(end.error)
        StandardStream.error.note("  \(end.remainder)")
        return end.code
    }

    private func tellPeople(_ error: CaptureError) {
        let stream = StandardStream.error
        stream.note(ErrorReport(error: error).lines(Ink(for: stream)).joined(separator: "\n"))
    }

    /// The commands that write a line an event.
    private var isOngoing: Bool {
        ["record", "snapshot", "meter"].contains(arguments.first) || arguments.contains("--watch")
            || arguments.contains("--follow")
    }

    /// Standard output, unless the clip itself goes there.
    private var events: StandardStream {
        ["record", "snapshot"].contains(arguments.first) && arguments.contains("-") ? .error : .output
    }

    private var help: String {
        let names = CaptureGateCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
        return (["capturegate", "help"] + arguments.prefix(1).filter(names.contains)).joined(separator: " ")
    }
}
