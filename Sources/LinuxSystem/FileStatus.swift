import CSystem

/// The kernel's record of a file, as stat(2) fills it.
///
/// *thread-safe*
package struct FileStatus: Hashable, Sendable {
    /// The kind of a file, by the bits of its mode under S_IFMT.
    package enum Kind: Hashable, Sendable {
        case file, directory, link, characterDevice, blockDevice, pipe, socket, other
    }

    package let device: UInt64
    package let inode: UInt64
    package let kind: Kind
    /// The twelve permission bits.
    package let permissions: UInt32
    package let owner: UInt32
    package let group: UInt32
    /// The device that a node stands for.
    package let node: DeviceNumber
    /// Names of the file; some file systems count none.
    package let links: UInt64
    /// Bytes.
    package let size: Int64
    /// `st_mtim`, nanoseconds since 1970.
    package let modifiedNanoseconds: Int64
    /// `st_ctim`, nanoseconds since 1970. No program can set it: inode(7).
    package let changedNanoseconds: Int64

    /// Writable by somebody besides the owner, as far as the mode says.
    package var isWritableByOthers: Bool { permissions & 0o022 != 0 }

    /// The same, as another user's: of a file that was just made here, which a file system may give to whoever mounted it.
    package func owned(by user: UInt32) -> FileStatus {
        FileStatus(
            device: device, inode: inode, kind: kind, permissions: permissions, owner: user, group: group, node: node,
            links: links, size: size, modifiedNanoseconds: modifiedNanoseconds, changedNanoseconds: changedNanoseconds)
    }

    /// Compares by device and inode, whatever the file is called.
    package func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }

    package init(
        device: UInt64 = 0, inode: UInt64 = 0, kind: Kind = .file, permissions: UInt32 = 0, owner: UInt32 = 0,
        group: UInt32 = 0, node: DeviceNumber = DeviceNumber(0), links: UInt64 = 1, size: Int64 = 0,
        modifiedNanoseconds: Int64 = 0, changedNanoseconds: Int64 = 0
    ) {
        self.device = device
        self.inode = inode
        self.kind = kind
        self.permissions = permissions
        self.owner = owner
        self.group = group
        self.node = node
        self.links = links
        self.size = size
        self.modifiedNanoseconds = modifiedNanoseconds
        self.changedNanoseconds = changedNanoseconds
    }
}

// Results and not throws: that there is no such file is as often an answer as an error.
extension FileStatus {
    /// The status behind a path, symbolic links followed. The corresponding C function is `stat`.
    package static func of(_ path: String) -> Result<FileStatus, Errno> {
        var raw = cs_file_status()
        return wrapped(cs_stat(path, &raw), raw)
    }

    /// The status of a path itself, also where it is a symbolic link. The corresponding C function is `lstat`.
    package static func ofLink(_ path: String) -> Result<FileStatus, Errno> {
        var raw = cs_file_status()
        return wrapped(cs_lstat(path, &raw), raw)
    }

    /// The status of an open file. The corresponding C function is `fstat`.
    package static func of(_ file: borrowing some OpenFile & ~Copyable) -> Result<FileStatus, Errno> {
        var raw = cs_file_status()
        return wrapped(cs_fstat(file.number, &raw), raw)
    }

    private static func wrapped(_ result: Int32, _ raw: cs_file_status) -> Result<FileStatus, Errno> {
        result < 0 ? .failure(Errno(result: result)) : .success(FileStatus(raw))
    }

    private init(_ raw: cs_file_status) {
        self.init(
            device: raw.device, inode: raw.inode, kind: Kind(mode: raw.mode), permissions: raw.mode & 0o7777,
            owner: raw.uid, group: raw.gid, node: DeviceNumber(raw.raw_device), links: raw.links, size: raw.size,
            modifiedNanoseconds: raw.mtime_ns, changedNanoseconds: raw.ctime_ns)
    }
}

extension FileStatus.Kind {
    fileprivate init(mode: UInt32) {
        switch Int(mode) & CS_MODE_KIND {
        case CS_MODE_FILE: self = .file
        case CS_MODE_DIRECTORY: self = .directory
        case CS_MODE_LINK: self = .link
        case CS_MODE_CHARACTER: self = .characterDevice
        case CS_MODE_BLOCK: self = .blockDevice
        case CS_MODE_PIPE: self = .pipe
        case CS_MODE_SOCKET: self = .socket
        default: self = .other
        }
    }
}

/// The kernel's number of a device: makedev(3).
package struct DeviceNumber: Hashable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The driver's part and the device's own. The corresponding C macros are `major` and `minor`.
    package var parts: (major: UInt32, minor: UInt32) {
        var (major, minor): (UInt32, UInt32) = (0, 0)
        cs_device_numbers(rawValue, &major, &minor)
        return (major, minor)
    }
}
