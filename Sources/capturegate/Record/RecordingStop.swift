import CaptureEncoding
import CaptureGate
import Dispatch
import Glibc
import Synchronization

/// Effect of signals on a recording: one dismisses an open question, or ends the running recording; the next
/// gives up a recording that does not finish.
///
/// *thread-safe*
final class RecordingStop: Sendable {
    let control: RecordingControl
    private let state = Locked(State())

    /// Phase, and the time of the first signal.
    private struct State {
        var isRecording = false
        var cancel: (@Sendable () -> Void)?
        var first: ContinuousClock.Instant?
    }

    /// Names of the unfinished files.
    private let partial: [String]

    /// Prepares for signals before the operation starts.
    ///
    /// - Parameter partial: paths; of several files, a pattern with `NNNN` in it.
    init(partial: [String]) throws(CaptureError) {
        self.partial = partial
        control = try RecordingControl()
    }

    /// Sets what ends the operation while it waits: for an answer, for its moment, or for a device to open.
    func cancels(_ cancel: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.cancel = cancel
            return state.first != nil
        }
        // The signal came before there was anything to cancel.
        if isLate { cancel() }
    }

    /// Marks the devices as open: from now on a signal ends the recording, and the file is finished.
    func begin() { state.withLock { $0.isRecording = true } }

    /// Acts on a signal; called on the main thread. SIGUSR1 begins a clip that waits in its pre-roll.
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

    /// Decision about a signal; taken under the lock, carried out outside it.
    private enum Action {
        case stop
        case cancel((@Sendable () -> Void)?)
        case wait
        case abort
    }

    /// Time in which a second signal is taken for the first one's echo: one Ctrl-C may arrive twice, from the
    /// terminal and from a parent that forwards it. A person takes longer.
    private static let echo = Duration.milliseconds(300)

    /// Decision about a signal at a time.
    private static func action(_ state: inout State, at now: ContinuousClock.Instant) -> Action {
        guard let first = state.first else {
            state.first = now
            return state.isRecording ? .stop : .cancel(state.cancel)
        }
        return now - first < echo ? .wait : .abort
    }

    /// Ends the process at once, naming the files that remain. They are valid for `capturegate recover`.
    private func abort() -> Never {
        var rest = ""
        // One of several outputs may be finished already, and then has lost its partial name.
        let left = partial.filter { $0.contains("-NNNN") || access($0, F_OK) == 0 }.map(\.visible)
        if !left.isEmpty { rest = "; what was recorded stays in \(left.joined(separator: " and "))" }
        StandardStream.error.note("capturegate: Given up before the clip was finished\(rest).")
        // Without unwinding: what was to be unwound is what hangs.
        _exit(CaptureError(.inputOutput, "").exitCode)
    }
}

/// Listener for the Enter key at the terminal, never on standard input, which any program may feed.
final class EnterKeyListener: Sendable {
    /// True once nobody waits for the key any more.
    private let isOver = Atomic(false)

    /// Starts to listen; does nothing without a terminal.
    ///
    /// - Parameter action: called once, on a thread of its own.
    init(_ action: @escaping @Sendable () -> Void) {
        let terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard terminal >= 0 else { return }
        // Keys typed before ask for nothing. In the background not even flushing is allowed: the terminal
        // stops who tries (SIGTTOU).
        if Self.isForeground(terminal) { tcflush(terminal, TCIFLUSH) }
        // A thread of its own, since it waits for the whole pre-roll.
        DispatchQueue(label: "capturegate.enter").async { [self] in
            defer { close(terminal) }
            if waitForLine(terminal) { action() }
        }
    }

    /// Stops listening, within a tenth of a second.
    func end() { isOver.store(true, ordering: .releasing) }

    /// Time between two looks at `isOver`, milliseconds.
    private static let interval: Int32 = 100

    /// True if this process may read the terminal. Checked each time: the shell may move it at any moment
    /// (`fg`, `bg`).
    private static func isForeground(_ terminal: Int32) -> Bool { tcgetpgrp(terminal) == getpgrp() }

    /// Waits for a line feed.
    ///
    /// - Returns: false once it is over, or the terminal has gone.
    private func waitForLine(_ terminal: Int32) -> Bool {
        while !isOver.load(ordering: .acquiring) {
            var item = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
            // Reading in the background would stop the process (SIGTTIN).
            guard poll(&item, 1, Self.interval) > 0, Self.isForeground(terminal) else {
                if item.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 { return false }
                // Readable, but in the background: `poll` would return at once, and the loop would spin.
                if item.revents != 0 { usleep(UInt32(Self.interval) * 1000) }
                continue
            }
            // Other keys are swallowed, as the terminal delivers whole lines.
            var byte: UInt8 = 0
            while read(terminal, &byte, 1) == 1 { if byte == 0x0A { return true } }
        }
        return false
    }
}
