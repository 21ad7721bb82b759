import CaptureBase

/// How the captures of one permit go.
///
/// *thread-safe*
final class PermitUsage: Sendable {
    enum State {
        case notBegun
        /// One at least goes on, and the gate has ended none.
        case running
        case ended
    }

    private let watches = Locked<[WatchedCapture]>([])

    func add(_ watch: WatchedCapture) {
        watches.withLock { $0.append(watch) }
    }

    var state: State {
        let watches = watches.withLock { $0 }
        if watches.isEmpty { return .notBegun }
        if watches.contains(where: { $0.endReason != nil }) { return .ended }
        return watches.contains { !$0.isFinished } ? .running : .ended
    }
}
