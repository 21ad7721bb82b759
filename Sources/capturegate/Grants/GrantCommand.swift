import ArgumentParser
import CaptureGate
import GateStore
import LinuxSystem

/// `capturegate grant`: stores a permission for a program.
///
/// The person who types it is the person who would be asked, so nothing is asked; the audit log marks such decisions with
/// `command`.
struct GrantCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant",
        abstract: "Allow a program to use a device, location or photos.",
        discussion: """
            Without --to, allows recordings of capturegate itself. Choose how long the permission lasts.

              capturegate grant camera --once
              capturegate grant microphone --device test:tone --always
              capturegate grant microphone --level meter --for 8h --to /usr/bin/memo
              capturegate grant camera --until 18:00
              capturegate grant camera --always --lift
              capturegate grant location --level city --always --to /usr/bin/memo

            A permission belongs to the file of the program. If the file changes, the program must ask again.

            A microphone has the levels meter and record, a camera still and video, and photos read and write. The location has \
            country, city, neighbourhood, street and exact. A higher level includes the lower ones.
            """
    ).parsedAlone

    @Argument(help: ArgumentHelp("Capability to allow.", valueName: "capability"))
    var decided: DecidedCapability

    /// Name of the capability, as it is stored.
    var capability: CapabilityName { decided.name }

    @OptionGroup var subject: SubjectOption
    @OptionGroup var device: DeviceOption

    /// Highest level by default: the usual grant is for recording, and a lower one does not allow it.
    @Option(
        help: "Permission level, such as meter or still (default: the highest, record or video).",
        completion: .list(CapabilityName.known.flatMap { $0.levels.map(\.name) }))
    var level: String?

    @OptionGroup var lifetime: LifetimeOptions

    /// Off by default: a denial was a person's decision, too.
    @Flag(
        help: ArgumentHelp(
            "Also remove denials that take precedence.",
            discussion: "By default, the command asks about each at a terminal."))
    var lift = false

    @OptionGroup var json: JSONOption

    /// Checks the level against the capability, which the parser can't: each capability has its own levels.
    func validate() throws {
        guard let level, !capability.levels.contains(where: { $0.name == level }) else { return }
        let names = capability.levels.map(\.name).joined(separator: " or ")
        throw ValidationError("A \(capability) has no level '\(level)'. Choose \(names).")
    }

    /// Stores the decision, then reports what still prevents captures.
    ///
    /// Warnings come after the commit: they describe the store
    /// as it is now, and none of them makes the grant invalid.
    func run() throws {
        let store = try UserStore.deciding()
        let subject = try subject.subject(known: try store.knownPrograms())
        let now = SystemGateClock().now
        let decision = try decision(about: subject, now)
        let event = AuditEvent(
            .decision, at: now, subject: subject, capability: capability, level: decision.level,
            devices: decision.device.ids, detail: "allowed \(decision.lifetime.phrase) by command")
        let commit = try store.record([decision], audit: event)
        var warnings = GrantWarnings(
            subject: subject, decision: decision, snapshot: try store.snapshot(), now: now)
        let lifted = warnings.denials.filter { lift || !json.isOn && Self.isLifted($0) }
        if !lifted.isEmpty {
            let removal = GrantRemoval(store: store, reason: "denial removed by command, for a grant")
            _ = try removal.remove(lifted, about: subject)
            warnings.snapshot = try store.snapshot()
        }
        let program = GrantedProgram(path: decision.subject.executable.path)
        try tell(commit.decisions.first ?? decision, commit, program.notes + lifted.map(Self.note) + warnings.notes)
    }

    /// Asks at the terminal, if there is one, whether to remove a denial that takes precedence over the grant.
    private static func isLifted(_ denial: Decision) -> Bool {
        guard let terminal = TerminalQuestion(), let id = denial.device.ids.first else { return false }
        return terminal.isConfirmed(
            "A denial for \(id.rawValue.visible) overrides this permission. Remove the denial? [y/N] ")
    }

    private static func note(_ lifted: Decision) -> String {
        "Removed the denial for \(lifted.device.ids.first?.rawValue.visible ?? "all devices")."
    }

    /// Decision that the options describe.
    private func decision(about subject: Subject, _ now: GateInstant) throws(CaptureError) -> Decision {
        // Levels ascend, so the last one is the highest.
        guard let level = capability.levels.last(where: { level == nil || $0.name == level }) else {
            throw CaptureError(.usage, "A \(capability) has no such level.")
        }
        return Decision(
            verdict: .allow, subject: subject, capability: capability, level: level,
            device: try device.selector(capability), lifetime: try lifetime.lifetime(of: subject, now: now),
            decidedBy: .command, decidedAt: now)
    }

    /// Writes the stored decision, and the warnings to standard error, where a script that reads the number
    /// is not disturbed.
    private func tell(_ decision: Decision, _ commit: StoreCommit, _ notes: [String]) throws {
        if json.isOn {
            let document: JSONValue = [
                "decision": decision.json, "committed_ns": .nanoseconds(commit.committed),
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
    /// Devices for the audit log; empty for any device.
    var ids: [DeviceID] {
        if case .id(let id) = self { [id] } else { [] }
    }
}

/// Lifetime of a grant; exactly one must be given.
///
/// There is no default: `once` would surprise a script, and `always` a person.
struct LifetimeOptions: ParsableArguments {
    @Flag(help: "Allow one capture.")
    var once = false

    @Flag(help: "Allow until this login session or terminal ends.")
    var session = false

    @Option(
        name: .customLong("for"), help: ArgumentHelp("Allow for a time, such as 90m, 8h or 7d.", valueName: "time"),
        transform: DurationArgument.parse)
    var time: DurationArgument?

    @Option(
        name: .customLong("until"),
        help: ArgumentHelp("Allow until then, such as 18:00 or 2026-01-31T18:00.", valueName: "moment"),
        transform: MomentArgument.parse)
    var moment: MomentArgument?

    @Flag(help: "Allow until you revoke it.")
    var always = false

    /// Counts what was given: ArgumentParser has no groups of exclusive options of different kinds.
    func validate() throws {
        let said = [once, session, time != nil, moment != nil, always].filter { $0 }.count
        guard said == 1 else {
            let cause = said == 0 ? "The permission needs a duration" : "The permission takes only one duration"
            throw ValidationError("\(cause): choose one of --once, --session, --for, --until and --always.")
        }
    }

    /// Lifetime that the options describe.
    ///
    /// - Parameters:
    ///   - subject: program and session that it is for.
    ///   - now: current time, from which durations count.
    /// - Throws: `.usage` for a session that can't be identified, and for a moment that is over or does not
    ///   exist.
    func lifetime(of subject: Subject, now: GateInstant) throws(CaptureError) -> Lifetime {
        if once { return .once }
        if session {
            // Otherwise the grant could hold for another session with a reused process id.
            guard subject.session.isIdentified else {
                throw CaptureError(
                    .usage, "This session can't be identified: its first process has ended or is in another container.",
                    remedies: [Remedy("Use a time instead, such as --for 8h.")])
            }
            return .session(subject.session)
        }
        if let time { return .until(now.advanced(by: time.duration.nanoseconds)) }
        guard let moment else { return .always }
        guard let end = moment.nanoseconds(now: now.wallNanoseconds) else {
            throw CaptureError(
                .usage, "This time does not exist, or is not between 1970 and 2200.",
                remedies: [Remedy("Write \(MomentArgument.spelling).")])
        }
        guard end > now.wallNanoseconds else {
            throw CaptureError(
                .usage, "\(CivilTime.localText(nanoseconds: end)) is in the past.",
                remedies: [Remedy("Choose a time in the future.")])
        }
        // A clock may be set before 1970, as far as 64 bits go, so the difference may not fit.
        let (length, overflow) = end.subtractingReportingOverflow(now.wallNanoseconds)
        return .until(now.advanced(by: overflow ? .max : length))
    }
}

/// Warnings about a grant without effect, because something with precedence forbids the capture.
///
/// Without them a person would grant, record, be refused, and not know why.
struct GrantWarnings {
    let subject: Subject
    let decision: Decision
    /// Store after the grant was stored.
    var snapshot: StoreSnapshot
    let now: GateInstant

    private var capability: CapabilityName { decision.capability }

    /// One sentence per warning; empty if the grant counts.
    var notes: [String] {
        var notes: [String] = []
        if snapshot.killSwitches.contains(capability) {
            notes.append(
                "All \(capability) capture is switched off. The permission takes effect after "
                    + "'capturegate \(capability) on'.")
        }
        if let seen = snapshot.laterClock(than: now)?.exactNanoseconds, snapshot.hasRunOut(decision, at: now) {
            notes.append(
                "The clock once showed \(CivilTime.localText(nanoseconds: seen)), so this permission counts as expired. "
                    + "If the clock was wrong then, run 'capturegate reset --clock', then grant "
                    + "again.")
        }
        if let reason = forbidden {
            notes.append("The administrator's policy forbids this, so the permission has no effect: \(reason)")
        }
        return notes + Set(denials.flatMap(\.device.ids)).sorted { $0.rawValue < $1.rawValue }.map(note)
    }

    /// Stored denials that take precedence over it.
    var denials: [Decision] {
        snapshot.denied(before: decision, of: devices.flatMap { [$0.id] + $0.aliases }, at: now)
    }

    private func note(_ id: DeviceID) -> String {
        let path = subject.executable.path
        let program = path == ProcessFile.link("/proc/self/exe") ? [] : ["--to", path]
        let command = ShellQuote.command(
            ["capturegate", "revoke", capability.rawValue, "--device", id.rawValue] + program)
        return "A denial for \(id.rawValue.visible) overrides this permission. Remove it with '\(command)'."
    }

    /// Policy's reason, if it forbids every device that is meant; `nil` if it leaves at least one.
    private var forbidden: String? {
        let policy = PolicyDirectory()
        var reasons: [String] = []
        let devices = devices
        // Devices that are present: a rule may name one of them by any of its aliases.
        for (device, aliases) in devices {
            let query = PolicyQuery(
                capability: capability, level: decision.level, device: device, aliases: aliases, at: now)
            if case .deny(let restriction) = policy.verdict(for: subject, on: query) {
                reasons.append(restriction.reason)
            }
        }
        return reasons.count == devices.count ? reasons.first : nil
    }

    /// Devices that are meant: all present ones, or the named one, present or not.
    private var devices: [(id: DeviceID, aliases: [DeviceID])] {
        let all = DeviceCatalog.scan(.identity, of: capability).map { (id: $0.id, aliases: $0.aliases) }
        guard case .id(let id) = decision.device else { return all }
        return [all.first { $0.id == id } ?? (id: id, aliases: [])]
    }
}

/// Program that a grant names by its path, as the kernel will see it.
struct GrantedProgram {
    let path: String

    /// One sentence per problem; empty for a program that can ask. A grant to such a file is stored anyway, since the file may be
    /// fixed later.
    var notes: [String] {
        var notes: [String] = []
        if !FileSystem.allows(.execute, to: path) {
            notes.append("\(path) is not executable, so no program will use this permission.")
        }
        if isScript {
            notes.append(
                "\(path) is a script, which runs as its interpreter. A permission for the interpreter holds "
                    + "for all its scripts.")
        }
        return notes
    }

    /// True for a script: the file begins with `#!` (execve(2)), so the kernel runs its interpreter, and that
    /// is the subject.
    private var isScript: Bool {
        let start = try? FileDescriptor(opening: path, .nonBlocking).readToEnd(limit: 2)
        return start == Array("#!".utf8)
    }
}
