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

/// Says how much of the audit log is kept.
struct LogRetention {
    let log: AuditLog
    let lines: Int

    func set(json: Bool) throws {
        let event = AuditEvent(
            .removal, at: SystemGateClock().now, subject: try ProcessSubject.current(),
            detail: "the log keeps \(lines) lines from now on, by command")
        let dropped = try log.keep(lines, audit: event)
        let document: JSONValue = ["kept_lines": .count(lines), "dropped": .count(dropped)]
        let text = "The log keeps \(NumberText.counted(lines, "line")); \(dropped) were dropped."
        try StandardStream.output.line(json ? document.text : text)
    }
}

/// Tells what the verification of the audit log found.
struct LogVerification {
    let report: AuditReport

    /// - Throws: `.store`, exit code 78, where it is not intact.
    func tell(json: Bool) throws {
        if json { try StandardStream.output.line(document.text) }
        guard let fault = report.fault else {
            return json ? () : try StandardStream.output.lines([intact] + unfinished)
        }
        if json { throw ExitStatus(code: CaptureError(.store, fault.message).exitCode) }
        throw CaptureError(
            .store, "The audit log is not intact from line \(fault.number) on: \(fault.message)",
            remedies: [
                Remedy("Lines before it can be trusted; compare with a backup.", command: "capturegate log --last 50")
            ])
    }

    private var intact: String {
        let count = NumberText.counted(report.lines, "line")
        let range = report.first.map { ", #\($0) to #\(report.last ?? $0)" } ?? ""
        return "The audit log is intact: \(count)\(range)."
    }

    /// Whoever is killed writes no end: that is told, and no fault.
    private var unfinished: [String] {
        let lines = report.unfinished
        guard !lines.isEmpty else { return [] }
        let shown =
            lines.suffix(10).map { "#\($0)" }.joined(separator: ", ") + (lines.count > 10 ? " and earlier ones" : "")
        return [
            "\(NumberText.counted(lines.count, "capture")) ended without a line that says so: \(shown). The program was killed, "
                + "or could not write it."
        ]
    }

    private var document: JSONValue {
        let fault = report.fault.map { fault -> JSONValue in
            [
                "kind": .string(fault.kind.rawValue), "number": .integer(fault.number),
                "message": .string(fault.message),
            ]
        }
        return [
            "intact": .bool(report.isIntact), "lines": .count(report.lines),
            "first": report.first.map { .integer($0) } ?? .null, "last": report.last.map { .integer($0) } ?? .null,
            "fault": fault ?? .null, "unfinished": .array(report.unfinished.map { .integer($0) }),
        ]
    }
}
