import Gate
import LinuxSystem

/// The directory of a user's grant store, checked to be writable only for that user.
struct StateDirectory: Sendable {
    let path: String
    private let user: UInt32

    /// Names of the store's files.
    static let database = "grants.sqlite"
    static let head = "audit.head"
    static let questions = "questions.lock"
    private static let files =
        [database, head, questions] + ["-wal", "-shm", "-journal"].map { database + $0 }

    var databasePath: String { path + "/" + StateDirectory.database }
    var headPath: String { path + "/" + StateDirectory.head }

    /// Creates the directory (0700) if it is missing, and checks it and the store's files.
    ///
    /// - Parameter user: required owner of everything.
    /// - Throws: `.store` if somebody else could have written here, or this user can't.
    init(preparing path: String, for user: UInt32 = Users.effectiveID) throws(CaptureError) {
        guard path.hasPrefix("/") else {
            throw StoreFailure.error(
                "The directory of the permission database, \(path), is not an absolute path.",
                errno: Errno.invalidArgument.number,
                "Write an absolute path.")
        }
        self.path = path
        self.user = user
        try StateDirectory.make(path)
        try check()
    }

    /// Checks the directory and the store's files by their paths alone, so that it can be done before each use.
    ///
    /// - Throws: `.store` if somebody else could have written here, or this user can't.
    func check() throws(CaptureError) {
        try checkFolder()
        for name in StateDirectory.files {
            try checkFile(path + "/" + name)
        }
    }

    /// Creates the directory and its missing parents.
    private static func make(_ path: String) throws(CaptureError) {
        var made = ""
        for name in path.split(separator: "/") {
            made += "/" + name
            let failure: Errno
            do throws(Errno) {
                try FileSystem.makeDirectory(made, mode: 0o700)
                continue
            } catch {
                failure = error
            }
            // Only missing directories matter; a parent may be unreadable and still be searchable.
            if failure == .fileExists || FileSystem.allows(.existence, to: made) { continue }
            throw StoreFailure.error(
                "The directory of the permission database, \(path), can't be created: \(failure.text) at \(made).",
                errno: failure.number,
                "Create it, writable only for this user, or choose another one with XDG_STATE_HOME.",
                command: ["mkdir", "-p", "-m", "700", path])
        }
    }

    /// Checks the directory itself: no link, owned by this user, closed to others, on a writable file system.
    private func checkFolder() throws(CaptureError) {
        let status = try StateDirectory.status(of: path, FileStatus.ofLink(path))
        guard status.kind != .link else {
            throw StoreFailure.error(
                "The directory of the permission database, \(path), is a symbolic link, whose owner could replace the database.",
                errno: Errno.tooManySymbolicLinkLevels.number,
                "Put the directory itself there, or set its path with XDG_STATE_HOME.",
                command: ["ls", "-ld", path])
        }
        guard status.kind == .directory else {
            throw StoreFailure.error(
                "The directory of the permission database, \(path), is not a directory.",
                errno: Errno.notDirectory.number,
                "Move it away.", command: ["mv", path, "\(path).old"])
        }
        try StateDirectory.checkTrust(of: status, at: path, mode: "700", user: user)
        let refusal = FileSystem.refusal(of: [.write, .execute], to: path)
        guard refusal != .readOnlyFileSystem else {
            throw StoreFailure.error(
                "The directory of the permission database, \(path), is on a read-only file system.",
                errno: Errno.readOnlyFileSystem.number,
                "Mount it writable, or choose another directory with XDG_STATE_HOME.",
                command: ["findmnt", "-T", path])
        }
        guard refusal == nil || refusal == .noSuchFileOrDirectory else {
            throw StoreFailure.error(
                "The directory of the permission database, \(path), is not writable.",
                errno: Errno.permissionDenied.number,
                "Make it writable for this user, or choose another one with XDG_STATE_HOME.",
                command: ["chmod", "700", path])
        }
    }

    /// Checks a file of the store by its path, if it exists.
    private func checkFile(_ file: String) throws(CaptureError) {
        // By its path alone: closing a descriptor of a database drops every lock that this process has on it (fcntl(2)). A file
        // that is gone by now is harmless: SQLite removes files when the last program closes them.
        let found = FileStatus.ofLink(file)
        if case .failure(let failure) = found, failure == .noSuchFileOrDirectory { return }
        let status = try StateDirectory.status(of: file, found)
        try StateDirectory.checkFile(status, at: file, for: user)
        // SQLite would open it anyway, read-only, and leave more files of that mode behind.
        let refusal = FileSystem.refusal(of: [.read, .write], to: file)
        guard refusal == nil || refusal == .noSuchFileOrDirectory else {
            throw StoreFailure.error(
                "\(file) can't be read and written.", errno: Errno.permissionDenied.number,
                "Make it readable and writable for this user.",
                command: ["chmod", "600", file])
        }
    }

