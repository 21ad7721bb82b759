import CaptureEncoding
import CaptureGate
import Glibc

/// What a signal does to a recording: it dismisses the question that is open, it ends the recording that runs, and the
/// second one gives up a recording that does not get finished.
final class RecordingStop: Sendable {
    let control: RecordingControl
    private let state = Locked(State())

    private struct State {
        var isRecording = false
        var cancel: (@Sendable () -> Void)?
        var first: ContinuousClock.Instant?
    }

    /// What the unfinished files are called.
    private let partial: [String]

    /// - Parameter partial: paths; of several files, a pattern with `NNNN` in it.
    init(partial: [String]) throws(CaptureError) {
        self.partial = partial
        control = try RecordingControl()
    }

    /// The operation waits, maybe for an answer, for its moment, or for a device to open: a signal cancels it.
    func cancels(_ cancel: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.cancel = cancel
            return state.first != nil
        }
        if isLate { cancel() }
    }

    /// The devices are open: from now on a signal ends the recording, and the file is finished.
    func begin() { state.withLock { $0.isRecording = true } }

    func receive(_ number: Int32) {
        guard number != SIGUSR1 else { return control.begin() }
        let action = state.withLock { Self.action(&$0, at: .now) }
        switch action {
        case .stop: control.stop()
        case .cancel(let cancel): cancel?()
        case .wait: break
        case .abort: abort()
        }
    }

    private enum Action {
        case stop
        case cancel((@Sendable () -> Void)?)
        case wait
        case abort
    }

    /// One Ctrl-C may come twice, from the terminal and from a parent that passes it on; a person takes longer.
    private static let echo = Duration.milliseconds(300)

    private static func action(_ state: inout State, at now: ContinuousClock.Instant) -> Action {
        guard let first = state.first else {
            state.first = now
            return state.isRecording ? .stop : .cancel(state.cancel)
        }
        return now - first < echo ? .wait : .abort
    }

    private func abort() -> Never {
        var rest = ""
        // One of several outputs may be finished already.
        let left = partial.filter { $0.contains("-NNNN") || access($0, F_OK) == 0 }.map(\.visible)
        if !left.isEmpty { rest = "; what was recorded stays in \(left.joined(separator: " and "))" }
        StandardStream.error.note("capturegate: Given up before the clip was finished\(rest).")
        _exit(CaptureError(.inputOutput, "").exitCode)
    }
}
