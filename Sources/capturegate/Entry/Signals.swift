import Dispatch
import Glibc
import Synchronization

/// A command that ends in its own way when it is told to.
protocol SignalTaker {}

/// The signals that end a command: Ctrl-C, `kill`, and the terminal that goes away.
enum Signals {
    static let ending = [SIGINT, SIGTERM, SIGHUP]

    /// Blocks them, so that one that comes before the command is ready waits for it, and ignores SIGPIPE: who stops
    /// reading is told by the write that fails.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        change(SIG_BLOCK)
    }

    /// Lets them end the process, for commands that have nothing to finish.
    static func letThrough() { change(SIG_UNBLOCK) }

    private static func change(_ how: Int32) {
        var set = sigset_t()
        sigemptyset(&set)
        for number in ending { sigaddset(&set, number) }
        pthread_sigmask(how, &set, nil)
    }

    /// Whether the process was started with the signal ignored, as by `nohup`: then it stays so.
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}

/// Calls a handler for each signal that ends a command, on a queue of its own, until it is released.
final class SignalWatch: Sendable {
    private let sources: Mutex<[any DispatchSourceSignal]>

    init(_ handler: @escaping @Sendable (Int32) -> Void) {
        let queue = DispatchQueue(label: "capturegate.signals")
        let sources = Signals.ending.filter { !Signals.isIgnored($0) }.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { handler(number) }
            return source
        }
        for source in sources { source.resume() }
        self.sources = Mutex(sources)
    }

    deinit { sources.withLock { for source in $0 { source.cancel() } } }
}
