import CSystem

/// Who may open the node of a device, by its owner, its group, its mode and its access list.
///
/// *thread-safe*
package struct NodeProtection: Sendable {
    package let path: String
    /// The nine permission bits. Where there is an access list, those of the group are its mask.
    package let mode: UInt32
    /// By name, or by number where it has none.
    package let owner: String
    package let group: String
    private let ownerID: UInt32
    /// `nil` where it has none.
    private let accessList: AccessList?

    /// - Returns: `nil` where there is no such node.
    package init?(of path: String) {
        var status = cs_file_status()
        guard cs_stat(path, &status) >= 0 else { return nil }
        self.init(path: path, status, AccessList.of(path))
    }

    init(path: String, _ status: cs_file_status, _ accessList: AccessList?) {
        self.init(
            path: path, mode: status.mode & 0o777, owner: (status.uid, SystemText.user(status.uid)),
            group: (status.gid, SystemText.group(status.gid)), accessList)
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

    /// Who can open it besides root and the members of a group, a few words each. Reading alone is enough to capture, and so is
    /// writing: streaming goes by ioctl.
    package func openers(besides own: String) -> [String] {
        var openers: [String] = []
        // The owner may give himself what the mode does not.
        if ownerID != 0 { openers.append("its owner \(owner)") }
        let groupMode = accessList?.groupPermissions ?? (mode >> 3)
        if group != own, groupMode & 0o6 != 0 { openers.append("group \(group)") }
        openers += (accessList?.users ?? []).filter { $0 != 0 }.map { "user \(SystemText.user($0)) by its access list" }
        openers += (accessList?.groups ?? []).map { SystemText.group($0) }.filter { $0 != own }
            .map { "group \($0) by its access list" }
        if mode & 0o6 != 0 { openers.append("everybody by its mode 0\(String(mode, radix: 8))") }
        if accessList?.isUnreadable == true { openers.append("nobody knows who: its access list can't be read") }
        return openers
    }

    /// Every node of this machine that captures or leads to what does, as the udev rules know them, sorted by name.
    package static func all(in folder: String = "/dev") -> [NodeProtection] {
        let video = names(in: folder).filter { name in
            ["video", "media", "v4l-subdev", "dsp", "adsp", "audio"].contains { isNumbered(name, $0) }
        }
        let sound = names(in: "\(folder)/snd").filter { $0.hasPrefix("pcmC") && $0.hasSuffix("c") }.map { "snd/\($0)" }
        let other = outputs
        return (video + sound).sorted().map { "\(folder)/\($0)" }.filter { !other.contains($0) }
            .compactMap { NodeProtection(of: $0) }
    }

    /// Video nodes of which udev knows that they show nobody's picture: outputs, codecs, metadata.
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

    private static func names(in folder: String) -> [String] {
        var opened: UnsafeMutableRawPointer?
        guard cs_directory_open(folder, &opened) >= 0, let directory = opened else { return [] }
        defer { _ = cs_directory_close(directory) }
        var names: [String] = []
        var entry = cs_directory_entry()
        while cs_directory_next(directory, &entry) > 0 {
            names.append(withUnsafeBytes(of: entry.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names
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
    /// Of the node's own group, its mask applied.
    private(set) var groupPermissions: UInt32 = 0
    /// It is there and means nothing to us.
    private(set) var isUnreadable = false

    /// - Returns: `nil` where a file has none.
    static func of(_ path: String) -> AccessList? {
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        let length = cs_getxattr(path, "system.posix_acl_access", &bytes, bytes.count)
        if [-Int64(ENODATA), -Int64(ENOTSUP), 0].contains(length) { return nil }
        return AccessList(bytes.prefix(Int(max(0, length))))
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

    /// Little-endian.
    private static func number(_ bytes: [UInt8], at place: Int, bytes count: Int) -> UInt32 {
        (0..<count).reduce(0) { $0 | UInt32(bytes[place + $1]) << (8 * UInt32($1)) }
    }
}
