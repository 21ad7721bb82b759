import ArgumentParser
import CaptureGate
import GateStore

/// `capturegate log`
struct LogCommand: AsyncParsableCommand, SignalHandlingCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show who decided, asked, captured and was refused, and check that nothing is missing.",
        discussion: """
            Each line carries the hash of the one before. --verify finds a line that was changed, is missing or was cut \
            off at the end, says which, and exits with 78. It also names captures whose end is not there. The last 50000 lines are kept; --keep changes that. Dropping \
            the oldest lines is itself a line, and leaves the chain whole.

              capturegate log --last 20
              capturegate log --follow --json
              capturegate log --verify
              capturegate log --keep 200000
            """)

    @Flag(help: "Check the chain of hashes.")
    var verify = false

    @Flag(help: "Go on and show new lines, until Ctrl-C.")
    var follow = false

    @Option(help: ArgumentHelp("Only the last lines; 10 with --follow where it is not said.", valueName: "count"))
    var last: Int?

    @Option(help: ArgumentHelp("From now on, keep so many lines; the oldest go.", valueName: "count"))
    var keep: Int?

    @OptionGroup var json: JSONOption

    func validate() throws {
        if verify, follow || last != nil {
            throw ValidationError("--verify stands alone, without --follow and --last.")
        }
        if let keep {
            guard !verify, !follow, last == nil else {
                throw ValidationError("--keep stands alone, without --verify, --follow and --last.")
            }
            guard AuditLog.possibleLines.contains(keep) else {
                throw ValidationError("--keep takes a number of lines from 100 to 10000000.")
            }
        }
        if let last, !(0...1_000_000).contains(last) {
            throw ValidationError("--last takes a number of lines from 0 to 1000000.")
        }
    }

    func run() async throws {
        if !follow { SignalDispatcher.current?.useDefaultActions() }
        if let keep { return try LogRetention(log: try UserStore.open().audit, lines: keep).set(json: json.isOn) }
        let log = try UserStore.openLog()
        if verify { return try LogVerification(report: try log.verify()).tell(json: json.isOn) }
        if follow { return try await LogFollower(log: log, json: json.isOn).run(last: last ?? 10) }
        let page = LogReader(log: log)
        let entries = try last.map { count throws(CaptureError) in try page.last(count) } ?? page.all()
        if json.isOn {
            let document: JSONValue = ["entries": .array(entries.map(\.json))]
            try StandardStream.output.line(document.text)
        } else {
            try StandardStream.output.lines(entries.map(\.line))
        }
    }
}