    /// Checks an open file of the store: between the check of a path and its opening, the path may have come to name another
    /// file.
    static func checkOpened(_ descriptor: borrowing FileDescriptor, at file: String) throws(CaptureError) {
        try checkFile(
            try status(of: file, FileStatus.of(descriptor)), at: file, for: Users.effectiveID)
    }

    /// Checks the status of a file: regular, owned by this user, closed to others, with one name.
    private static func checkFile(
        _ status: FileStatus, at file: String, for user: UInt32
    ) throws(CaptureError) {
        guard status.kind == .file else {
            throw StoreFailure.error(
                "\(file) is not a regular file, but \(status.kind == .link ? "a symbolic link" : "something else").",
                errno: Errno.tooManySymbolicLinkLevels.number, "Find out who put it there. Then move it away.",
                command: ["mv", file, "\(file).odd"])
        }
        try checkTrust(of: status, at: file, mode: "600", user: user)
        // A write under another name is a write here. 0 names: removed since, which is harmless.
        guard status.links <= 1 else {
            throw StoreFailure.error(
                "\(file) has \(status.links) hard links, so it could be changed under another name.",
                errno: Errno.tooManyLinks.number,
                "Find the other links and remove them.",
                command: ["find", StoreFailure.folder(of: file), "-samefile", file])
        }
    }

    /// The status of a file or directory that must exist.
    private static func status(
        of path: String, _ result: Result<FileStatus, Errno>
    ) throws(CaptureError) -> FileStatus {
        switch result {
        case .success(let status): return status
        case .failure(let failure):
            throw StoreFailure.error(
                "\(path) of the permission database can't be read: \(failure.text).", errno: failure.number,
                "Give this user access to it.", command: ["ls", "-ld", path])
        }
    }

    /// Checks owner and mode. Anyone else who may write a file of the store may decide what this user's programs capture.
    private static func checkTrust(
        of status: FileStatus, at path: String, mode: String, user: UInt32
    ) throws(CaptureError) {
        guard status.owner == user else {
            throw StoreFailure.error(
                "\(path) belongs to user \(status.owner), but user \(user) runs this program.",
                errno: Errno.notPermitted.number,
                "Run the program as the file's owner (without sudo), or change the owner.",
                command: ["chown", "\(user)", path])
        }
        guard !status.isWritableByOthers else {
            throw StoreFailure.error(
                "\(path) can be changed by other users (mode 0\(String(status.permissions, radix: 8))).",
                errno: Errno.notPermitted.number,
                "Remove their right to write, then check your permissions.",
                command: ["chmod", mode, path])
        }
    }
}

extension StateDirectory {
    /// `$XDG_STATE_HOME/capturegate`, or by default `~/.local/state/capturegate`.
    ///
    /// A relative XDG_STATE_HOME or HOME is ignored, as the XDG Base Directory Specification (0.8) demands: otherwise the
    /// directory in which a program happens to run would choose its grants.
    static func standardPath(environment: [String: String]) throws(CaptureError) -> String {
        if let state = absolute(environment["XDG_STATE_HOME"]) { return state + "/capturegate" }
        if let home = absolute(environment["HOME"]) ?? homeOfUser() { return home + "/.local/state/capturegate" }
        throw StoreFailure.error(
            "This user has no home directory for the permission database.", errno: Errno.noSuchFileOrDirectory.number,
            "Set XDG_STATE_HOME to an absolute path.", command: ["export", "XDG_STATE_HOME=/var/lib/NAME"])
    }

    /// The path without trailing slashes; `nil` if it is relative.
    private static func absolute(_ path: String?) -> String? {
        guard var path, path.hasPrefix("/") else { return nil }
        while path.hasSuffix("/") { path.removeLast() }
        return path
    }

    /// The home directory by the user database: HOME may be unset, as in a service.
    private static func homeOfUser() -> String? {
        absolute(Users.homeDirectory(ofUser: Users.effectiveID))
    }
}
