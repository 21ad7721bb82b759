import CaptureEncoding
import CaptureGate
import LinuxSystem

/// Monitor that ends the capture while the recorder's thread can't: its writer waits for the reader of a pipe.
///
/// It then releases all devices: none stays open for a clip that another device has ended, or that is not read.
///
/// *thread-safe*
final class StopMonitor: Sendable {
    /// Cause of the end.
    enum Cause: Sendable {
        case control(EndReason)
        case device(SessionEnd)
        /// The reader of the output: the clip should have been over some seconds ago.
        case reader
    }

    private let control: RecordingControl
    /// Time for which a device that may return is waited for, nanoseconds; `nil` if none is.
    private let patience: Int64?
    /// True if devices continue to run after the clip.
    private let keepsDevices: Bool
    private let state = Locked(State())

    private struct State {
        var sessions: [SessionHandle] = []
        /// Moment from which each is away, CLOCK_MONOTONIC nanoseconds.
        var away: [Int64?] = []
        /// Moment at which the clip has its full length, CLOCK_MONOTONIC nanoseconds.
        var last = Int64.max
        var cause: Cause?
    }

    /// Time after the clip's end for a reader that pauses, nanoseconds.
    private static let slack: Int64 = 5_000_000_000

    init(_ control: RecordingControl, reattach patience: Duration?, keepsDevices: Bool = false) {
        self.control = control
        self.keepsDevices = keepsDevices
        self.patience = patience?.nanoseconds
    }

    /// Watches the sessions that are recorded now, in place of earlier ones.
    func watch(_ sessions: [SessionHandle]) {
        state.withLock { state in
            state.sessions = sessions
            state.away = Array(repeating: nil, count: sessions.count)
        }
    }

    /// Expects the clip's end.
    /// - Parameter end: CLOCK_MONOTONIC nanoseconds; `nil` if it is open.
    func expect(_ end: Int64?) { state.withLock { $0.last = end ?? .max } }

    /// Cause of an end that `look()` found; `nil` while it has found none.
    var cause: Cause? { state.withLock { $0.cause } }

    /// Ends the capture of all devices if the recording is over.
    /// - Returns: true if it is.
    func look() -> Bool {
        let now = SystemClock.monotonic.now
        let requested = control.requested
        return state.withLock { state in
            if state.cause != nil { return true }
            state.cause = requested.map { .control($0) } ?? ended(&state, now)
            guard state.cause != nil else { return false }
            if keepsDevices { return true }
            for session in state.sessions { session.stop() }
            return true
        }
    }

    private func ended(_ state: inout State, _ now: Int64) -> Cause? {
        for (index, session) in state.sessions.enumerated() {
            guard let end = session.end else { continue }
            if Reattachment.mayReturn(end), let patience {
                let since = state.away[index] ?? now
                state.away[index] = since
                if now - since <= patience { continue }
            }
            return .device(end)
        }
        return now - Self.slack > state.last ? .reader : nil
    }
}
