import ArgumentParser
import CaptureGate
import Dispatch
import GateStore
import LinuxSystem

/// `capturegate log`: shows, follows, checks and limits the audit log.
struct LogCommand: AsyncParsableCommand, SignalHandlingCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show, follow and check the audit log.",
        discussion: """
            Lists permissions, questions, captures and denials.

              capturegate log --last 20
              capturegate log --follow --json
              capturegate log --verify
              capturegate log --keep 200000
              sudo -u capturegate capturegate log --of alice

            The option --verify finds lines that were changed or removed, also at the end, and exits with 78. It also lists \
            captures without an end.

            The log keeps the last 50,000 lines. Dropping the oldest lines is itself a line, and --verify still succeeds.

            Each line contains the hash of the line before. With --json, "stored" is the text of a line. The hash of a line is \
            the SHA-256 of four lines of text: "capturegate-audit-1", the number of the line, the previous hash, and "stored".
            """
    ).parsedAlone

    @Flag(help: "Check that no line was changed or removed.")
    var verify = false

    @Flag(help: "Show new lines until Ctrl-C.")
    var follow = false

    /// `nil` for all lines without `--follow`, and ten with it, as tail(1) shows.
    @Option(help: ArgumentHelp("Number of lines (default: all, 10 with --follow).", valueName: "count"))
    var last: Int?

    @Option(help: ArgumentHelp("Number of lines to keep from now on (at first 50000).", valueName: "count"))
    var keep: Int?

    @Option(
        name: .customLong("of"),
        help: ArgumentHelp(
            "User whose log of the broker to show.", discussion: "Run the command as the user capturegate.",
            valueName: "user"))
    var user: String?

    @OptionGroup var json: JSONOption

    /// Refuses combinations: `--verify` must see the whole chain, and `--keep` changes it.
    func validate() throws {
        if verify, follow || last != nil {
            throw ValidationError("--verify can't be combined with --follow or --last.")
        }
        if let keep {
            guard !verify, !follow, last == nil, user == nil else {
                throw ValidationError("--keep can't be combined with --verify, --follow, --last or --of.")
            }
            guard AuditLog.possibleLines.contains(keep) else {
                throw ValidationError("--keep needs a number of lines from 100 to 10000000.")
            }
        }
        if let last, !(0...1_000_000).contains(last) {
            throw ValidationError("--last needs a number of lines from 0 to 1000000.")
        }
    }

    /// Runs the one mode that the options choose.
    func run() async throws {
        // Only `--follow` has something to finish when a signal arrives.
        if !follow { SignalDispatcher.current?.useDefaultActions() }
        // The only mode that needs a healthy store; the others read the log even of a broken one.
        if let keep { return try LogRetention(log: try UserStore.open().audit, lines: keep).set(json: json.isOn) }
        let log = try UserStore.openLog(ofBroker: user)
        if user == nil, BrokerLink.machine != nil {
            StandardStream.error.note(
                "Note: The broker's decisions are in its own log: 'sudo -u capturegate capturegate log --of \(Users.effectiveID)'."
            )
        }
        if verify { return try LogVerification(report: try log.verify()).tell(json: json.isOn) }
        if follow { return try await LogFollower(log: log, json: json.isOn).run(last: last ?? 10) }
        let page = LogReader(log: log)
        // Documents hold all entries at once, since a JSON array can't be streamed; `--follow --json` is
        // NDJSON.
        let entries = try last.map { count throws(CaptureError) in try page.last(count) } ?? page.all()
        if json.isOn {
            let document: JSONValue = ["entries": .array(entries.map(\.json))]
            try StandardStream.output.line(document.text)
        } else {
            try StandardStream.output.lines(entries.map(\.line))
        }
    }
}

/// Limit on the lines that the audit log keeps.
struct LogRetention {
    let log: AuditLog
    /// Lines to keep, 100 to 10,000,000.
    let lines: Int

    /// Stores the limit and drops older lines. The change is itself a line of the log, so nobody shortens it
    /// unseen.
    func set(json: Bool) throws {
        let event = AuditEvent(
            .removal, at: SystemGateClock().now, subject: try ProcessSubject.current(),
            detail: "retention set to \(lines) lines by command")
        let dropped = try log.keep(lines, audit: event)
        let document: JSONValue = ["kept_lines": .count(lines), "dropped": .count(dropped)]
        let text = "The log keeps \(NumberText.counted(lines, "line")). Dropped \(dropped)."
        try StandardStream.output.line(json ? document.text : text)
    }
}

/// Result of verifying the audit log's chain of hashes.
struct LogVerification {
    let report: AuditReport

    /// Writes the result.
    ///
    /// - Throws: `.store`, exit code 78, if the chain is broken. With `--json` the document reports it, so only the exit code is
    ///   thrown.
    func tell(json: Bool) throws {
        if json { try StandardStream.output.line(document.text) }
        guard let fault = report.fault else {
            return json ? () : try StandardStream.output.lines([intact] + unfinished)
        }
        if json { throw ExitStatus(code: CaptureError(.store, fault.message).exitCode) }
        throw CaptureError(
            .store, "The audit log is damaged from line \(fault.number): \(fault.message)",
            remedies: [
                Remedy(
                    "Trust only the lines before it, and compare with a backup.", command: "capturegate log --last 50")
            ])
    }

    /// Sentence about an intact log, with its range: a log that begins at #4000 was shortened by retention.
    private var intact: String {
        let count = NumberText.counted(report.lines, "line")
        let range = report.first.map { ", #\($0) to #\(report.last ?? $0)" } ?? ""
        return "The audit log is intact: \(count)\(range)."
    }

