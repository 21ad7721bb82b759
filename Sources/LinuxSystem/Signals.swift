import CSystem
import Glibc

/// Some of the signals of this process: signal(7).
///
/// *thread-safe*
package struct Signals: Sendable {
    /// SIGINT: Ctrl-C.
    package static let interrupt = SIGINT
    /// SIGTERM: kill(1).
    package static let terminate = SIGTERM
    /// SIGHUP: the terminal goes away.
    package static let hangUp = SIGHUP
    /// SIGUSR1.
    package static let user1 = SIGUSR1

    package let numbers: [Int32]

    package init(_ numbers: [Int32]) {
        self.numbers = numbers
    }

    /// Keeps them waiting, in this thread and in those that it starts from now on. The corresponding C function is
    /// `pthread_sigmask`.
    package func block() { _ = cs_signal_block(numbers, numbers.count) }

    /// Waits for one of them, which must be blocked. The corresponding C function is `sigwait`.
    package func wait() -> Int32 {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        while true {
            var number: Int32 = 0
            if sigwait(&set, &number) == 0 { return number }
        }
    }

    /// Looks whether a signal was ignored, as it is for a program started by nohup(1). The corresponding C function is
    /// `sigaction`.
    package static func isIgnored(_ number: Int32) -> Bool { cs_signal_is_ignored(number) == 1 }

    /// Has writing to a pipe that nobody reads fail with EPIPE, instead of a signal that ends the process.
    package static func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }

    /// Ends the process as a signal does where nobody takes it, so that its parent learns why.
    package static func endProcess(by number: Int32) -> Never {
        _ = signal(number, SIG_DFL)
        _ = cs_signal_unblock([number], 1)
        raise(number)
        endProcess(status: 128 + number)
    }

    /// Ends the process at once: what libraries clean up at `exit`, a thread of theirs may be using still. The corresponding
    /// C function is `_exit`.
    package static func endProcess(status: Int32) -> Never { _exit(status) }
}
