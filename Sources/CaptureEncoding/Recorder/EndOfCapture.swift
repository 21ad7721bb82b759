import CSystem
import CaptureGate

/// Whether a recording is over, as seen by a writer that waits for whoever reads its output, and can't look itself.
///
/// Then it lets all devices go: none is kept open for a clip that another one has ended, or that nobody takes.
///
/// *thread-safe*
final class EndOfCapture: Sendable {
    /// What ended it.
    enum Cause: Sendable {
        case control(EndReason)
        case device(SessionEnd)
        /// It should have been over some seconds ago.
        case reader
    }

    private let control: RecordingControl
    /// How long a device that may return is waited for, nanoseconds; `nil` where nobody waits.
    private let patience: Int64?
    private let state = Locked(State())

    private struct State {
        var sessions: [SessionHandle] = []
        /// Since when each is away, CLOCK_MONOTONIC nanoseconds.
        var away: [Int64?] = []
        /// When the clip is as long as it was to become, CLOCK_MONOTONIC nanoseconds.
        var last = Int64.max
        var cause: Cause?
    }

    /// A reader that pauses may do so at the clip's end as well, nanoseconds.
    private static let slack: Int64 = 5_000_000_000

    init(_ control: RecordingControl, reattach patience: Duration?) {
        self.control = control
        self.patience = patience?.nanoseconds
    }

    /// - Parameter sessions: those that are recorded now.
    func watch(_ sessions: [SessionHandle]) {
        state.withLock { state in
            state.sessions = sessions
            state.away = Array(repeating: nil, count: sessions.count)
        }
    }

    /// - Parameters:
    ///   - duration: of the clip, nanoseconds; `nil` where it is open.
    ///   - start: CLOCK_MONOTONIC nanoseconds.
    func expect(_ duration: Int64?, from start: Int64) {
        if let duration { state.withLock { $0.last = start + duration } }
    }

    /// Why it was over when a writer looked; `nil` where none has, or it was not.
    var cause: Cause? { state.withLock { $0.cause } }

    /// Looks, and ends the capture of all devices where it is over.
    func look() -> Bool {
        let now = cs_clock_ns(Int32(CS_CLOCK_MONOTONIC))
        let requested = control.requested
        return state.withLock { state in
            if state.cause != nil { return true }
            state.cause = requested.map { .control($0) } ?? ended(&state, now)
            guard state.cause != nil else { return false }
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
