import CaptureGate
import Dispatch
import GateStore

/// Shows new lines of the audit log as they come.
final class LogFollower: Sendable {
    private let log: AuditLog
    private let json: Bool
    /// Reads the store, which may block, and keeps the lines in order.
    private let queue = DispatchQueue(label: "capturegate.log")
    private let next = Locked<Int64>(1)

    init(log: AuditLog, json: Bool) {
        self.log = log
        self.json = json
    }

    /// Returns when a signal comes; throws what keeps it from going on.
    func run(last count: Int) async throws {
        let (ends, end) = AsyncStream.makeStream(of: (any Error)?.self)
        let show: @Sendable () -> Void = { self.queue.async { self.showNew { end.yield($0) } } }
        let signals = SignalSubscription { _ in end.yield(nil) }
        // Listen first, read second, so that nothing falls between.
        let observation = log.observeChanges(show)
        defer { withExtendedLifetime((signals, observation)) {} }
        try begin(last: count)
        show()
        for await error in ends {
            if let error { throw error }
            return
        }
    }

    private func begin(last count: Int) throws(CaptureError) {
        // One line more tells where to go on when none is to be shown.
        let known = try log.last(max(count, 1))
        next.withLock { $0 = (count == 0 ? known.last.map(Self.number) : known.first?.number) ?? 1 }
    }

    private func showNew(_ failed: (any Error) -> Void) {
        do {
            for entry in try LogReader(log: log).since(next.withLock { $0 }) {
                try StandardStream.output.line(json ? entry.json.text : entry.line)
                next.withLock { $0 = Self.number(after: entry) }
            }
        } catch {
            failed(error)
        }
    }

    private static func number(after entry: AuditEntry) -> Int64 { LogReader.number(after: entry) ?? .max }
}

/// Reads the audit log by pieces that are small enough to hold.
struct LogReader {
    let log: AuditLog

    func last(_ count: Int) throws(CaptureError) -> [AuditEntry] {
        count == 0 ? [] : try log.last(count)
    }

    func all() throws(CaptureError) -> [AuditEntry] {
        try since(1)
    }

    /// Everything from a number on.
    func since(_ number: Int64) throws(CaptureError) -> [AuditEntry] {
        var entries: [AuditEntry] = []
        var next: Int64? = number
        // The lines of a piece ascend, or it throws; behind the highest number there is none.
        while let first = next {
            let piece = try log.entries(from: first, limit: 1000)
            guard let last = piece.last else { break }
            entries += piece
            next = Self.number(after: last)
        }
        return entries
    }

    /// `nil` behind the highest number there is.
    static func number(after entry: AuditEntry) -> Int64? { entry.number < .max ? entry.number + 1 : nil }
}

extension AuditEntry {
    /// `#12  2026-01-31 18:00:00  start  camera (video)  test:bars  /usr/bin/memo: …`
    var line: String {
        guard let event else { return "#\(number)  can't be read: \(text.visible)" }
        let level = event.level.map { " (\($0.name.visible))" } ?? ""
        let what = event.capability.map { "\($0.rawValue.visible)\(level)" } ?? "-"
        let devices = event.devices.isEmpty ? "any" : event.devices.map(\.rawValue.visible).joined(separator: ", ")
        let delivered = event.frames.map { "; \($0) frames, \(NumberText.bytes(Int64(clamping: event.bytes ?? 0)))" }
        return [
            "#\(number)", WallTime.text(nanoseconds: event.at.wallNanoseconds), event.kind.rawValue.padded(to: 10),
            what,
            devices, "\(event.subject?.executable.path.visible ?? "-"): \(event.detail.visible)\(delivered ?? "")",
        ].joined(separator: "  ")
    }

    /// The event as it is stored, or as text where it is no event any more.
    var json: JSONValue {
        [
            "number": .integer(number), "event": event == nil ? .string(text) : .rendered(text),
            "previous": .string(previous), "hash": .string(hash),
        ]
    }
}
