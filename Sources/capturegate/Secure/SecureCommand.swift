import ArgumentParser
import CaptureGate
import LinuxSystem

/// `capturegate secure`: closes this machine's device nodes to all programs except the broker, or opens them again.
struct SecureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secure",
        abstract: "Let only the broker open cameras and microphones.",
        discussion: """
            Programs then get cameras and microphones only from the broker, which asks first. PipeWire and PulseAudio lose \
            their devices, and so do the programs that record through them.

              capturegate secure --dry-run
              sudo capturegate secure
              sudo capturegate secure --undo

            The command creates the user and the group capturegate, and the directory for the administrator's rules. It \
            installs udev rules that give the nodes to this user, and the units of the broker if its program is installed. It \
            prints each step before the change and keeps a list, so --undo reverts exactly these changes. Existing files stay as \
            they are.

            'capturegate pipewire' gives devices to programs of PipeWire again.
            """
    ).parsedAlone

    @Flag(help: "Show the changes without making them.")
    var dryRun = false

    @Flag(help: "Undo the changes.")
    var undo = false

    @Option(
        help: ArgumentHelp(
            "Directory of the rules and units to install.",
            discussion: "By default, the directory of the sources, or /usr/share/capturegate.", valueName: "directory"),
        completion: .directory)
    var from: String?

    /// Root directory of another system than the running one, as installers use; for tests.
    @Option(name: .customLong("root"), help: .private)
    var prefix = ""

    func run() async throws {
        let system = TargetSystem(prefix: prefix)
        let command = "sudo capturegate secure" + (undo ? " --undo" : "")
        guard dryRun || Users.effectiveID == 0 else {
            throw CaptureError(
                .notAuthorized, "Only root can \(undo ? "open" : "close") this machine's device files.",
                remedies: [
                    Remedy("Run it as root.", command: command),
                    Remedy("Or see what it would do.", command: "capturegate secure\(undo ? " --undo" : "") --dry-run"),
                ])
        }
        let tell: (String) throws -> Void = { [dryRun] sentence in
            try StandardStream.output.line((dryRun ? "would: " : "") + sentence.visible)
        }
        if undo { return try takeBack(system, tell) }
        let changes = try SecurePlan(from: from, system).changes
        let record = ChangeRecord(system)
        for change in changes {
            try tell(change.sentence)
            guard !dryRun else { continue }
            // Recorded before it is made, so that an interrupted change is undone, too.
            try record.note(change)
            try system.make(change)
        }
        try system.activate(dryRun, tell)
        if !dryRun {
            try tell(
                changes.isEmpty ? "Nothing to change." : "Done. 'capturegate status' shows the new level of protection."
            )
        }
    }

    private func takeBack(_ system: TargetSystem, _ tell: (String) throws -> Void) throws {
        let record = ChangeRecord(system)
        let changes = try record.changes()
        guard !changes.isEmpty else { return try tell("Nothing to undo.") }
        try system.deactivate(dryRun, changes, tell)
        for change in changes.reversed() {
            guard system.isStill(change) else {
                try tell("Keep \(change.path): it was changed or removed since.")
                continue
            }
            try tell("Remove \(change.path)")
            if !dryRun { try system.takeBack(change) }
        }
        if !dryRun { try record.forget() }
        try system.reload(dryRun, tell)
    }
}

/// Change to a system that can be undone.
enum SystemChange: Hashable {
    /// User and group of the broker.
    case user
    case folder(String)
    case file(String, bytes: [UInt8], mode: UInt32)

    /// Path that it creates, or the user's name.
    var path: String {
        switch self {
        case .user: SecurePlan.user
        case .folder(let path), .file(let path, _, _): path
        }
    }

    /// Sentence for the administrator.
    var sentence: String {
        switch self {
        case .user: "Create the user and the group \(path), which will own the device nodes"
        case .folder: "Create the directory \(path)"
        case .file: "Install \(path)"
        }
    }
}

/// Changes that close a system's nodes and let the broker open them.
struct SecurePlan {
    /// User and group of the broker, as the udev rules and the units name it.
    static let user = "capturegate"

    let changes: [SystemChange]

    /// - Parameters:
    ///   - folder: directory of the sources or the shared files;
    ///     `nil` to look beside the program and in /usr/share.
    ///   - system: system to examine; it is not changed.
    /// - Throws: `.usage` if the rules are not found, `.fileExists` if another file has the name of one to install.
    init(from folder: String?, _ system: TargetSystem) throws(CaptureError) {
        let own = (ProcessFile.link("/proc/self/exe") ?? "").split(separator: "/").dropLast()
        let beside = "/" + own.joined(separator: "/")
        let sources =
            folder.map { [$0] } ?? [
                beside + "/../share/capturegate", "/usr/share/capturegate", beside, beside + "/../..",
            ]
        guard let source = sources.first(where: { Self.rules(in: $0) != nil }), let rules = Self.rules(in: source)
        else {
            throw CaptureError(
                .usage, "The udev rules are not in \(sources.joined(separator: ", ").visible).",
                remedies: [Remedy("Name the source directory with --from.")])
        }
        var changes: [SystemChange] = [
            .user, .file("/etc/udev/rules.d/72-capturegate.rules", bytes: rules, mode: 0o644),
        ]
        changes += Self.broker(in: source, beside, system)
        changes += ["/etc/capturegate", "/etc/capturegate/policy.d"].map { .folder($0) }
        var missing: [SystemChange] = []
        for change in changes where try !system.has(change) { missing.append(change) }
        self.changes = missing
    }

    private static func rules(in folder: String) -> [UInt8]? {
        ProcessFile.bytes("\(folder)/udev-rules/72-capturegate.rules", limit: 1 << 20)
    }

    /// Program and units of the broker; empty if its program is neither installed nor beside this one.
    private static func broker(in source: String, _ beside: String, _ system: TargetSystem) -> [SystemChange] {
        let folders = ["\(source)/Samples/systemd", "\(source)/systemd"]
        var changes: [SystemChange] = []
        var program: String?
        for name in ["capturegated.service", "capturegated.socket"] {
            guard let bytes = folders.lazy.compactMap({ ProcessFile.bytes("\($0)/\(name)", limit: 1 << 20) }).first
            else {
                return []
            }
            changes.append(.file("/etc/systemd/system/\(name)", bytes: bytes, mode: 0o644))
            program = program ?? Self.program(startedBy: bytes)
        }
        guard let program else { return [] }
        if case .failure = FileStatus.of(system.prefix + program) {
            guard let bytes = ProcessFile.bytes("\(beside)/capturegated", limit: 256 << 20) else { return [] }
            changes.insert(.file(program, bytes: bytes, mode: 0o755), at: 0)
        }
        return changes + polkit(in: source, system)
    }

    /// Path of the program that a unit starts, which may be outside /usr.
    private static func program(startedBy unit: [UInt8]) -> String? {
        let lines = String(decoding: unit, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix("ExecStart=/") }?.dropFirst("ExecStart=".count)
            .prefix { $0 != " " }.description
    }

    /// Polkit's actions, if polkit is installed.
    private static func polkit(in source: String, _ system: TargetSystem) -> [SystemChange] {
        let (folder, name) = ("/usr/share/polkit-1/actions", "org.capturegate.policy")
        let files = ["\(source)/Samples/polkit/\(name)", "\(source)/polkit/\(name)"]
        guard case .success = FileStatus.of(system.prefix + folder),
            let bytes = files.lazy.compactMap({ ProcessFile.bytes($0, limit: 1 << 20) }).first
        else { return [] }
        return [.file("\(folder)/\(name)", bytes: bytes, mode: 0o644)]
    }
}
