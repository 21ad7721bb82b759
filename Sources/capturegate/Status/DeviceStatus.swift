import CaptureGate

/// How a device stands for this program: is it there, who holds it, is it allowed.
struct DeviceStatus {
    let device: Device
    let status: AuthorizationStatus
    let strength: GateStrength

    init(of device: Device, at gatekeeper: Gatekeeper) async {
        let levels = device.capability.levels.suffix(1).map { level in
            DeviceRequest(
                capability: device.capability, level: level, device: .id(device.id), purpose: "Show the status")
        }
        self.device = device
        status = await gatekeeper.status(of: Capability.All(levels))
        strength = GateStrength(of: device)
    }

    func row(_ style: TextStyle) -> [String] {
        let color =
            switch status {
            case .authorized: style.green
            case .denied, .restricted: style.red
            case .notDetermined: style.yellow
            }
        return [device.id.rawValue.visible, device.availability.phrase, color(status.phrase), strength.label]
    }

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

/// What keeps a program away from a device here.
struct GateStrength: Hashable {
    /// The group of the device's node; `nil` for built-in devices.
    let group: String?

    init(of device: Device) {
        group = device.nodes.first.flatMap(NodeProtection.init(of:))?.group
    }

    /// The level in force: the gate is inside the programs that ask it.
    var level: String { "L0" }

    var label: String { group.map { "L0 (node of group \($0.visible))" } ?? "L0 (built in)" }

    static let explanation =
        "L0 advisory: programs that ask CaptureGate are held to it; any other program that may open a device's node can "
        + "capture without asking."

    /// What the udev rules have made of this machine's nodes: that they are closed, where every one of them is, or which one
    /// others can open, and by what. Nothing where none of them has the group.
    static func explanation(of nodes: [NodeProtection]) -> [String] {
        guard nodes.contains(where: { $0.group == ownGroup }) else { return [] }
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

    static let ownGroup = "capturegate"
}

extension NodeProtection {
    var json: JSONValue {
        [
            "path": .string(path), "mode": .string("0" + String(mode, radix: 8)), "owner": .string(owner),
            "group": .string(group), "has_access_list": .bool(hasAccessList),
            "others": .strings(openers(besides: GateStrength.ownGroup)),
        ]
    }
}

extension AuthorizationStatus {
    /// For programs.
    var word: String {
        switch self {
        case .notDetermined: "not_determined"
        case .restricted: "restricted"
        case .denied: "denied"
        case .authorized: "authorized"
        }
    }

    /// For people.
    var phrase: String {
        switch self {
        case .notDetermined(let previous):
            previous == nil ? "not decided: it will ask" : "the program has changed since it was allowed: it will ask"
        case .restricted(let restriction): "restricted: \(restriction.reason.visible)"
        case .denied(let decision): "denied\(Self.origin(decision))"
        case .authorized(let grant):
            "allowed (\(grant.level.name.visible), \(grant.lifetime.phrase))\(Self.origin(grant.decision))"
        }
    }

    var decision: Decision? {
        switch self {
        case .denied(let decision): decision
        case .authorized(let grant): grant.decision
        case .notDetermined, .restricted: nil
        }
    }

    private static func origin(_ decision: Decision) -> String {
        let number = decision.id.map { " #\($0)" } ?? ""
        return "\(number) by \(decision.decidedBy.description.visible)"
    }
}
