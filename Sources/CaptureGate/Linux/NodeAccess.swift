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
        return restriction(on: node, known ? status : nil)
    }

    /// - Parameter status: `nil` where the folder of the node lets this user not even look.
    static func restriction(on node: String, _ status: cs_file_status?) -> Restriction {
        let shown = VisibleText.of(node)
        return Restriction(
            cause: .nodePermissions(node: node),
            reason: "The permissions of \(shown) refuse this user" + (status.map { " (\(describe($0)))." } ?? "."),
            remedies: status.map(remedies) ?? [Remedy("Ask the administrator: the folder of \(shown) is closed.")])
    }

    private static func describe(_ status: cs_file_status) -> String {
        let mode = String(status.mode & 0o777, radix: 8)
        return "mode 0\(mode), owner \(SystemText.user(status.uid)), group \(SystemText.group(status.gid))"
    }

    /// udev opens the devices of a seat to whoever sits at it (uaccess), whatever the group is.
    private static func remedies(_ status: cs_file_status) -> [Remedy] {
        let seat = Remedy("Or log in at the machine's own seat, where the session is given its devices.")
        guard status.mode & 0o060 == 0o060, status.gid != 0 else {
            return [Remedy("Ask the administrator to give the node a group: now only its owner may open it."), seat]
        }
        let group = SystemText.group(status.gid)
        return [
            Remedy("Join the group \(group), then log in again.", command: "sudo usermod -aG \(group) \"$USER\""), seat,
        ]
    }
}