    /// Sentence about captures without an end. A killed process writes
    /// none, so this is reported but is not a fault of the log.
    private var unfinished: [String] {
        let lines = report.unfinished
        guard !lines.isEmpty else { return [] }
        // The most recent ones; a machine that loses power daily would fill the screen.
        let shown =
            lines.suffix(10).map { "#\($0)" }.joined(separator: ", ") + (lines.count > 10 ? " and earlier ones" : "")
        return [
            "\(NumberText.counted(lines.count, "capture")) ended without a line in the log: \(shown). The program was killed "
                + "or could not write the line."
        ]
    }

    /// Result for programs.
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

/// Follower of the audit log: shows new lines as they are written, also by other processes.
final class LogFollower: Sendable {
    private let log: AuditLog
    private let json: Bool
    /// Serial queue, off the task's thread: reading the store may block, and lines must stay in order.
    private let queue = DispatchQueue(label: "capturegate.log")
    /// Number of the next line to show.
    private let next = Locked<Int64>(1)

    init(log: AuditLog, json: Bool) {
        self.log = log
        self.json = json
    }

    /// Shows lines until a signal arrives.
    ///
    /// - Parameter count: number of earlier lines to begin with, 0 upwards.
    /// - Throws: an error of reading the log or writing the output.
    func run(last count: Int) async throws {
        let (ends, end) = AsyncStream.makeStream(of: (any Error)?.self)
        let show: @Sendable () -> Void = { self.queue.async { self.showNew { end.yield($0) } } }
        let signals = SignalSubscription { _ in end.yield(nil) }
        // Observed before the first read, so that no line is missed.
        let observation = log.observeChanges(show)
        defer { withExtendedLifetime((signals, observation)) {} }
        try begin(last: count)
        show()
        for await error in ends {
            if let error { throw error }
            return
        }
    }

    /// Sets the number to begin at.
    private func begin(last count: Int) throws(CaptureError) {
        // Reads one line even for a count of 0, since its number shows where to continue.
        let known = try log.last(max(count, 1))
        next.withLock { $0 = (count == 0 ? known.last.map(Self.number) : known.first?.number) ?? 1 }
    }

    /// Shows lines that were not shown yet; on the queue.
    private func showNew(_ failed: (any Error) -> Void) {
        do {
            for entry in try LogReader(log: log).since(next.withLock { $0 }) {
                try StandardStream.output.line(json ? entry.json.text : entry.line)
                // Advanced after the write: a line counts as shown only once it is.
                next.withLock { $0 = Self.number(after: entry) }
            }
        } catch {
            failed(error)
        }
    }

    /// Number after an entry. The highest number has no successor; it stays, and reading ends there.
    private static func number(after entry: AuditEntry) -> Int64 { LogReader.number(after: entry) ?? .max }
}

/// Reader of the audit log in pieces of 1,000 lines.
struct LogReader {
    let log: AuditLog

    /// Last lines in their order; none for 0.
    func last(_ count: Int) throws(CaptureError) -> [AuditEntry] {
        count == 0 ? [] : try log.last(count)
    }

    func all() throws(CaptureError) -> [AuditEntry] {
        try since(1)
    }

    /// Lines from a number on.
    func since(_ number: Int64) throws(CaptureError) -> [AuditEntry] {
        var entries: [AuditEntry] = []
        var next: Int64? = number
        // Numbers ascend within a piece, or reading it throws, so the loop advances. It ends at the highest number.
        while let first = next {
            let piece = try log.entries(from: first, limit: 1000)
            guard let last = piece.last else { break }
            entries += piece
            next = Self.number(after: last)
        }
        return entries
    }

    /// Number after an entry; `nil` after the highest possible one, which only a forged line has.
    static func number(after entry: AuditEntry) -> Int64? { entry.number < .max ? entry.number + 1 : nil }
}

extension AuditEntry {
    /// Line for people: `#12  2026-01-31 18:00:00  start  camera (video)  test:bars  /usr/bin/memo: …`
    var line: String {
        // A line that is damaged, or from a newer version, is shown as it is: a log must not hide its own
        // faults.
        guard let event else { return "#\(number)  can't be read: \(text.visible)" }
        let level = event.level.map { " (\($0.name.visible))" } ?? ""
        let what = event.capability.map { "\($0.rawValue.visible)\(level)" } ?? "-"
        let devices = event.devices.isEmpty ? "any" : event.devices.map(\.rawValue.visible).joined(separator: ", ")
        let delivered = event.frames.map { "; \($0) frames, \(NumberText.bytes(Int64(clamping: event.bytes ?? 0)))" }
        // Without its full stop, since the counts continue the sentence.
        let sentence = event.detail.visible
        let detail = delivered != nil && sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
        return [
            "#\(number)", CivilTime.localText(nanoseconds: event.at.wallNanoseconds),
            event.kind.rawValue.padded(to: 10),
            what,
            devices, "\(event.subject?.executable.path.visible ?? "-"): \(detail)\(delivered ?? "")",
        ].joined(separator: "  ")
    }

    /// Line for programs: the event with the keys that all commands use, or the stored text if it is not a valid event. Also the
    /// text as stored, which is the input of the hash, and both hashes of the chain.
    var json: JSONValue {
        [
            "number": .integer(number),
            "event": event == nil ? .string(text) : .rendered(JSONString.withSnakeCasedKeys(document: text)),
            "stored": .string(text), "previous": .string(previous), "hash": .string(hash),
        ]
    }
}
