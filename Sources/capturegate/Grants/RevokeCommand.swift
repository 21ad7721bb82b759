import ArgumentParser
import CaptureGate
import GateStore

/// `capturegate revoke`: removes decisions about one program, permissions and denials alike.
struct RevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Remove permissions and denials of a program.",
        discussion: """
            \(Guarantees.ofRevocations) The files are complete. The next capture asks again.

              capturegate revoke camera
              capturegate revoke microphone --device test:tone
              capturegate revoke microphone --to /usr/bin/memo --json
            """
    ).parsedAlone

    @Argument(help: ArgumentHelp("Capability to revoke.", valueName: "capability"))
    var decided: DecidedCapability

    /// Name of the capability, as it is stored.
    var capability: CapabilityName { decided.name }

    @OptionGroup var program: SubjectOption
    @OptionGroup var device: DeviceOption
    @OptionGroup var json: JSONOption

    /// Removes the decisions that match all of the options.
    ///
    /// Programs are compared by path, not by hash, so that decisions about earlier versions of the file are
    /// removed, too.
    func run() throws {
        let wanted = try device.selector(capability)
        let removal = GrantRemoval(store: try UserStore.deciding(), reason: "revoked by command")
        let candidates = try removal.candidates()
        let (user, path, subject) = try subject(known: candidates.map(\.subject.executable))
        let matching = candidates.filter { decision in
            // Without `--device` all of the program's decisions match; with it those about that device, not
            // those about any device.
            decision.subject.userID == user && decision.subject.executable.path == path
                && decision.capability == capability && (wanted == .any || decision.device == wanted)
        }
        try GrantRemoval.tell(try removal.remove(matching, about: subject ?? matching.first?.subject), json: json.isOn)
    }

    /// User, path and, if the file still exists, subject.
    private func subject(known: [Executable]) throws(CaptureError) -> (UInt32, String, Subject?) {
        do throws(CaptureError) {
            let subject = try program.subject(known: known)
            return (subject.userID, subject.executable.path, subject)
        } catch {
            // A deleted program can still be named: its grant would apply again if the same file came back.
            guard let path = program.executable, path.hasPrefix("/") else { throw error }
            return (try ProcessSubject.current().userID, path, nil)
        }
    }
}

/// Deletion of decisions from the store, for the commands that revoke and reset.
struct GrantRemoval {
    let store: any GrantStore
    /// Reason for the audit log.
    let reason: String

    /// Decisions that may be removed; used-up ones count as well, since a capture that runs on one ends when
    /// it is removed.
    func candidates() throws(CaptureError) -> [Decision] {
        let snapshot = try store.snapshot()
        return snapshot.decisions + (snapshot.consumed ?? [])
    }

    /// Removes decisions in one commit, so that a watching capture sees all of it or nothing.
    ///
    /// - Returns: `nil` if there was nothing to remove; then nothing is logged either.
    func remove(_ decisions: [Decision], about subject: Subject?) throws(CaptureError) -> StoreCommit? {
        guard let first = decisions.first else { return nil }
        let ids = decisions.compactMap(\.id)
        // An audit event has one capability or none.
        let isOne = decisions.allSatisfy { $0.capability == first.capability }
        let event = AuditEvent(
            .removal, at: SystemGateClock().now, subject: subject, capability: isOne ? first.capability : nil,
            devices: decisions.flatMap(\.device.ids),
            detail: "\(reason): \(ids.map { "#\($0)" }.joined(separator: ", "))")
        return try store.remove(ids, audit: event)
    }

    /// Writes a document, or one line per decision. Nothing to remove is a success: the wish is fulfilled.
    static func tell(_ commit: StoreCommit?, json: Bool) throws(StreamFailure) {
        let removed = commit?.decisions ?? []
        if json {
            let document: JSONValue = [
                "removed": .array(removed.map(\.json)),
                "committed_ns": commit.map { .nanoseconds($0.committed) } ?? .null,
            ]
            return try StandardStream.output.line(document.text)
        }
        let lines = removed.map { "removed #\($0.id ?? 0) \($0.phrase): \($0.subject.executable.path.visible)" }
        try StandardStream.output.lines(lines.isEmpty ? ["There were no permissions or denials to remove."] : lines)
    }
}
