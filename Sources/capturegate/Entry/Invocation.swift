import ArgumentParser
import CaptureGate

/// One run of the program, from its arguments to its exit status.
struct Invocation: Sendable {
    private let arguments: [String]

    private let isText: Bool

    /// - Parameter isText: whether the arguments were UTF-8.
    init(_ arguments: [String], isText: Bool = true) {
        self.arguments = BareOption.completed(Self.joiningNegatives(arguments))
        self.isText = isText
    }

    /// `--for -5s` as `--for=-5s`: what is wrong is the value then, and it is told so, with what to write.
    private static func joiningNegatives(_ arguments: [String]) -> [String] {
        var joined: [String] = []
        for (index, argument) in arguments.enumerated() {
            let isNegative = argument.hasPrefix("-") && argument.dropFirst().first?.isNumber == true
            if isNegative, let option = joined.last, option.hasPrefix("--"), option.count > 2, !option.contains("="),
                !arguments[..<index].contains("--"), arguments.first?.hasPrefix("---") != true
            {
                joined[joined.count - 1] = "\(option)=\(argument)"
            } else {
                joined.append(argument)
            }
        }
        return joined
    }

    func run() async -> Int32 {
        guard isText else { return tell(Self.notText(arguments)) }
        if let topic = CommandNames.unknownTopic(arguments) {
            return tell(unknownCommand(topic.name, among: topic.among))
        }
        do {
            let command = try parsed()
            if !(command is any SignalHandlingCommand) { SignalDispatcher.current?.useDefaultActions() }
            return reportUnloggedEnds(after: try await Self.execute(command))
        } catch {
            return reportUnloggedEnds(after: report(error))
        }
    }

    /// What was captured is whole; but its end is not in the audit log, and whoever relies on that must know.
    private func reportUnloggedEnds(after status: Int32) -> Int32 {
        let errors = Gatekeeper.sharedIfUsed?.unloggedEnds ?? []
        return errors.reduce(status) { status, error in
            let code = tell(error)
            return status == 0 ? code : status
        }
    }

    /// By the named command alone where it parses: from the root on, the library gathers all its options twice more, which is
    /// a tenth of a start. What does not parse so is parsed from the root, which knows the help and the words of an error.
    private func parsed() throws -> any ParsableCommand {
        if let named = CommandNames.leaf(arguments.first),
            let command = try? named.parseAsRoot(Array(arguments.dropFirst())), type(of: command) == named
        {
            return command
        }
        return try CaptureGateCommand.parseAsRoot(arguments)
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

    private static func notText(_ arguments: [String]) -> CaptureError {
        let argument = arguments.first { $0.unicodeScalars.contains("\u{FFFD}") } ?? "An argument"
        return CaptureError(
            .usage, "\(argument) is not UTF-8, and other names are not supported.",
            remedies: [Remedy("Rename the file, or its folder, or name it from within that folder.")])
    }

    private func report(_ error: any Error) -> Int32 {
        switch error {
        case let status as ExitStatus: status.code
        case let end as IncompleteRecording: tell(end)
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
        if let name = arguments.first, !name.hasPrefix("-"), name != "help", !CommandNames.all.contains(name) {
            return tell(unknownCommand(name, among: CommandNames.all))
        }
        // Of several lines, some of them indented, one sentence.
        let message = CaptureGateCommand.message(for: unknownOption ?? error).split { $0 == "\n" || $0 == " " }
            .joined(separator: " ")
        return tell(CaptureError(.usage, message, remedies: [Remedy("See '\(help)'.")]))
    }

    /// An option that nobody knows: where an argument is missing, too, the parser tells of that alone.
    private var unknownOption: (any Error)? {
        do {
            _ = try CaptureGateCommand.parseAsRoot(arguments + ["x"])
        } catch  where CaptureGateCommand.message(for: error).hasPrefix("Unknown option") {
            return error
        } catch {}
        return nil
    }

    private func unknownCommand(_ name: String, among names: [String]) -> CaptureError {
        let guess = CommandNames.nearest(to: name, among: names).map { " Did you mean '\($0)'?" } ?? ""
        return CaptureError(
            .usage, "There is no command '\(name)'.\(guess)", remedies: [Remedy("See 'capturegate help'.")])
    }

    /// On standard error for people; on the stream of events, too, for programs.
    func tell(_ error: CaptureError) -> Int32 {
        writeToStandardError(error)
        if arguments.contains("--json") {
            let event: [(String, JSONValue)] = isOngoing ? [("event", "error")] : []
            events.note(JSONValue.object(event + [("error", ErrorReport(error: error).json)]).text)
        }
        return error.exitCode
    }

    /// On standard error alone: the recording's own last event has told programs.
    private func tell(_ end: IncompleteRecording) -> Int32 {
        writeToStandardError(end.error)
        StandardStream.error.note("  \(end.remainder)")
        return end.code
    }

    private func writeToStandardError(_ error: CaptureError) {
        let stream = StandardStream.error
        // Whoever does not read it does not keep the program from ending.
        guard stream.isWritable(within: .seconds(2)) else { return }
        stream.note(ErrorReport(error: error).lines(TextStyle(for: stream)).joined(separator: "\n"))
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
        (["capturegate", "help"] + arguments.prefix(1).filter(CommandNames.all.contains)).joined(separator: " ")
    }
}

/// An option that may stand without its value.
///
/// The parser's own way for it (`defaultAsFlag`, in 1.8) drops a value that was written where another option comes next. So
/// the option wants its value, and gets it here.
struct BareOption {
    let name: String
    let value: String

    static let all = [BareOption(name: "--reattach", value: "1h")]

    /// The arguments, with the values that were left out.
    static func completed(_ arguments: [String]) -> [String] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        return arguments.indices.map { index in
            let argument = arguments[index]
            guard index < end, let option = all.first(where: { $0.name == argument }) else { return argument }
            let hasValue = index + 1 < end && DurationArgument(argument: arguments[index + 1]) != nil
            return hasValue ? argument : "\(option.name)=\(option.value)"
        }
    }
}

/// Ends the program with a status where everything is said already.
struct ExitStatus: Error {
    let code: Int32
}
