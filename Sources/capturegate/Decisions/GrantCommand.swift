import ArgumentParser
import CaptureGate
import GateStore

/// `capturegate grant`
struct GrantCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant",
        abstract: "Allow a program to use the microphone or the camera.",
        discussion: """
            Without --to it is this program's own recordings that are allowed. How long it holds must be said. A grant \
            is bound to the program's file: if that changes, it is asked about again.

              capturegate grant camera --once
              capturegate grant microphone --device test:tone --always
              capturegate grant microphone --level meter --for 8h --to /usr/bin/memo
              capturegate grant camera --until 18:00
            """)

    @Argument(help: "What is allowed.")
    var capability: CapabilityName

    @OptionGroup var subject: SubjectOption
    @OptionGroup var device: DeviceOption

    @Option(
        help: "How much: meter or record of a microphone, still or video of a camera; the most where not said.",
        completion: .list(["meter", "record", "still", "video"]))
    var level: String?

    @OptionGroup var lifetime: LifetimeOptions
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard let level, !capability.levels.contains(where: { $0.name == level }) else { return }
        let names = capability.levels.map(\.name).joined(separator: " or ")
        throw ValidationError("A \(capability) has no level '\(level)': choose \(names).")
    }

    func run() throws {
        let store = try UserStore.open()
        let subject = try subject.subject(known: try store.executables())
        let now = SystemGateClock().now
        let decision = try decision(about: subject, now)
        let event = AuditEvent(
            .decision, at: now, subject: subject, capability: capability, level: decision.level,
            devices: decision.device.ids, detail: "allowed \(decision.lifetime.phrase) by command")
        let commit = try store.record([decision], audit: event)
        let warnings = GrantWarnings(
            subject: subject, decision: decision, snapshot: try store.snapshot(), now: now)
        let program = GrantedProgram(path: decision.subject.executable.path)
        try tell(commit.decisions.first ?? decision, commit, program.notes + warnings.notes)
    }

    private func decision(about subject: Subject, _ now: GateInstant) throws(CaptureError) -> Decision {
        guard let level = capability.levels.last(where: { level == nil || $0.name == level }) else {
            throw CaptureError(.usage, "A \(capability) has no such level.")
        }
        return Decision(
            verdict: .allow, subject: subject, capability: capability, level: level,
            device: try device.selector(capability), lifetime: try lifetime.lifetime(of: subject, now: now),
            decidedBy: .command, decidedAt: now)
    }

    private func tell(_ decision: Decision, _ commit: StoreCommit, _ notes: [String]) throws {
        if json.isOn {
            let document: JSONValue = [
                "decision": decision.json, "committed_ns": .integer(commit.committedNanoseconds),
                "notes": .strings(notes),
            ]
            return try StandardStream.output.line(document.text)
        }
        let number = decision.id.map { "#\($0) " } ?? ""
        try StandardStream.output.line("\(number)\(decision.phrase): \(decision.subject.executable.path.visible)")
        for note in notes { StandardStream.error.note("Note: \(note.visible)") }
    }
}

extension DeviceSelector {
    /// For the audit log: none stands for any.
    var ids: [DeviceID] {
        if case .id(let id) = self { [id] } else { [] }
    }
}
