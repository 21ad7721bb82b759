import ArgumentParser
import CaptureGate
import GateStore
import GateSupervisor
import LinuxSystem

/// `capturegate status`: reports decisions, holders and protection; it changes nothing and asks nobody.
struct StatusCommand: AsyncParsableCommand, SignalHandlingCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show permissions, users of devices, and protection.",
        discussion: """
            Shows your permissions, the programs that use a device now, and how well this machine is protected.

              capturegate status
              capturegate status --json
              capturegate status --explain
              capturegate status --watch --notify
              capturegate status --watch --status-file "$XDG_RUNTIME_DIR/uses.json"

            Captures nothing and asks nobody. Run it as root to see programs of other users. If the nodes belong to the group \
            capturegate, it also shows who else can open them: by mode, owner or access list.
            """
    ).parsedAlone

    @Flag(help: "Explain each level of protection and its limits.")
    var explain = false

    @Flag(
        help: ArgumentHelp(
            "Show uses of devices as they start and stop.",
            discussion: "Runs until Ctrl-C. As root, shows programs of all users."))
    var watch = false

    @Flag(help: "With --watch: also show notifications on the desktop.")
    var notify = false

    @Option(
        help: ArgumentHelp(
            "With --watch: keep a JSON file of all uses.",
            discussion: "Programs such as status bars can read this file.", valueName: "path"),
        completion: .file())
    var statusFile: String?

    @OptionGroup var json: JSONOption

    func validate() throws {
        if explain, watch { throw ValidationError("--explain and --watch can't be combined.") }
        if !watch, notify || statusFile != nil {
            throw ValidationError("--notify and --status-file belong to --watch.")
        }
    }

    /// Gathers everything first, then writes it in one piece.
    func run() async throws {
        let output = StandardStream.output
        let width = output.isTerminal ? output.columns : .max
        guard !explain else {
            if json.isOn { return try output.line(Guarantees.json.text) }
            return try output.lines(Guarantees.lines(TextStyle(for: output), width: width))
        }
        if watch { return try await follow() }
        // Nothing is left to close, so a signal may end it at once.
        SignalDispatcher.current?.useDefaultActions()
        let store = try UserStore.deciding()
        let own = store as? SQLiteGrantStore
        let report = StatusReport(
            subject: try ProcessSubject.current(known: try store.knownPrograms()),
            storePath: own?.directory ?? "\(BrokerLink.socket) (the machine's broker)",
            snapshot: try store.snapshot(), keptLines: try own?.audit.keptLines(), now: SystemGateClock().now,
            policy: PolicyDirectory().summary,
            devices: await Self.devices(), nodes: NodeProtection.all())
        if json.isOn {
            try output.line(report.json.text)
        } else {
            try output.lines(report.lines(TextStyle(for: output), width: width))
        }
    }

    /// Reports uses until a signal arrives, which is a success: the person has seen enough.
    private func follow() async throws {
        let watch = UseWatch(
            json: json.isOn, statusFile: statusFile,
            notifier: notify ? try await Notifier(ProcessEnvironment.current) : nil)
        let task = Task { try await watch.tellAll() }
        let signals = SignalSubscription { _ in task.cancel() }
        defer { withExtendedLifetime(signals) {} }
        try await task.value
    }

    /// Status of each device. One after another: each reads the same store, and there are few devices.
    private static func devices() async -> [DeviceStatus] {
        var statuses: [DeviceStatus] = []
        // Identities only: reading formats would open the nodes.
        for device in DeviceCatalog.scan(.identity) {
            statuses.append(await DeviceStatus(of: device, at: .shared))
        }
        return statuses
    }
}

/// All that `capturegate status` reports, as text and as JSON.
struct StatusReport {
    /// Program that would capture: this one, as this user.
    let subject: Subject
    /// Directory of the permission database, or the socket of the broker.
    let storePath: String
    /// Decisions and kill switches.
    let snapshot: StoreSnapshot
    /// Number of lines that the audit log keeps; `nil` if the broker keeps the log.
    let keptLines: Int?
    /// Current time, by which lifetimes are judged.
    let now: GateInstant
    /// Rules of the administrator.
    let policy: PolicySummary
    /// Devices of this machine, the built-in ones last.
    let devices: [DeviceStatus]
    /// Every node of this machine that captures.
    let nodes: [NodeProtection]

    /// Name and number of a user: `ada (1000)`; the number alone if the database has no such user.
    private static func user(_ id: UInt32) -> String {
        let name = Users.name(ofUser: id)
        return name == "\(id)" ? name : "\(name.visible) (\(id))"
    }

