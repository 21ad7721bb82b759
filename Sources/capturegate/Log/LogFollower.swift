import CaptureGate
import Dispatch
import GateStore
import LinuxSystem

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
    /// - Throws: what keeps it from going on.
    func run(last count: Int) async throws {
        let (ends, end) = AsyncStream.makeStream(of: (any Error)?.self)
        let show: @Sendable () -> Void = { self.queue.async { self.showNew { end.yield($0) } } }
        let signals = SignalSubscription { _ in end.yield(nil) }
        // Observed before the first read, so that no line falls between.
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
        // One line more than none tells where to go on.
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

    /// Number behind an entry; the highest one is followed by none, so its own limit stops the reading.
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
        // Lines of a piece ascend, or reading it throws, so the loop advances; behind the highest number
        // there is none.
        while let first = next {
            let piece = try log.entries(from: first, limit: 1000)
            guard let last = piece.last else { break }
            entries += piece
            next = Self.number(after: last)
        }
        return entries
    }

    /// Number behind an entry; `nil` behind the highest possible one, which only a forged line has.
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
        return [
            "#\(number)", CivilTime.localText(nanoseconds: event.at.wallNanoseconds),
            event.kind.rawValue.padded(to: 10),
            what,
            devices, "\(event.subject?.executable.path.visible ?? "-"): \(event.detail.visible)\(delivered ?? "")",
        ].joined(separator: "  ")
    }

    /// Line for programs: the event as it is stored, or its text where it is no event any more, with both
    /// hashes of the chain.
    var json: JSONValue {
        [
            "number": .integer(number), "event": event == nil ? .string(text) : .rendered(text),
            "previous": .string(previous), "hash": .string(hash),
        ]
    }
}
