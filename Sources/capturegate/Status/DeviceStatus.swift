import CaptureGate

/// State of a device for this program: presence, holder, permission, and strength of the gate.
struct DeviceStatus {
    let device: Device
    let status: AuthorizationStatus
    let strength: GateStrength

    /// Reads the status without asking anybody.
    ///
    /// The highest level is asked about, since a lower permission is shown with its level anyway.
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

/// Protection of a device against programs that do not ask the gate.
///
/// Shown because an honest gate says what it can't do: a library can hold back only the programs that use it.
struct GateStrength: Hashable {
    /// Group of the device's node; `nil` for built-in devices, which have none.
    let group: String?

    init(of device: Device) {
        group = device.nodes.first.flatMap(NodeProtection.init(of:))?.group
    }

    /// Level in force: the gate is part of the programs that ask it.
    var level: String { "L0" }

    /// Level and group for people.
    var label: String { group.map { "L0 (node of group \($0.visible))" } ?? "L0 (built in)" }

    static let explanation =
        "L0 advisory: programs that ask CaptureGate are held to it; any other program that may open a device's node can "
        + "capture without asking."

    /// Effect of the udev rules on this machine's nodes: all closed, or which ones others can open, and by
    /// what. Empty where no node has the group, since the rules are not installed then.
    static func explanation(of nodes: [NodeProtection]) -> [String] {
        guard nodes.contains(where: { $0.group == ownGroup }) else { return [] }
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
            // A grant is bound to the hash of the program's file, so an update asks again; said, lest it look
            // like a fault.
            previous == nil ? "not decided: it will ask" : "the program has changed since it was allowed: it will ask"
        case .restricted(let restriction): "restricted: \(restriction.reason.visible)"
        case .denied(let decision): "denied\(Self.origin(decision))"
        case .authorized(let grant):
            "allowed (\(grant.level.name.visible), \(grant.lifetime.phrase))\(Self.origin(grant.decision))"
        }
    }

    /// Decision that the status rests on; `nil` where the policy, a kill switch or nobody decided.
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
