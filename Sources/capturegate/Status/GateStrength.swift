import CaptureGate

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
