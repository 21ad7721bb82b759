import Dispatch
import Gate
import LinuxSystem

/// Login sessions of this machine: one is over when the process that leads it has ended.
///
/// *thread-safe*
struct SystemLoginSessions: LoginSessions {
    /// Kept while somebody waits for a session's end.
    private final class Observation: ChangeObservation {
        let watch: ProcessEndWatch

        init(_ watch: ProcessEndWatch) { self.watch = watch }
    }

    func isOver(_ session: LoginSession) -> Bool {
        session.bootID != ProcessFile.bootID || !ProcessFile.isRunning(session.leader, since: session.startTicks)
    }

    func observeEnd(
        of session: LoginSession, _ handler: @escaping @Sendable () -> Void
    ) -> (any ChangeObservation)? {
        let queue = DispatchQueue(label: "capturegate.session", qos: .userInteractive)
        return (try? ProcessEndWatch(of: session.leader, on: queue, onEnd: handler)).map(Observation.init)
    }
}
