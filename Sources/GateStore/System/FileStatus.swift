import CSystem

/// What stat(2) says of a file.
struct FileStatus: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case file, directory, link, other
    }

    let device: UInt64
    let inode: UInt64
    let kind: Kind
    /// The twelve permission bits.
    let permissions: UInt32
    let owner: UInt32
    /// How many names it has.
    let links: UInt64
    let size: Int64
    let modifiedNanoseconds: Int64
    let changedNanoseconds: Int64

    /// Whether somebody besides the owner may write.
    var isWritableByOthers: Bool { permissions & 0o022 != 0 }

    /// Of a path, symbolic links followed; a failure is -errno.
    static func of(_ path: String) -> Result<FileStatus, SystemFailure> {
        var raw = cs_file_status()
        return wrapped(cs_stat(path, &raw), raw)
    }

    /// Of a path itself, also where it is a symbolic link.
    static func ofLink(_ path: String) -> Result<FileStatus, SystemFailure> {
        var raw = cs_file_status()
        return wrapped(cs_lstat(path, &raw), raw)
    }

    static func of(descriptor: Int32) -> Result<FileStatus, SystemFailure> {
        var raw = cs_file_status()
        return wrapped(cs_fstat(descriptor, &raw), raw)
    }

    private static func wrapped(_ result: Int32, _ raw: cs_file_status) -> Result<FileStatus, SystemFailure> {
        result < 0 ? .failure(SystemFailure(result: result)) : .success(FileStatus(raw))
    }

    private init(_ raw: cs_file_status) {
        device = raw.device
        inode = raw.inode
        kind = Kind(mode: raw.mode)
        permissions = raw.mode & 0o7777
        owner = raw.uid
        links = raw.links
        size = raw.size
        modifiedNanoseconds = raw.mtime_ns
        changedNanoseconds = raw.ctime_ns
    }
}

extension FileStatus.Kind {
    fileprivate init(mode: UInt32) {
        switch Int(mode) & CS_MODE_KIND {
        case CS_MODE_FILE: self = .file
        case CS_MODE_DIRECTORY: self = .directory
        case CS_MODE_LINK: self = .link
        default: self = .other
        }
    }
}
