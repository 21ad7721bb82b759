import ArgumentParser
import CaptureGate

/// `capturegate revoke`
struct RevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Take back what was decided about a program's microphone or camera.",
        discussion: """
            A capture that is running on it ends within 100 ms, and its file is finished. A stored no is taken back, too: \
            the next capture asks. Without --device it is about all devices; without --to about this program's own \
            recordings.

              capturegate revoke camera
              capturegate revoke microphone --device test:tone
              capturegate revoke microphone --to /usr/bin/memo --json
            """)

    @Argument(help: "What is taken back.")
    var capability: CapabilityName

    @OptionGroup var program: SubjectOption
    @OptionGroup var device: DeviceOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let wanted = try device.selector(capability)
        let removal = GrantRemoval(store: try UserStore.open(), reason: "revoked by command")
        let candidates = try removal.candidates()
        let (user, path, subject) = try subject(known: candidates.map(\.subject.executable))
        let matching = candidates.filter { decision in
            decision.subject.userID == user && decision.subject.executable.path == path
                && decision.capability == capability && (wanted == .any || decision.device == wanted)
        }
        try GrantRemoval.tell(try removal.remove(matching, about: subject ?? matching.first?.subject), json: json.isOn)
    }

    /// A program that has been deleted since can be named all the same.
    private func subject(known: [Executable]) throws(CaptureError) -> (UInt32, String, Subject?) {
        do throws(CaptureError) {
            let subject = try program.subject(known: known)
            return (subject.userID, subject.executable.path, subject)
        } catch {
            guard let path = program.executable, path.hasPrefix("/") else { throw error }
            return (try ProcessSubject.current().userID, path, nil)
        }
    }
}
