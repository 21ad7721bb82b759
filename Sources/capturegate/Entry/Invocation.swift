import ArgumentParser
import CaptureGate
import Dispatch

/// One run of the program, from its arguments to its exit status.
///
/// Every error of every command passes through here, which makes exit codes, the JSON form of an error and
/// the stream that it goes to the same everywhere.
struct Invocation: Sendable {
    /// Arguments without the program's name, with omitted values filled in and negative values attached.
    private let arguments: [String]

    /// True if all arguments are valid UTF-8; see `notText(_:)`.
    private let isText: Bool

    /// True for help with all options: the parser knows --help alone.
    private let wantsAllOptions: Bool

    /// Prepares arguments for the parser.
    ///
    /// - Parameters:
    ///   - arguments: without the program's name.
    ///   - isText: true if all of them were valid UTF-8.
    init(_ arguments: [String], isText: Bool = true) {
        let options = arguments.prefix { $0 != "--" }
        wantsAllOptions = options.contains("--help-all")
        let known = options.map { $0 == "--help-all" ? "--help" : $0 } + arguments[options.count...]
        self.arguments = BareOption.completed(Self.joiningNegatives(known))
        self.isText = isText
    }

    /// Arguments with a negative number attached to the option before it: `--for -5s` as `--for=-5s`.
    ///
    /// Otherwise the parser takes `-5s` for a group of unknown short options, and its message says nothing
    /// about the value. Attached, the value itself is refused, with a hint about what to write.
    private static func joiningNegatives(_ arguments: [String]) -> [String] {
        var joined: [String] = []
        for (index, argument) in arguments.enumerated() {
            // A digit must follow the dash: `-` alone is standard output, and `-q` an option.
            let isNegative = argument.hasPrefix("-") && argument.dropFirst().first?.isNumber == true
            // Not after `--`, where all are operands; not if the option has a value already; and not in
            // the parser's own completion requests, which begin with `---`.
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

    /// Runs the command that the arguments name.
    ///
    /// - Returns: the exit status; every error has been reported by then.
    func run() async -> Int32 {
        guard isText else { return tell(Self.notText(arguments)) }
        if let topic = CommandNames.unknownTopic(arguments) {
            return tell(unknownCommand(topic.name, among: topic.among))
        }
        do {
            let command = try parsed()
            if !(command is any SignalHandlingCommand) { SignalDispatcher.current?.useDefaultActions() }
            let status = try await OptionOrder.$words.withValue(arguments) { try await Self.execute(command) }
            return reportUnloggedEnds(after: status)
        } catch {
            let status = OptionOrder.$words.withValue(arguments) { report(error) }
            return reportUnloggedEnds(after: status)
        }
    }

    /// Reports captures whose end the audit log did not take.
    ///
    /// The captured file is complete; but audits rely on the log, so a missing end
    /// turns success into a failure. An error that was there before keeps its exit code: the first cause is
    /// the more useful one.
    private func reportUnloggedEnds(after status: Int32) -> Int32 {
        // Only a gate that was used: asking for `shared` would open the store for commands that need none.
        let errors = Gatekeeper.sharedIfUsed?.unloggedEnds ?? []
        return errors.reduce(status) { status, error in
            let code = tell(error)
            return status == 0 ? code : status
        }
    }

    /// Parses the arguments, by the named command alone if that succeeds.
    ///
    /// ArgumentParser, begun at the root, gathers the options of all commands twice more, which takes a tenth
    /// of the time of a start. Arguments that do not parse this way are parsed again from the root, which
    /// knows the help and words the error.
    private func parsed() throws -> any ParsableCommand {
        if let named = CommandNames.leaf(arguments.first),
            // Another type, such as the parser's own help command, is the root's to run, too.
            let command = try? named.parseAsRoot(Array(arguments.dropFirst())), type(of: command) == named
        {
            return command
        }
        return try CaptureGateCommand.parseAsRoot(arguments)
    }

    /// Runs a parsed command; the protocol decides between `run()` and `async run()`.
    private static func execute(_ command: any ParsableCommand) async throws -> Int32 {
        if var command = command as? any AsyncParsableCommand {
            try await command.run()
        } else {
            try await runBlocking(command)
        }
        return 0
    }

    /// Runs a command that may wait for a person, on a separate thread. On one processor, tasks have a single thread, and the
    /// question needs it.
    private static func runBlocking(_ command: any ParsableCommand) async throws {
        // No other task has the value.
        nonisolated(unsafe) let command = command
        let result = await withCheckedContinuation { continuation in
            DispatchQueue(label: "capturegate.command").async {
                var command = command
                continuation.resume(returning: Result { try command.run() })
            }
        }
        try result.get()
    }

    // MARK: Errors

    /// Error for arguments that are not UTF-8.
    ///
    /// POSIX allows any bytes in a file name, but a Swift string replaces invalid ones: the clip would get
    /// another name than was asked for. So they are refused, not approximated.
    private static func notText(_ arguments: [String]) -> CaptureError {
        // Invalid bytes were replaced by U+FFFD, which finds the culprit again.
        let argument = arguments.first { $0.unicodeScalars.contains("\u{FFFD}") } ?? "An argument"
        return CaptureError(
            .usage, "\(argument) is not UTF-8. Other encodings are not supported.",
            remedies: [Remedy("Rename the file or its directory, or run the command in that directory.")])
    }

    /// Reports an error in its own form.
    ///
    /// - Returns: its exit status.
    private func report(_ error: any Error) -> Int32 {
        switch error {
        case let status as ExitStatus: status.code
        case let end as IncompleteRecording: tell(end)
        case let failure as StreamFailure: failure.error.map { tell($0) } ?? 0
        case let error as CaptureError: tell(error)
        default: parsing(error)
        }
    }

    /// Reports what the parser threw: a request for help or the version, or wrong usage.
    ///
    /// Help goes to standard output with status 0, as the GNU coding standards ask for, so that it can be
    /// piped into a pager; wrong usage is an error with status 64 (`EX_USAGE`).
    private func parsing(_ error: any Error) -> Int32 {
        guard CaptureGateCommand.exitCode(for: error) != .success else {
            do throws(StreamFailure) { try StandardStream.output.line(answer(to: error)) } catch {
                return report(error)
            }
            return 0
        }
        // The parser would name the first surplus argument, not the misspelled command.
        if let name = arguments.first, !name.hasPrefix("-"), name != "help",
            let command = CommandNames.unknownTopic(["help"] + arguments), !command.among.isEmpty
        {
            return tell(unknownCommand(command.name, among: command.among))
        }
        // The parser's message has several lines, some of them indented; as one sentence it fits JSON and the
        // other errors.
        let message = CaptureGateCommand.message(for: unknownOption ?? error).split { $0 == "\n" || $0 == " " }
            .joined(separator: " ")
        return tell(CaptureError(.usage, message, remedies: [Remedy("See '\(help)'.")]))
    }

    /// Text that was requested: help, the version, a completion script, or JSON about all commands.
    ///
    /// The parser gets no width, since it would also break examples. Help is written twice to see whether the short one omits
    /// options.
    private func answer(to request: any Error) -> String {
        let text = CaptureGateCommand.fullMessage(for: request, columns: .max)
        guard text.hasPrefix(HelpScreen.beginning) else { return CompletionScript.completed(text) }
        let shown =
            wantsAllOptions
            ? text
            : HelpScreen.$isShort.withValue(true) { CaptureGateCommand.fullMessage(for: request, columns: .max) }
        let path = CommandNames.path(Array(arguments.drop { $0 == "help" }))
        let columns = ProcessEnvironment.current["COLUMNS"].flatMap { Int($0) } ?? StandardStream.output.columns
        return HelpScreen(shown, of: path, hasMore: shown != text).lines(max(columns, 40)).joined(separator: "\n")
    }

    /// Error about an unknown option beside a missing argument; `nil` without one.
    ///
    /// The parser reports the missing argument alone, though the misspelled option is often its cause. One
    /// more argument, never run, makes it report the option instead.
    private var unknownOption: (any Error)? {
        do {
            _ = try CaptureGateCommand.parseAsRoot(arguments + ["x"])
        } catch  where CaptureGateCommand.message(for: error).hasPrefix("Unknown option") {
            return error
        } catch {}
        return nil
    }

    /// Error about an unknown command, with the name that was probably meant.
    private func unknownCommand(_ name: String, among names: [String]) -> CaptureError {
        let guess = CommandNames.nearest(to: name, among: names).map { " Did you mean '\($0)'?" } ?? ""
        return CaptureError(
            .usage, "There is no command '\(name)'.\(guess)", remedies: [Remedy("See 'capturegate help'.")])
    }

    /// Reports an error on standard error for people and, with `--json`, on the stream of events for
    /// programs.
    ///
    /// - Returns: its exit status.
    func tell(_ error: CaptureError) -> Int32 {
        writeToStandardError(error)
        // Read from the raw arguments: the error may be that they do not parse.
        if arguments.contains("--json") {
            // A reader of NDJSON tells its objects apart by "event"; a single document has no such member.
            let event: [(String, JSONValue)] = isOngoing ? [("event", "error")] : []
            events.note(JSONValue.object(event + [("error", ErrorReport(error: error).json)]).text)
        }
        return error.exitCode
    }

    /// Reports on standard error alone: programs have the recording's own `end` event.
    private func tell(_ end: IncompleteRecording) -> Int32 {
        writeToStandardError(end.error)
        StandardStream.error.note("  \(end.remainder)")
        return end.code
    }

    /// Writes an error with its remedies to standard error.
    private func writeToStandardError(_ error: CaptureError) {
        let stream = StandardStream.error
        // A reader that has stopped reading must not keep the program from ending.
        guard stream.isWritable(within: .seconds(2)) else { return }
        let report = ErrorReport(error: error, offers: Device.offers(insteadOf: error))
        stream.note(report.lines(TextStyle(for: stream)).joined(separator: "\n"))
    }

    /// True for commands that write one JSON object per event instead of a single document.
    private var isOngoing: Bool {
        ["record", "snapshot", "meter"].contains(arguments.first) || arguments.contains("--watch")
            || arguments.contains("--follow")
    }

    /// Stream of the JSON objects: standard output, unless the clip itself goes there.
    private var events: StandardStream {
        ["record", "snapshot"].contains(arguments.first) && arguments.contains("-") ? .error : .output
    }

    /// Command line whose output explains the usage, with the command's name if it is a known one.
    private var help: String { (["capturegate", "help"] + CommandNames.path(arguments)).joined(separator: " ") }
}

/// Option whose value can be omitted, as in `--reattach` for `--reattach 1h`.
///
/// ArgumentParser's own form (`defaultAsFlag`, since 1.8) drops a value that was given where another option
/// follows. So the option is declared to require its value, and the value is supplied here, before parsing.
struct BareOption {
    /// Long name with its two dashes.
    let name: String
    /// Value of the bare option.
    let value: String

    /// Every option of this kind; a new one is added here and needs nothing else.
    static let all = [BareOption(name: "--reattach", value: "1h")]

    /// Arguments with the omitted values filled in.
    ///
    /// Words after `--` stay: from there on POSIX utility conventions (guideline 10) allow operands
    /// only, and a file may be called `--reattach`.
    static func completed(_ arguments: [String]) -> [String] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        return arguments.indices.map { index in
            let argument = arguments[index]
            guard index < end, let option = all.first(where: { $0.name == argument }) else { return argument }
            // The next argument is the value only if it reads as a duration: in `--reattach clip.mkv` it is
            // the file.
            let hasValue = index + 1 < end && DurationArgument(argument: arguments[index + 1]) != nil
            return hasValue ? argument : "\(option.name)=\(option.value)"
        }
    }
}

/// Request to end the program with a status after everything has been reported.
///
/// Thrown rather than passed to `exit`, so that scopes unwind: signal subscriptions end, and sessions close.
struct ExitStatus: Error {
    /// Exit code, by `sysexits.h`.
    let code: Int32
}
