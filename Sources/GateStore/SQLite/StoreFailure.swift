import CSystem
import GRDB
import Gate

/// Every way a store can fail, each as one sentence with what to do.
enum StoreFailure {
    static func error(
        _ message: String, errno: Int32 = 0, _ remedy: String, command: [String]? = nil
    ) -> CaptureError {
        CaptureError(.store, message, errno: errno, remedies: [Remedy(remedy, command: command.map(shell))])
    }

    /// The words of a command as a shell takes them: a path may hold anything.
    static func shell(_ words: [String]) -> String {
        words.map { word in
            guard word.isEmpty || word.utf8.contains(where: { !plain.contains($0) }) else { return word }
            let parts = word.split(separator: "'", omittingEmptySubsequences: false)
            return "'" + parts.joined(separator: #"'\''"#) + "'"
        }.joined(separator: " ")
    }

    private static let plain = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@".utf8)

    /// What SQLite or GRDB threw, about the database at `path`.
    static func error(from thrown: any Error, at path: String) -> CaptureError {
        if let error = thrown as? CaptureError { return error }
        guard let error = thrown as? DatabaseError else {
            return damaged(path, "\(thrown)")
        }
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: return locked(path)
        case .SQLITE_FULL: return full(path)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN, .SQLITE_AUTH: return closed(path, error)
        case .SQLITE_IOERR: return inputOutput(path, error)
        default: return damaged(path, error.message ?? "\(error.resultCode)")
        }
    }

    static func locked(_ path: String) -> CaptureError {
        error(
            "The grant store \(path) has been locked by another program for 2 s.", errno: EBUSY,
            "Try again; if it stays locked, find the program that holds it and end it.", command: ["fuser", "-v", path])
    }

    static func full(_ path: String) -> CaptureError {
        error(
            "The disk of the grant store \(path) is full; nothing was changed.", errno: ENOSPC,
            "Free some space and try again.", command: ["df", "-h", folder(of: path)])
    }

    static func damaged(_ path: String, _ detail: String) -> CaptureError {
        error(
            "The grant store \(path) is damaged: \(detail).", errno: EILSEQ, afresh,
            command: away(folder(of: path), as: "damaged"))
    }

    /// - Parameter path: one of its files.
    static func lost(_ path: String, _ detail: String) -> CaptureError {
        let folder = folder(of: path)
        return CaptureError(
            .store, "The grant store \(folder) is not as its last change left it: \(detail).", errno: EILSEQ,
            remedies: [
                Remedy("See what is left of its log.", command: "capturegate log --verify"),
                Remedy("Put all its files back from one copy."),
                Remedy(afresh, command: shell(away(folder, as: "damaged"))),
            ])
    }

    /// The database alone would leave the head of a log behind that no database has.
    private static let afresh =
        "Move the folder away to begin with an empty store: every decision will be asked for again."

    static func away(_ folder: String, as ending: String) -> [String] { ["mv", folder, "\(folder).\(ending)"] }

    private static func closed(_ path: String, _ thrown: DatabaseError) -> CaptureError {
        error(
            "The grant store \(path) can't be written: \(thrown.message ?? "\(thrown.resultCode)").", errno: EROFS,
            "Make the folder and the files in it writable for this user, or name another with XDG_STATE_HOME.",
            command: ["ls", "-la", folder(of: path)])
    }

    private static func inputOutput(_ path: String, _ thrown: DatabaseError) -> CaptureError {
        // SQLite does not say which error a write met; the free space does.
        if cs_free_bytes(folder(of: path)) == 0 { return full(path) }
        return error(
            "The disk of the grant store \(path) failed: \(thrown.message ?? "\(thrown.resultCode)").", errno: EIO,
            "Check the disk and the kernel's log, then try again.", command: ["dmesg"])
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
