import CaptureGate
import LinuxSystem

/// Something that a check does while a capture runs, such as closing a shutter.
///
/// It begins once, at a frame, and runs beside the reading. A virtual device's time stands still meanwhile.
///
/// *thread-safe*
package final class StreamAction: Sendable {
    private struct State: Sendable {
        var first: Int64?
        var last: Int64 = 0
        var task: Task<Void, Never>?
        var ended: Int64?
        var failure: CaptureError?
    }

    private let delay: Int64
    private let body: @Sendable () async -> CaptureError?
    private let state = Locked(State())

    /// - Parameters:
    ///   - delay: time from the first frame, by the device's clock.
    ///   - body: returns the reason why it could not be done.
    package init(after delay: Duration, _ body: @escaping @Sendable () async -> CaptureError?) {
        self.delay = delay.nanoseconds
        self.body = body
    }

    /// Timestamp of the last frame before the end, CLOCK_MONOTONIC in ns; `nil` before it.
    package var ended: Int64? { state.withLock { $0.ended } }

    /// Reason why it could not be done.
    package var failure: CaptureError? { state.withLock { $0.failure } }

    /// Takes note of a frame that was read, and begins when it is time.
    func note(_ timestamp: Int64) {
        state.withLock { state in
            let first = state.first ?? timestamp
            (state.first, state.last) = (first, timestamp)
            guard state.task == nil, timestamp - first >= delay else { return }
            state.task = Task { await self.perform() }
        }
    }

    /// Waits for the end, if it has begun.
    func finish() async { await state.withLock { $0.task }?.value }

    private func perform() async {
        let failure = await body()
        state.withLock { state in (state.ended, state.failure) = (state.last, failure) }
    }
}