    /// Report for people: facts, devices, decisions.
    ///
    /// - Parameter width: columns of the terminal.
    func lines(_ style: TextStyle, width: Int = .max) -> [String] {
        let level = Guarantees.level(of: nodes, hasBroker: BrokerLink.machine != nil)
        var facts = [
            ["Protection", Guarantees.answer(at: level)],
            ["Program", subject.executable.path.visible],
            [
                "User",
                Self.user(subject.userID)
                    + (subject.application.map { ", in \($0.kind.rawValue) \($0.name.visible)" } ?? ""),
            ],
            ["Store", storePath.visible],
            [
                "Audit log",
                keptLines.map { "the last \($0) lines are kept" }
                    ?? "the broker's: 'sudo -u capturegate capturegate log --of \(subject.userID)'",
            ],
            ["Policy", "\(PolicyDirectory.standardPath): \(policy.phrase)"],
            [
                "Kill switches",
                killSwitches.isEmpty ? "none" : "\(killSwitches.joined(separator: ", ").visible) switched off",
            ],
        ]
        // Only if the clock was ahead: most stores have never seen a later clock.
        facts += clock
        var lines = Paragraph.facts(facts, width: width) + ["", style.bold("Devices, for this program")]
        lines += Table(rows: devices.map { $0.row(style) }).lines.map { "  " + $0 }
        let hint = "'capturegate status --explain' explains the levels, their limits and known gaps."
        lines += (GateStrength.explanation(of: nodes) + GateStrength.supervision + [hint]).flatMap {
            Paragraph.lines($0, behind: "  " + $0.prefix { $0 == " " }, width: width)
        }
        return lines + ["", style.bold("Decisions")] + decisions
    }

    /// Report for programs. Used-up decisions are listed separately:
    /// a running capture may still use one, but no new capture can.
    var json: JSONValue {
        [
            "subject": [
                "user_id": .count(subject.userID), "executable": .string(subject.executable.path),
                "sha256": .string(subject.executable.sha256),
                "application": .optional(subject.application.map { "\($0.kind.rawValue):\($0.name)" }),
            ],
            "store": .string(storePath), "log_lines_kept": keptLines.map { .count($0) } ?? .null, "policy": policy.json,
            "kill_switches": .strings(killSwitches),
            "later_clock_ns": snapshot.laterClock(than: now).map { .nanoseconds($0) } ?? .null,
            "supervision": .object([
                ("available", .bool(Boundary.missingPieces.isEmpty)), ("missing", .strings(Boundary.missingPieces)),
            ]),
            "devices": .array(devices.map(\.json)), "nodes": .array(nodes.map(\.json)),
            "decisions": .array(
                snapshot.decisions.map { $0.json(and: [("in_force", .bool(state(of: $0) == Self.inForce))]) }),
            "used_up": .array((snapshot.consumed ?? []).map(\.json)),
        ]
    }

    /// Row about a clock that was ahead, whose time still counts for timed permissions; empty if it never was.
    private var clock: [[String]] {
        guard let seen = snapshot.laterClock(than: now)?.exactNanoseconds else { return [] }
        return [
            [
                "Clock",
                "the store has seen a later one, \(CivilTime.localText(nanoseconds: seen)), by which permissions for a time count; "
                    + "'capturegate reset --clock' forgets it",
            ]
        ]
    }

    /// Capabilities that are switched off, sorted, so that two reports can be compared by diff(1).
    private var killSwitches: [String] { snapshot.killSwitches.map(\.rawValue).sorted() }
    /// State of a decision that counts now.
    private static let inForce = "in force"

    /// Rows of all decisions, used-up ones last.
    private var decisions: [String] {
        let all = snapshot.decisions.map { ($0, state(of: $0)) } + (snapshot.consumed ?? []).map { ($0, "used up") }
        let rows = all.map { decision, state in
            [
                "#\(decision.id ?? 0)", decision.verdict.rawValue, decision.capabilityPhrase,
                decision.device.phrase, decision.lifetime.phrase, state,
                decision.subject.executable.path.visible,
            ]
        }
        return rows.isEmpty ? ["  none"] : Table(rows: rows).lines.map { "  " + $0 }
    }

    /// State of a decision by the clocks and the session alone, judged as the gate does; devices and policy
    /// are shown elsewhere.
    private func state(of decision: Decision) -> String {
        switch decision.lifetime {
        case .until where snapshot.hasRunOut(decision, at: now): "over"
        case .session(let session) where session != subject.session: "of another session"
        default: Self.inForce
        }
    }
}

extension Paragraph {
    /// Names in a column, with their values beside them, each broken between words.
    ///
    /// - Parameter rows: a name and a value each.
    static func facts(_ rows: [[String]], margin: String = "", width: Int) -> [String] {
        let longest = rows.map { $0[0].count }.max() ?? 0
        return rows.flatMap { lines($0[1], behind: margin + $0[0].padded(to: longest) + "  ", width: width) }
    }
}

/// State of a device for this program: presence, holder, permission, and strength of the gate.
struct DeviceStatus {
    let device: Device
    /// Answer of the gate to this program, for the highest level.
    let status: AuthorizationStatus
    /// Level of protection of the device.
    let strength: GateStrength

    /// Reads the status without asking anybody.
    ///
    /// The highest level is queried, since a lower permission is shown with its level anyway.
    init(of device: Device, at gatekeeper: Gatekeeper) async {
        let levels = device.capability.levels.suffix(1).map { level in
            DeviceRequest(
                capability: device.capability, level: level, device: .id(device.id), purpose: "Show the status")
        }
        self.device = device
        status = await gatekeeper.status(of: Capability.All(levels))
        strength = GateStrength(of: device)
    }

