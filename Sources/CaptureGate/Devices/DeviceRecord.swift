/// What udev and sysfs say of one capture node, read without opening it.
struct DeviceRecord: Hashable, Sendable {
    /// Where the kernel keeps it below /sys.
    let systemPath: String
    /// `/dev/video0`, `/dev/snd/pcmC0D0c`.
    let node: String
    /// The device's own name: V4L2's card name, or ALSA's.
    let name: String
    /// udev's properties; empty where udevd does not run.
    let properties: [String: String]
    /// The USB interface or other parent that the nodes of one camera share.
    let parentPath: String?
    /// V4L2's index below the parent, or ALSA's device number.
    let index: Int
    /// ALSA's card number; `nil` for cameras.
    var card: Int?

    /// Whether it, or what it belongs to, stands at one of these paths in /sys.
    func isIn(_ paths: Set<String>) -> Bool {
        paths.contains(systemPath) || parentPath.map { paths.contains($0) } ?? false
    }
}
