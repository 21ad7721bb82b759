import CSystem
import Gate

/// Whether a device node's owner, group and mode let this user in, read without opening it.
enum NodeAccess {
    /// - Returns: `nil` where the node may be opened.
    static func restriction(on node: String) -> Restriction? {
        let outcome = cs_access(node, R_OK | W_OK)
        guard outcome == -EACCES || outcome == -EPERM else { return nil }
        var status = cs_file_status()
        let known = cs_stat(node, &status) >= 0
        return Restriction(
            cause: .nodePermissions(node: node),
            reason: "The permissions of \(node) refuse this user" + (known ? " (\(describe(status)))." : "."),
            remedies: known ? remedies(status) : [])
    }

    private static func describe(_ status: cs_file_status) -> String {
        "mode 0\(String(status.mode & 0o777, radix: 8)), group \(SystemText.group(status.gid))"
    }

    private static func remedies(_ status: cs_file_status) -> [Remedy] {
        guard status.mode & 0o060 == 0o060, status.gid != 0 else {
            return [Remedy("Ask the administrator: only root may open this node.")]
        }
        let group = SystemText.group(status.gid)
        return [
            Remedy("Join the group \(group), then log in again.", command: "sudo usermod -aG \(group) \"$USER\""),
            Remedy("Or log in at the machine's own seat, where the session is given its devices."),
        ]
    }
}
