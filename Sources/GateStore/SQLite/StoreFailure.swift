import Gate
import LinuxSystem

/// The errors of a store, each as one sentence with the remedy.
enum StoreFailure {
    /// An error of kind `.store` with one remedy, and the command that carries it out.
    static func error(
        _ message: String, errno: Int32 = 0, _ remedy: String, command: [String]
    ) -> CaptureError {
        error(message, errno: errno, remedy, .run(command: ShellQuote.command(command)))
    }

    /// An error of kind `.store` with one remedy.
    static func error(
        _ message: String, errno: Int32 = 0, _ remedy: String, _ action: Remedy.Action? = nil
    ) -> CaptureError {
        CaptureError(.store, message, errno: errno, remedies: [Remedy(remedy, action)])
    }

    /// The error for a failure of the database at `path`.
    static func error(from thrown: any Error, at path: String) -> CaptureError {
        if let error = thrown as? CaptureError { return error }
        guard let error = thrown as? SQLiteError else { return damaged(path, "\(thrown)") }
        switch error.kind {
        case .locked: return locked(path)
        case .full: return full(path)
        case .closed: return closed(path, error)
        case .inputOutput: return inputOutput(path, error)
        case .damaged: return damaged(path, error.message)
        }
    }

    /// A lock that another process kept for the whole busy timeout.
    static func locked(_ path: String) -> CaptureError {
        error(
            "Another program has locked the permission database \(path) for 2 s.", errno: Errno.resourceBusy.number,
            "Try again. If it stays locked, find that program and end it.", command: ["fuser", "-v", path])
    }

    /// A disk or quota without room. The failed transaction was rolled back.
    static func full(_ path: String) -> CaptureError {
        error(
            "The disk of the permission database \(path) is full. Nothing was changed.", errno: Errno.noSpace.number,
            "Free some space and try again.", command: ["df", "-h", folder(of: path)])
    }

    /// A file that is no store, or has a row that this program would not write.
    static func damaged(_ path: String, _ detail: String) -> CaptureError {
        error(
            "The permission database \(path) is damaged: \(detail).", errno: Errno.illegalByteSequence.number, afresh,
            command: away(folder(of: path), as: "damaged"))
    }

    /// A store that differs from what its last change left: somebody changed it, or a part of it is older than the rest.
    ///
    /// - Parameters:
    ///   - path: path of one of its files.
    ///   - detail: half a sentence.
    static func lost(_ path: String, _ detail: String) -> CaptureError {
        let folder = folder(of: path)
        return CaptureError(
            .store, "The permission database in \(folder) does not match its last change: \(detail).",
            errno: Errno.illegalByteSequence.number,
            remedies: [
                Remedy("Check its log.", .verifyLog),
                Remedy("Restore all its files from the same backup."),
                Remedy(afresh, command: ShellQuote.command(away(folder, as: "damaged"))),
            ])
    }

    /// A store whose database is no longer there while the program runs.
    static func vanished(_ folder: String) -> CaptureError {
        CaptureError(
            .store, "The permission database \(folder) was removed or moved while this program used it.",
            errno: Errno.noSuchFileOrDirectory.number,
            remedies: [
                Remedy("Put it back. The program continues with it."),
                Remedy("Or restart the program with an empty database. Programs must then ask again."),
            ])
    }

    /// Moves the whole directory aside: a head file left behind would announce a missing database.
    private static let afresh =
        "Move the directory away to start with an empty database. Programs must then ask again."

    /// The command that moves a store's directory aside.
    static func away(_ folder: String, as ending: String) -> [String] { ["mv", folder, "\(folder).\(ending)"] }

    /// A file or directory that can't be opened for writing.
    private static func closed(_ path: String, _ thrown: SQLiteError) -> CaptureError {
        error(
            "The permission database \(path) can't be written: \(thrown.message).",
            errno: Errno.readOnlyFileSystem.number,
            "Make the directory and its files writable for this user, or choose another one with XDG_STATE_HOME.",
            command: ["ls", "-la", folder(of: path)])
    }

    /// A read, a write or a sync that failed.
    private static func inputOutput(_ path: String, _ thrown: SQLiteError) -> CaptureError {
        // SQLite does not report the error of a write; the free space shows it.
        if (try? FileSystem.freeBytes(at: folder(of: path))) == 0 { return full(path) }
        return error(
            "The disk of the permission database \(path) failed: \(thrown.message).", errno: Errno.ioError.number,
            "Check the disk and the kernel's log, then try again.", command: ["dmesg"])
    }

    /// The directory part of a path.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
