import Gate
import LinuxSystem

/// The rights to a device node: its owner, its group, its mode and its access list.
///
/// *thread-safe*
package struct NodeProtection: Sendable {
    package let path: String
    /// The nine permission bits. If there is an access list, those of the group are its mask.
    package let mode: UInt32
    /// Name of the owner, or the number if none exists.
    package let owner: String
    package let group: String
    private let ownerID: UInt32
    /// `nil` if it has none.
    private let accessList: AccessList?

    /// - Returns: `nil` if there is no such node.
    package init?(of path: String) {
        guard case .success(let status) = FileStatus.of(path) else { return nil }
        self.init(path: path, status, AccessList.of(path))
    }

    init(path: String, _ status: FileStatus, _ accessList: AccessList?) {
        self.init(
            path: path, mode: status.permissions & 0o777, owner: (status.owner, Users.name(ofUser: status.owner)),
            group: (status.group, Users.name(ofGroup: status.group)), accessList)
    }

    init(
        path: String, mode: UInt32, owner: (id: UInt32, name: String), group: (id: UInt32, name: String),
        _ accessList: AccessList? = nil
    ) {
        self.path = path
        self.mode = mode
        (ownerID, self.owner) = owner
        self.group = group.name
        self.accessList = accessList
    }

    package var hasAccessList: Bool { accessList != nil }

    /// Everybody who can open it besides root and the members of a group, a few words each. Permission to read is enough to
    /// capture, and so is permission to write, since streaming uses ioctl.
    package func openers(besides own: String) -> [String] {
        var openers: [String] = []
        // The owner may add the rights that the mode denies.
        if ownerID != 0 { openers.append("its owner \(owner)") }
        let groupMode = accessList?.groupPermissions ?? (mode >> 3)
        if group != own, groupMode & 0o6 != 0 { openers.append("group \(group)") }
        openers += (accessList?.users ?? []).filter { $0 != 0 }.map {
            "user \(Users.name(ofUser: $0)) by its access list"
        }
        openers += (accessList?.groups ?? []).map { Users.name(ofGroup: $0) }.filter { $0 != own }
            .map { "group \($0) by its access list" }
        if mode & 0o6 != 0 { openers.append("everybody by its mode 0\(String(mode, radix: 8))") }
        if accessList?.isUnreadable == true { openers.append("unknown users: its access list can't be read") }
        return openers
    }

    /// Every node of this machine that captures or leads to what does, as the udev rules know them, sorted by name.
    package static func all(in folder: String = "/dev") -> [NodeProtection] {
        let video = ProcessFile.names(in: folder).filter { name in
            ["video", "media", "v4l-subdev", "dsp", "adsp", "audio"].contains { isNumbered(name, $0) }
        }
        let sound = ProcessFile.names(in: "\(folder)/snd").filter { $0.hasPrefix("pcmC") && $0.hasSuffix("c") }.map {
            "snd/\($0)"
        }
        let other = outputs
        return (video + sound).sorted().map { "\(folder)/\($0)" }.filter { !other.contains($0) }
            .compactMap { NodeProtection(of: $0) }
    }

    /// Capabilities of a video node as udev has them, such as `:capture:`; `nil` if it has none.
    package static func capabilities(ofVideo node: DeviceNumber) -> String? {
        var found: String?
        _ = UdevEnumerator.forEach(in: "video4linux", named: "video*") { device in
            guard let path = device.node, let status = try? FileStatus.of(path).get(), status.node == node else {
                return
            }
            found = device.properties["ID_V4L_CAPABILITIES"]
        }
        return found
    }

    /// Video nodes that do not show anybody, according to udev: outputs, codecs, metadata.
    private static var outputs: Set<String> {
        var nodes: Set<String> = []
        _ = UdevEnumerator.forEach(in: "video4linux", named: "video*") { device in
            let capabilities = device.properties["ID_V4L_CAPABILITIES"]
            if let capabilities, !capabilities.contains(":capture:"), let node = device.node { nodes.insert(node) }
        }
        return nodes
    }

    private static func isNumbered(_ name: String, _ kind: String) -> Bool {
        name.hasPrefix(kind) && name.dropFirst(kind.count).allSatisfy { $0.isASCII && $0.isNumber }
    }
}

