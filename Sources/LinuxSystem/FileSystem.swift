import CSystem

/// Calls on files by their paths.
///
/// Paths are absolute, or relative to the working directory; the kernel reads them up to a NUL.
///
/// *thread-safe*
package enum FileSystem {
    /// Rights to a file, as access(2) asks for them.
    package struct Access: OptionSet, Sendable {
        package let rawValue: Int32

        package init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        /// F_OK: that it is there.
        package static let existence: Access = []
        /// R_OK.
        package static let read = Access(rawValue: R_OK)
        /// W_OK.
        package static let write = Access(rawValue: W_OK)
        /// X_OK; of a directory, the right to look names up in it.
        package static let execute = Access(rawValue: X_OK)
    }

    /// Asks for the effective ids, as opening does. The corresponding C function is `faccessat` with AT_EACCESS.
    ///
    /// - Returns: EACCES, EROFS or why it can't be told; `nil` where this user has the right.
    package static func refusal(of access: Access, to path: String) -> Errno? {
        let result = cs_access(path, access.rawValue)
        return result < 0 ? Errno(result: result) : nil
    }

    /// The same as a yes or no; a right that can't be asked for is none.
    package static func allows(_ access: Access, to path: String) -> Bool { refusal(of: access, to: path) == nil }

    /// Bytes that this user may still write to the file system of a path. The corresponding C function is `statvfs`.
    package static func freeBytes(at path: String) throws(Errno) -> Int64 { try checked(cs_free_bytes(path)) }

    /// Makes a directory. The corresponding C function is `mkdir`.
    ///
    /// - Parameters:
    ///   - path: its name; those above must be there.
    ///   - mode: the permission bits, less the process's umask.
    package static func makeDirectory(_ path: String, mode: UInt32) throws(Errno) { try checked(cs_mkdir(path, mode)) }

    /// Removes a name. The corresponding C function is `unlink`.
    package static func remove(_ path: String) throws(Errno) { try checked(cs_unlink(path)) }

    /// Gives a file one more name. The corresponding C function is `link`.
    package static func link(_ path: String, as name: String) throws(Errno) { try checked(cs_link(path, name)) }

    /// Renames a file, and replaces what has the name. The corresponding C function is `rename`.
    package static func rename(_ path: String, to name: String) throws(Errno) { try checked(cs_rename(path, name)) }

    /// Renames a file where the name is free. The corresponding C function is `renameat2` with RENAME_NOREPLACE.
    ///
    /// - Throws: EEXIST where the name is taken, EINVAL of a file system that can't do it.
    package static func renameWithoutReplacing(_ path: String, to name: String) throws(Errno) {
        try checked(cs_rename_noreplace(path, name))
    }

    /// The text of a symbolic link. The corresponding C function is `readlink`.
    package static func target(ofLink path: String) throws(Errno) -> String {
        try text { cs_readlink(path, $0, $1) }
    }

    /// The absolute path without links and dots. The corresponding C function is `realpath`.
    package static func realPath(of path: String) throws(Errno) -> String {
        try text { cs_realpath(path, $0, $1) }
    }

    /// The value of an extended attribute. The corresponding C function is `getxattr`.
    ///
    /// - Parameters:
    ///   - name: with its class, such as `system.posix_acl_access`.
    ///   - path: whose it is, links followed.
    /// - Throws: ENODATA where the file has none, ENOTSUP where its file system has none.
    package static func attribute(_ name: String, of path: String) throws(Errno) -> [UInt8] {
        // The kernel's own limit: XATTR_SIZE_MAX.
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        let count = try checked(cs_getxattr(path, name, &bytes, bytes.count))
        return Array(bytes.prefix(Int(count)))
    }

    /// Names in a directory, without those of itself and its parent, in no order. The corresponding C function is
    /// `readdir`.
    ///
    /// - Parameters:
    ///   - path: the directory's.
    ///   - limit: how many at most.
    package static func names(in path: String, limit: Int = .max) throws(Errno) -> [String] {
        var opened: UnsafeMutableRawPointer?
        try checked(cs_directory_open(path, &opened))
        guard let directory = opened else { return [] }
        defer { _ = cs_directory_close(directory) }
        var names: [String] = []
        var entry = cs_directory_entry()
        while names.count < limit, try checked(cs_directory_next(directory, &entry)) > 0 {
            let name = LinuxSystem.text(of: entry.name)
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// - Parameter body: writes at most so many bytes and a NUL, and returns how many.
    private static func text(_ body: (UnsafeMutablePointer<CChar>, Int) -> Int64) throws(Errno) -> String {
        var result: Int64 = 0
        // PATH_MAX, and the NUL of a path that is as long.
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4097) { bytes in
            guard let start = bytes.baseAddress else { return "" }
            result = body(start, bytes.count)
            return result < 0 ? "" : String(cString: start)
        }
        try checked(result)
        return text
    }
}

/// Text of a C record's array of chars, which ends with a NUL.
func text<Record>(of chars: Record) -> String {
    withUnsafeBytes(of: chars) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
