import Dispatch
import Glibc
import Synchronization

/// Ends the process, and says during what, where something takes too long: a hang is a failure.
final class SweepWatchdog: Sendable {
    private let doing = Mutex<(what: String, until: ContinuousClock.Instant)?>(nil)

    init() {
        DispatchQueue(label: "watchdog").async { [self] in
            while true {
                let late = doing.withLock { doing in
                    doing.flatMap { ContinuousClock.now > $0.until ? $0.what : nil }
                }
                if let late {
                    tell("not ok: \(late): it hangs")
                    _exit(70)
                }
                usleep(200_000)
            }
        }
    }

    func expect(_ what: String, within time: Duration) {
        doing.withLock { $0 = (what, ContinuousClock.now + time) }
    }

    func relax() { doing.withLock { $0 = nil } }
}

/// A line on standard output, at once: who waits for it may end this process.
func tell(_ line: String) {
    print(line)
    fflush(nil)
}