    /// Cells of the device's row. Colour repeats what the words say, so nothing is lost without it.
    func row(_ style: TextStyle) -> [String] {
        let color =
            switch status {
            case .authorized: style.green
            case .denied, .restricted: style.red
            case .notDetermined: style.yellow
            }
        return [device.id.rawValue.visible, device.availability.phrase, color(status.phrase), strength.label]
    }

    /// Device for programs.
    var json: JSONValue {
        .object(
            [
                ("id", .string(device.id.rawValue)), ("name", .string(device.name)),
                ("capability", .string(device.capability.rawValue)),
            ] + device.availability.json + [
                ("authorization", .string(status.word)), ("reason", .string(status.phrase)),
                ("decision", status.decision?.id.map { .integer($0) } ?? .null),
                ("strength", .string(strength.level)), ("node_group", .optional(strength.group)),
            ])
    }
}

/// Protection of a device against programs that do not use CaptureGate.
struct GateStrength: Hashable {
    /// Group of the device's node; `nil` for built-in devices, which have none.
    let group: String?
    /// Level that the node has.
    private let name: String

    init(of device: Device) {
        let nodes = device.nodes.first.flatMap(NodeProtection.init(of:)).map { [$0] } ?? []
        group = nodes.first?.group
        name =
            nodes.isEmpty
            ? Guarantees.advisory.name : Guarantees.level(of: nodes, hasBroker: BrokerLink.machine != nil).name
    }

    /// Level for programs: `L2` if only the broker opens the node, otherwise `L0`.
    var level: String { name == Guarantees.broker.name ? "L2" : "L0" }

    /// Level and group for people.
    var label: String { group.map { "\(name) (node of group \($0.visible))" } ?? "\(name) (built in)" }

    /// Command that makes any program ask, or the features that this kernel lacks for it.
    static var supervision: [String] {
        let missing = Boundary.missingPieces
        guard !missing.isEmpty else {
            return [
                "To make any program ask: 'capturegate run -- PROGRAM', or always: 'capturegate wrap PROGRAM'."
            ]
        }
        return [
            "This kernel cannot make other programs ask: it lacks \(missing.joined(separator: " and ")).",
            "'capturegate run --advisory' does what is possible without that.",
        ]
    }

    /// Effect of the udev rules on this machine's nodes: all closed, or which ones others can open, and by
    /// what. Empty if no node has the group, since the rules are not installed then.
    static func explanation(of nodes: [NodeProtection]) -> [String] {
        guard nodes.contains(where: { $0.group == ownGroup }) else {
            return nodes.isEmpty
                ? [] : ["To close the devices to all other programs: 'sudo capturegate secure'."]
        }
        // One open node is enough to capture, so each of them is named.
        let open = nodes.map { ($0, $0.openers(besides: ownGroup)) }.filter { !$0.1.isEmpty }
        if open.isEmpty {
            return [
                "The udev rules give nodes to group \(ownGroup): only root and that group's members can open them."
            ]
        }
        return ["Nodes belong to group \(ownGroup), but others can open some of them, too:"]
            + open.map { node, openers in
                "  \(node.path.visible) (group \(node.group.visible)): \(openers.joined(separator: ", ").visible)"
            }
    }

    /// Group that the project's udev rules give to capture nodes.
    static let ownGroup = "capturegate"
}

extension NodeProtection {
    /// Node for programs. The mode is octal text with a leading zero, as chmod(1) takes it.
    var json: JSONValue {
        [
            "path": .string(path), "mode": .string("0" + String(mode, radix: 8)), "owner": .string(owner),
            "group": .string(group), "has_access_list": .bool(hasAccessList),
            "others": .strings(openers(besides: GateStrength.ownGroup)),
        ]
    }
}

extension AuthorizationStatus {
    /// Status for programs.
    var word: String {
        switch self {
        case .notDetermined: "not_determined"
        case .restricted: "restricted"
        case .denied: "denied"
        case .authorized: "authorized"
        }
    }

    /// Status for people, with what will happen at the next capture.
    var phrase: String {
        switch self {
        case .notDetermined(let previous):
            // A grant is bound to the hash of the program's file, so an update asks again. Explained, since it would look like a
            // fault.
            previous == nil ? "not decided: it will ask" : "the program has changed since it was allowed: it will ask"
        case .restricted(let restriction): "restricted: \(restriction.reason.visible)"
        case .denied(let decision): "denied\(Self.origin(decision))"
        case .authorized(let grant):
            "allowed (\(grant.level.name.visible), \(grant.lifetime.phrase))\(Self.origin(grant.decision))"
        }
    }

    /// Decision that the status rests on; `nil` if the policy, a kill switch or nobody decided.
    var decision: Decision? {
        switch self {
        case .denied(let decision): decision
        case .authorized(let grant): grant.decision
        case .notDetermined, .restricted: nil
        }
    }

    /// Number and author of a decision: the number is what a person quotes and finds in the log.
    private static func origin(_ decision: Decision) -> String {
        let number = decision.id.map { " #\($0)" } ?? ""
        return "\(number) by \(decision.decidedBy.description.visible)"
    }
}
