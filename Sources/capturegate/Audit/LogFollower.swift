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
