import CaptureGate
import Glibc

/// Receives the signals that end a command, Ctrl-C, `kill`, and the terminal that goes away; and SIGUSR1, which ends
/// those that have no use for it.
///
/// They are blocked in every thread but the one that waits for them, so none is lost and no code runs in a signal
/// handler. One that was ignored when the process was started, as by `nohup`, stays so.
final class SignalDispatcher: Sendable {
    /// The desk of this process.
    @TaskLocal static var current: SignalDispatcher?

    private let state = Locked(State.undecided([]))
    private let numbers: [Int32]

    private enum State {
        /// The command is not known yet, or not ready; what came meanwhile waits.
        case undecided([Int32])
        /// The command has nothing to finish.
        case defaultActions
        case watched(@Sendable (Int32) -> Void)
    }

    /// To be made before any thread is started, since each inherits what is blocked. Ignores SIGPIPE, too: who stops
    /// reading is told by the write that fails.
    init() {
        signal(SIGPIPE, SIG_IGN)
        numbers = [SIGINT, SIGTERM, SIGHUP, SIGUSR1].filter { !Self.isIgnored($0) }
        var set = Self.set(numbers)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits for signals as long as the process lives.
    func wait() -> Never {
        var set = Self.set(numbers)
        while true {
            var number: Int32 = 0
            if sigwait(&set, &number) == 0 { receive(number) }
        }
    }

    /// Signals end the process at once, those too that have come already.
    func useDefaultActions() {
        let waiting = state.withLock { state in
            defer { state = .defaultActions }
            if case .undecided(let numbers) = state { return numbers }
            return []
        }
        for number in waiting { receive(number) }
    }

    /// Calls the handler for each signal from now on, and for those that have come already.
    func watch(_ handler: (@Sendable (Int32) -> Void)?) {
        let waiting = state.withLock { state -> [Int32] in
            defer { state = handler.map { .watched($0) } ?? .undecided([]) }
            if case .undecided(let numbers) = state { return numbers }
            return []
        }
        for number in waiting { receive(number) }
    }

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
        if let handler { handler(number) } else { Self.end(by: number) }
    }

    /// Ends the process as the signal does where nobody takes it, so that the shell learns why.
    private static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        var set = set([number])
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(number)
        _exit(128 + number)
    }

    private static func set(_ numbers: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        return set
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}

/// A command that ends in its own way when a signal tells it to.
protocol SignalHandlingCommand {}

/// Calls a handler on the main thread for each signal that ends a command, until it is released; what comes later waits.
final class SignalSubscription: Sendable {
    private let dispatcher = SignalDispatcher.current

    init(_ handler: @escaping @Sendable (Int32) -> Void) {
        dispatcher?.watch(handler)
    }

    deinit { dispatcher?.watch(nil) }
}
