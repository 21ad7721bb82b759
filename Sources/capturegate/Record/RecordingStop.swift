import CaptureGate
import CaptureRecording
import Dispatch
import LinuxSystem
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
        guard number != Signals.user1 else { return control.begin() }
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
        let left = partial.filter { $0.contains("-NNNN") || FileSystem.allows(.existence, to: $0) }.map(\.visible)
        if !left.isEmpty { rest = "; what was recorded stays in \(left.joined(separator: " and "))" }
        StandardStream.error.note("capturegate: Given up before the clip was finished\(rest).")
        // Without unwinding: what was to be unwound is what hangs.
        Signals.endProcess(status: CaptureError(.inputOutput, "").exitCode)
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
        guard let keyboard = Keyboard() else { return }
        // A thread of its own, since it waits for the whole pre-roll.
        DispatchQueue(label: "capturegate.enter").async { [self] in
            if (try? waitForLine(at: keyboard.terminal)) == true { action() }
        }
    }

    /// Stops listening, within a tenth of a second.
    func end() { isOver.store(true, ordering: .releasing) }

    /// Between two looks whether it is over.
    private static let interval = Duration.milliseconds(100)

    /// - Throws: where the terminal is gone.
    private func waitForLine(at terminal: borrowing Terminal) throws(Terminal.Interruption) -> Bool {
        while !isOver.load(ordering: .acquiring) {
            guard try terminal.hasInput(until: Deadline(after: Self.interval)) else { continue }
            // Who reads in the background is stopped.
            guard terminal.isForeground else {
                Poll.pause(milliseconds: 100)
                continue
            }
            while let byte = try terminal.read(upTo: 1, until: .now)?.first { if byte == 0x0A { return true } }
        }
        return false
    }

    /// A terminal that a closure can hold.
    private final class Keyboard: Sendable {
        let terminal: Terminal

        /// What was typed before asks for nothing; who is in the background may not even drop it.
        init?() {
            guard let terminal = try? Terminal() else { return nil }
            if terminal.isForeground { terminal.dropInput() }
            self.terminal = terminal
        }
    }
}
