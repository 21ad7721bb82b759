import CaptureGate
import LinuxSystem

/// Receiver of the signals that end a command: Ctrl-C (SIGINT), `kill` (SIGTERM), a terminal that goes away
/// (SIGHUP); and SIGUSR1 and SIGUSR2, which end those commands that have no use for them.
///
/// The signals are blocked in every thread but the one that waits for them with `sigwait`, so none is lost,
/// and no code runs in a signal handler, where almost nothing is allowed (signal-safety(7)). A signal that
/// was ignored when the process was started stays ignored, as by `nohup` (SIGHUP) or in the background of a
/// shell without job control (SIGINT).
final class SignalDispatcher: Sendable {
    /// Dispatcher of this process; task-local, because a global one could not be set before the first task
    /// starts.
    @TaskLocal static var current: SignalDispatcher?

    /// Current treatment of signals; changed by commands, read by the main thread.
    private let state = Locked(State.undecided([]))
    /// Signals that are waited for: those of the five that were not ignored at the start.
    private let signals: Signals

    /// Treatment of a signal that arrives.
    private enum State {
        /// The command is unknown as yet, or not ready; signals that arrive meanwhile are kept.
        case undecided([Int32])
        /// The command has nothing to finish: the signal's default action ends the process.
        case defaultActions
        /// A handler takes each signal.
        case watched(@Sendable (Int32) -> Void)
    }

    /// Blocks the signals and ignores SIGPIPE: a reader that goes away is noticed by the write that fails
    /// with EPIPE.
    ///
    /// Must run before any thread is started, since each inherits its creator's mask.
    init() {
        Signals.ignoreBrokenPipes()
        let numbers = [Signals.interrupt, Signals.terminate, Signals.hangUp, Signals.user1, Signals.user2]
        signals = Signals(numbers.filter { !Signals.isIgnored($0) })
        signals.block()
    }

    /// Waits for signals until the process ends. Call it on the main thread.
    func wait() -> Never {
        while true { receive(signals.wait()) }
    }

    /// Lets signals end the process at once, including those that arrived already.
    func useDefaultActions() {
        let waiting = state.withLock { state in
            defer { state = .defaultActions }
            if case .undecided(let numbers) = state { return numbers }
            return []
        }
        for number in waiting { receive(number) }
    }

    /// Passes each signal to a handler from now on, including those that arrived already.
    ///
    /// - Parameter handler: is called on the main thread; `nil` keeps signals until the next handler.
    func watch(_ handler: (@Sendable (Int32) -> Void)?) {
        // Taken under the lock and delivered outside it: a handler may subscribe again.
        let waiting = state.withLock { state -> [Int32] in
            defer { state = handler.map { .watched($0) } ?? .undecided([]) }
            if case .undecided(let numbers) = state { return numbers }
            return []
        }
        for number in waiting { receive(number) }
    }

    /// Delivers a signal by the current state.
    private func receive(_ number: Int32) {
        let handler = state.withLock { state -> (@Sendable (Int32) -> Void)? in
            switch state {
            case .undecided(let numbers):
                state = .undecided(numbers + [number])
                return { _ in }
            case .defaultActions: return nil
            case .watched(let handler): return handler
            }
        }
        if let handler { handler(number) } else { Signals.endProcess(by: number) }
    }
}

/// Command that finishes its work when a signal arrives: it closes devices and files before it ends.
///
/// All other commands die of the signal at once. The type decides this, so that no command has to remember it.
protocol SignalHandlingCommand {}

/// Subscription to signals: calls a handler on the main thread for each one, until it is released; later ones
/// are kept for the next subscription.
///
/// Hold it with `withExtendedLifetime`: Swift may release a value after its last use, not at the end of its
/// scope.
final class SignalSubscription: Sendable {
    /// `nil` if no dispatcher was bound to the task: then nothing is subscribed to.
    private let dispatcher = SignalDispatcher.current

    /// Subscribes; the handler is also called for signals that arrived before.
    init(_ handler: @escaping @Sendable (Int32) -> Void) {
        dispatcher?.watch(handler)
    }

    deinit { dispatcher?.watch(nil) }
}
