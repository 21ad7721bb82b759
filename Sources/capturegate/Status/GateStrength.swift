import CaptureGate
import Glibc

/// What keeps a program away from a device here.
struct GateStrength: Hashable {
    /// The group of the device's node; `nil` for built-in devices.
    let group: String?

    init(of device: Device) {
        group = device.nodes.first.flatMap(Self.group)
    }

    /// The level in force: the gate is inside the programs that ask it.
    var level: String { "L0" }

    var label: String {
        switch group {
        case nil: "L0 (built in)"
        case Self.ownGroup: "L0 (node of group \(Self.ownGroup))"
        case .some(let group): "L0 (node of group \(group))"
        }
    }

    var isOwnGroup: Bool { group == Self.ownGroup }

    static let explanation =
        "L0 advisory: programs that ask CaptureGate are held to it; any other program that may open a device's node can "
        + "capture without asking."

    static let groupExplanation =
        "The udev rules give nodes to group \(ownGroup): only root and that group's members can open them."

    private static let ownGroup = "capturegate"

    private static func group(of node: String) -> String? {
        var status = stat()
        guard stat(node, &status) == 0 else { return nil }
        guard let entry = getgrgid(status.st_gid), let name = entry.pointee.gr_name else { return "\(status.st_gid)" }
        return String(cString: name)
    }
}