/// A POSIX access list as the kernel keeps it in `system.posix_acl_access`: a version, then entries of a tag, permissions and
/// an id.
///
/// Standard: linux/posix_acl_xattr.h, version 2.
struct AccessList: Hashable, Sendable {
    /// Users and groups that it lets read or write, its mask applied.
    private(set) var users: [UInt32] = []
    private(set) var groups: [UInt32] = []
    /// Permissions of the node's own group, the mask applied.
    private(set) var groupPermissions: UInt32 = 0
    /// It is there and means nothing to us.
    private(set) var isUnreadable = false

    /// - Returns: `nil` if a file has none.
    static func of(_ path: String) -> AccessList? {
        do throws(Errno) {
            let bytes = try FileSystem.attribute("system.posix_acl_access", of: path)
            return bytes.isEmpty ? nil : AccessList(bytes[...])
        } catch {
            return error == .noData || error == .notSupported ? nil : AccessList([])
        }
    }

    init(_ bytes: ArraySlice<UInt8>) {
        let words = Array(bytes)
        guard words.count >= 4, words.count % 8 == 4, Self.number(words, at: 0, bytes: 4) == 2 else {
            isUnreadable = true
            return
        }
        let entries = stride(from: 4, to: words.count, by: 8).map { place in
            (
                tag: Self.number(words, at: place, bytes: 2), permissions: Self.number(words, at: place + 2, bytes: 2),
                id: Self.number(words, at: place + 4, bytes: 4)
            )
        }
        let mask = entries.first { $0.tag == Tag.mask }?.permissions ?? 0o7
        for entry in entries {
            let permissions = entry.permissions & mask
            switch entry.tag {
            case Tag.user where permissions & 0o6 != 0: users.append(entry.id)
            case Tag.group where permissions & 0o6 != 0: groups.append(entry.id)
            case Tag.ownGroup: groupPermissions = permissions
            default: break
            }
        }
    }

    /// ACL_USER, ACL_GROUP_OBJ, ACL_GROUP and ACL_MASK.
    private enum Tag {
        static let user: UInt32 = 0x02
        static let ownGroup: UInt32 = 0x04
        static let group: UInt32 = 0x08
        static let mask: UInt32 = 0x10
    }

    private static func number(_ bytes: [UInt8], at place: Int, bytes count: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: LittleEndian.number(bytes, at: place, count))
    }
}

/// A check that a device node's owner, group and mode let this user in, made without opening it.
enum NodeAccess {
    /// - Returns: `nil` if the node may be opened.
    static func restriction(on node: String) -> Restriction? {
        let refusal = FileSystem.refusal(of: [.read, .write], to: node)
        guard refusal == .permissionDenied || refusal == .notPermitted else { return nil }
        return restriction(on: node, try? FileStatus.of(node).get())
    }

    /// - Parameter status: `nil` if the directory of the node can't be searched by this user.
    static func restriction(on node: String, _ status: FileStatus?) -> Restriction {
        let shown = VisibleText.of(node)
        return Restriction(
            cause: .nodePermissions(node: node),
            reason: "This user may not open \(shown)" + (status.map { " (\(describe($0)))." } ?? "."),
            remedies: status.map(remedies) ?? [Remedy("Ask the administrator for access to the directory of \(shown).")]
        )
    }

    private static func describe(_ status: FileStatus) -> String {
        let mode = String(status.permissions & 0o777, radix: 8)
        return "mode 0\(mode), owner \(Users.name(ofUser: status.owner)), group \(Users.name(ofGroup: status.group))"
    }

    /// udev opens the devices of a seat to the person at it (uaccess), whatever the group is.
    private static func remedies(_ status: FileStatus) -> [Remedy] {
        let seat = Remedy("Or log in at the machine's own seat: such a session gets access to its devices.")
        guard status.permissions & 0o060 == 0o060, status.group != 0 else {
            return [Remedy("Ask the administrator to give the node a group. Now only its owner can open it."), seat]
        }
        let group = Users.name(ofGroup: status.group)
        return [
            Remedy("Join the group \(group), then log in again.", command: "sudo usermod -aG \(group) \"$USER\""), seat,
        ]
    }
}
