import CaptureGate
import Gate

/// A program that is connected to PipeWire, with its gate: what it is given, it alone gets.
final class Grantee {
    /// What tells one program from another, as for decisions.
    struct Key: Hashable {
        let executable: Executable
        let application: ApplicationID?
        let session: LoginSession

        init(_ subject: Subject) {
            (executable, application, session) = (subject.executable, subject.application, subject.session)
        }
    }

    /// Number of the gate's own.
    let number: Int
    let subject: Subject
    let queue: GateQueue
    /// All its connections to the daemon.
    var clients: Set<UInt32> = []

    init(_ number: Int, _ subject: Subject, _ gatekeeper: Gatekeeper) {
        self.number = number
        self.subject = subject
        queue = GateQueue(gatekeeper: gatekeeper)
    }
}
