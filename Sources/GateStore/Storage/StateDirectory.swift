import CSystem
import Gate

/// The folder of a user's grant store: where it is, and whether it can be trusted.
struct StateDirectory: Sendable {
    let path: String
    private let user: UInt32

    /// The files that belong to a store.
    static let database = "grants.sqlite"
    static let head = "audit.head"
    private static let files = [database, database + "-wal", database + "-shm", head, "questions.lock"]

    var databasePath: String { path + "/" + StateDirectory.database }
    var headPath: String { path + "/" + StateDirectory.head }

    /// Makes the folder (0700) if it is missing, and checks it and the store's files in it.
    ///
    /// - Parameter user: who must own everything.
    /// - Throws: `.store` if somebody else could have written here, or this user can't.
    init(preparing path: String, for user: UInt32 = cs_geteuid()) throws(CaptureError) {
        guard path.hasPrefix("/") else {
            throw StoreFailure.error(
                "The folder of the grant store, \(path), is not an absolute path.", errno: EINVAL,
                "Name it from the root on.")
        }
        self.path = path
        self.user = user
        try StateDirectory.make(path)
        try check()
    }

    /// Checks the folder and the store's files in it: by their paths alone, so that it can be done before each use.
    ///
    /// - Throws: `.store` if somebody else could have written here, or this user can't.
    func check() throws(CaptureError) {
        try checkFolder()
        for name in StateDirectory.files {
            try checkFile(path + "/" + name)
        }
    }

    private static func make(_ path: String) throws(CaptureError) {
        var made = ""
        for name in path.split(separator: "/") {
            made += "/" + name
            let result = cs_mkdir(made, 0o700)
            // Only what is missing matters; a folder above may be unreadable and still lead on.
            guard result < 0, result != -EEXIST, cs_access(made, F_OK) < 0 else { continue }
            let failure = SystemFailure(result: result)
            throw StoreFailure.error(
                "The folder of the grant store, \(path), can't be made: \(failure.text) at \(made).",
                errno: failure.errno,
                "Make it yourself, writable for this user alone, or name another with XDG_STATE_HOME.",
                command: ["mkdir", "-p", "-m", "700", path])
        }
    }

    private func checkFolder() throws(CaptureError) {
        let status = try status(of: path, FileStatus.of(path))
        guard status.kind == .directory else {
            throw StoreFailure.error(
                "The grant store's folder \(path) is not a folder.", errno: ENOTDIR,
                "Move what is there away.", command: ["mv", path, "\(path).old"])
        }
        try checkTrust(of: status, at: path, mode: "700")
        let access = cs_access(path, W_OK | X_OK)
        guard access != -EROFS else {
            throw StoreFailure.error(
                "The grant store's folder \(path) is on a file system that can't be written.", errno: EROFS,
                "Mount it writable, or name a folder elsewhere with XDG_STATE_HOME.",
                command: ["findmnt", "-T", path])
        }
        guard access >= 0 || access == -ENOENT else {
            throw StoreFailure.error(
                "The grant store's folder \(path) can't be written.", errno: EACCES,
                "Make it writable for this user, or name another with XDG_STATE_HOME.", command: ["chmod", "700", path])
        }
    }

    private func checkFile(_ file: String) throws(CaptureError) {
        // By its path alone: closing a descriptor of a database drops every lock this process has on it.
        // Gone at either look is as good as never there: SQLite takes files away when the last program closes them.
        let found = FileStatus.ofLink(file)
        if case .failure(let failure) = found, failure.errno == ENOENT { return }
        let status = try status(of: file, found)
        guard status.kind == .file else {
            throw StoreFailure.error(
                "\(file) is not a regular file, but \(status.kind == .link ? "a symbolic link" : "something else").",
                errno: ELOOP, "Find out who put it there, and move it away.", command: ["mv", file, "\(file).odd"])
        }
        try checkTrust(of: status, at: file, mode: "600")
        // SQLite would open it all the same, to read alone, and leave more files of that kind behind.
        let access = cs_access(file, R_OK | W_OK)
        guard access >= 0 || access == -ENOENT else {
            throw StoreFailure.error(
                "\(file) can't be read and written.", errno: EACCES, "Make it readable and writable for this user.",
                command: ["chmod", "600", file])
        }
    }

    private func status(
        of path: String, _ result: Result<FileStatus, SystemFailure>
    ) throws(CaptureError) -> FileStatus {
        switch result {
        case .success(let status): return status
        case .failure(let failure):
            throw StoreFailure.error(
                "\(path) of the grant store can't be looked at: \(failure.text).", errno: failure.errno,
                "Give this user access to it.", command: ["ls", "-ld", path])
        }
    }

    private func checkTrust(of status: FileStatus, at path: String, mode: String) throws(CaptureError) {
        guard status.owner == user else {
            throw StoreFailure.error(
                "\(path) belongs to user \(status.owner), not to user \(user) who runs this program.", errno: EPERM,
                "Run the program as its owner (without sudo), or give the file back.",
                command: ["chown", "\(user)", path])
        }
        guard !status.isWritableByOthers else {
            throw StoreFailure.error(
                "\(path) can be changed by other users (mode 0\(String(status.permissions, radix: 8))).", errno: EPERM,
                "Take the right to write from them, then look through what is granted.",
                command: ["chmod", mode, path])
        }
    }
}
