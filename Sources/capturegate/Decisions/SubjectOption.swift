import ArgumentParser
import CaptureGate

/// Whose captures a command speaks of.
struct SubjectOption: ParsableArguments {
    @Option(
        name: .customLong("to"),
        help: ArgumentHelp(
            "The program that is meant; this program's own recordings where it is not said.", valueName: "executable"),
        completion: .file())
    var executable: String?

    func validate() throws {
        if executable == "" { throw ValidationError("--to takes the path of a program.") }
    }

    /// The subject of this user and session.
    ///
    /// Without the systemd unit this command happens to run in: a person who decides at one terminal means the program
    /// wherever it is started. A sandbox stays, since the same path inside another one is another program.
    ///
    /// - Parameter known: program files that were read before.
    func subject(known: [Executable]) throws(CaptureError) -> Subject {
        let own = try ProcessSubject.current(known: known)
        let sandbox = own.application.flatMap { $0.kind == .unit ? nil : $0 }
        return Subject(
            userID: own.userID, groupIDs: own.groupIDs,
            executable: try named(known) ?? own.executable,
            application: executable == nil ? sandbox : nil, session: own.session)
    }

    private func named(_ known: [Executable]) throws(CaptureError) -> Executable? {
        guard let executable else { return nil }
        return try ProcessSubject.executable(at: executable, known: known)
    }
}
