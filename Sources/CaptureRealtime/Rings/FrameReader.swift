import CMedia
import CaptureBase

/// The reading end of a ring. One reader a ring: it cannot be copied.
///
/// *session-bound*
public protocol FrameReader: ~Copyable, Sendable {
    /// Lends the oldest unread unit for the duration of `body`; nothing is copied. Never waits.
    ///
    /// - Returns: What `body` returned, or `nil` when there is nothing to read now.
    mutating func withNext<Result, Failure: Error>(
        _ body: (FrameHeader, RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result?

    /// A descriptor to poll: readable when ``wakeAfter`` units are there and at the end, until ``withNext(_:)`` or
    /// ``wait(milliseconds:)`` finds nothing. Never read it. The corresponding C function is `eventfd`.
    var readySignal: Int32 { get }

    /// At how many unread units ``readySignal`` calls, 1 upwards; at half of what the ring holds in any case. Each
    /// wake-up costs system calls and changes of threads, whatever it finds. It counts from the next time that nothing
    /// is found.
    var wakeAfter: Int { get set }

    /// Set once the loop has returned and its device is closed, or was given up in a call that never returns. Units may
    /// still be there to read.
    var ended: LoopResult? { get }

    /// How many units can be read now.
    var unread: Int { get }

    /// Takes back the signal.
    func clearSignal()
}

/// What ``FrameReader/wait(milliseconds:)`` waited for.
///
/// *thread-safe*
public enum ReaderWakeup: Sendable, Hashable {
    case ready
    /// The loop returned, and all that it had committed was read.
    case ended(LoopResult)
    case timedOut
}

extension FrameReader where Self: ~Copyable {
    /// Blocks until there is something to read, the capture ended, or the time is over.
    ///
    /// - Parameter milliseconds: -1 waits for ever.
    public mutating func wait(milliseconds: Int32) -> ReaderWakeup {
        let deadline = milliseconds < 0 ? Int64.max : cm_monotonic() + Int64(milliseconds) * 1_000_000
        while true {
            if let wakeup = look() { return wakeup }
            let left = deadline - cm_monotonic()
            // Whole milliseconds, at least one, and not so many that they leave 32 bits.
            if left > 0 { sleep(milliseconds: Int32(min(left / 1_000_000 + 1, 1_000_000))) }
            // Cleared before looking: a commit after the clearing raises it again, one before it is seen. And looked at in any
            // case: the signal may have come late, for what was read already.
            clearSignal()
            if left <= 0 { return look() ?? .timedOut }
        }
    }

    private mutating func look() -> ReaderWakeup? {
        let wakeup = state
        // Finding nothing after the end lets go of the device's memory.
        if case .ended = wakeup { _ = withNext { _, _ in } }
        return wakeup
    }

    /// The end first: what was committed before it is then seen for certain.
    private var state: ReaderWakeup? {
        let end = ended
        if unread > 0 { return .ready }
        return end.map { .ended($0) }
    }

    private func sleep(milliseconds: Int32) {
        var descriptor = pollfd(fd: readySignal, events: Int16(POLLIN), revents: 0)
        _ = unsafe cm_poll(&descriptor, 1, milliseconds)
    }
}
