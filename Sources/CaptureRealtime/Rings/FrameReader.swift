import CaptureBase

/// Reading end of a ring. Each ring has one reader, which can't be copied.
///
/// *session-bound*
public protocol FrameReader: ~Copyable, Sendable {
    /// Lends the oldest unread entry for the duration of `body`; nothing is copied. Never waits.
    ///
    /// - Returns: The result of `body`, or `nil` if there is nothing to read now.
    mutating func withNext<Result, Failure: Error>(
        _ body: (FrameHeader, RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result?

    /// Descriptor to poll: readable when ``wakeAfter`` entries are available and at the end, until ``withNext(_:)`` or
    /// ``wait(milliseconds:)`` finds nothing. Never read it. The corresponding C function is `eventfd`.
    var readySignal: Int32 { get }

    /// Number of unread entries that raises ``readySignal``, 1 or more; half of the ring raises it in any case. Each wake-up costs
    /// system calls and context switches, even if it finds little. A new value takes effect the next time that no entry is found.
    var wakeAfter: Int { get set }

    /// Outcome of the loop, once it has returned and its device is closed, or once it was abandoned in a call that never returns.
    /// There may still be entries to read.
    var ended: LoopResult? { get }

    /// Number of entries that can be read now.
    var unread: Int { get }

    /// Clears the signal and arms it again. Check for entries once more afterwards.
    func clearSignal()
}

/// Result of ``FrameReader/wait(milliseconds:)``.
///
/// *thread-safe*
public enum ReaderWakeup: Sendable, Hashable {
    /// An entry can be read.
    case ready
    /// The loop returned, and all committed entries were read.
    case ended(LoopResult)
    case timedOut
}

extension FrameReader where Self: ~Copyable {
    /// Blocks until there is something to read, the capture ended, or the time is over.
    ///
    /// - Parameter milliseconds: Longest wait; -1 waits without a limit.
    public mutating func wait(milliseconds: Int32) -> ReaderWakeup {
        let deadline = milliseconds < 0 ? Int64.max : MonotonicClock.now + Int64(milliseconds) * 1_000_000
        while true {
            if let wakeup = look() { return wakeup }
            let left = deadline - MonotonicClock.now
            // Whole milliseconds, at least one, and few enough for 32 bits.
            let wait = Int32(clamping: min(left / 1_000_000 + 1, 1_000_000))
            if left > 0 { EventSignal.wait(for: readySignal, milliseconds: wait) }
            // Cleared before the check: a later commit raises the signal again, and an earlier one is found. The check is always
            // made, since the signal may be late, for entries already read.
            clearSignal()
            if left <= 0 { return look() ?? .timedOut }
        }
    }

    private mutating func look() -> ReaderWakeup? {
        let wakeup = state
        // Finding nothing after the end releases the device's memory.
        if case .ended = wakeup { _ = withNext { _, _ in } }
        return wakeup
    }

    /// The end is read first: everything that was committed before it is then visible.
    private var state: ReaderWakeup? {
        let end = ended
        if unread > 0 { return .ready }
        return end.map { .ended($0) }
    }
}
