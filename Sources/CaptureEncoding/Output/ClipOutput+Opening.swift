import CSystem
import CaptureGate

extension ClipOutput {
    /// Opens it before anything is captured and before anybody is asked.
    ///
    /// A partial file of an earlier, interrupted recording is reused if it is empty, else nothing writes over it.
    /// - Parameters:
    ///   - destination: a file, standard output, or nothing.
    ///   - replacing: whether a file of that name may be replaced.
    /// - Throws: `.fileExists`, also for a partial one; `.busy` if another recording writes there; `.inputOutput` for an unwritable place;
    ///   `.usage` for a name that is none.
    public init(opening destination: ClipDestination, replacing: Bool = false) throws(CaptureError) {
        try self.init(opening: destination, replacing: replacing, over: .recording)
    }

    /// - Parameter leftover: what a partial file may hold.
    init(opening destination: ClipDestination, replacing: Bool, over leftover: Leftover) throws(CaptureError) {
        switch destination {
        case .file(let path):
            try Self.checkName(path, replacing: replacing)
            let descriptor = try Self.open(Self.partial(of: path), over: leftover)
            self.init(destination: destination, descriptor: descriptor, isSeekable: true, replacing: replacing)
        case .standardOutput:
            // Never patched, also where it is a file: the shell may have opened it to append.
            self.init(destination: destination, descriptor: 1, isSeekable: false, replacing: false)
        case .nothing:
            self.init(destination: destination, descriptor: -1, isSeekable: false, replacing: false)
        }
    }

    /// Opens it for what is recovered of an interrupted recording, beside which it lies until it is finished.
    /// - Throws: as `init(opening:replacing:)`.
    init(recoveringInto path: String, replacing: Bool) throws(CaptureError) {
        try Self.checkName(path, replacing: replacing)
        let descriptor = try Self.open(path + Self.recoverySuffix, over: .recovery)
        self.init(
            destination: .file(path: path), descriptor: descriptor, isSeekable: true, replacing: replacing,
            suffix: Self.recoverySuffix)
    }

    private static let recoverySuffix = ".recovering"

    /// Whether the destination can be opened later, as far as its name tells.
    /// - Throws: `.fileExists`, `.usage`.
    static func checkFree(_ destination: ClipDestination) throws(CaptureError) {
        if case .file(let path) = destination { try checkName(path, replacing: false) }
    }

    private static func checkName(_ path: String, replacing: Bool) throws(CaptureError) {
        guard !path.isEmpty, !path.hasSuffix("/"), !path.utf8.contains(0) else {
            throw CaptureError(.usage, "\"\(path)\" is not the name of a file.")
        }
        var status = cs_file_status()
        guard cs_lstat(path, &status) >= 0 else { return }
        let kind = status.mode & UInt32(CS_MODE_KIND)
        if kind == UInt32(CS_MODE_DIRECTORY) {
            throw CaptureError(.usage, "\(path) is a folder.", remedies: [Remedy("Name a file in it.")])
        }
        guard replacing else { throw exists(path) }
        if kind != UInt32(CS_MODE_FILE), kind != UInt32(CS_MODE_LINK) {
            throw CaptureError(
                .usage, "\(path) is not a file that can be replaced.", remedies: [Remedy("Write to - or to null:.")])
        }
    }

    static func exists(_ path: String) -> CaptureError {
        CaptureError(
            .fileExists, "\(path) exists already.", errno: EEXIST,
            remedies: [Remedy("Choose another name, or replace it with --force.")])
    }

    private static func open(_ partial: String, over leftover: Leftover) throws(CaptureError) -> Int32 {
        let made = cs_open(partial, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666)
        if made >= 0 { return try locked(made, partial) }
        guard made == -EEXIST else { throw .output(-made, "write to", partial) }
        let found = cs_open(partial, O_RDWR | O_NOFOLLOW, 0)
        guard found >= 0 else { throw .output(-found, "write to", partial) }
        return try takeOver(try locked(found, partial), partial, over: leftover)
    }

    /// The lock tells a recording that runs from one that was interrupted.
    private static func locked(_ descriptor: Int32, _ partial: String) throws(CaptureError) -> Int32 {
        let result = FileLock.take(descriptor)
        if result >= 0 || result == -ENOTSUP || result == -ENOSYS { return descriptor }
        _ = cs_close(descriptor)
        guard result == -EWOULDBLOCK else { throw .output(-result, "lock", partial) }
        throw busy(partial)
    }

    private static func busy(_ partial: String) -> CaptureError {
        CaptureError(
            .busy, "Another recording is writing \(partial).", errno: EWOULDBLOCK,
            remedies: [Remedy("Choose another name.")])
    }

    /// Between opening it and locking it, its writer may have finished: then it is a clip under its own name.
    private static func isStill(_ status: cs_file_status, at path: String) -> Bool {
        var named = cs_file_status()
        guard cs_lstat(path, &named) >= 0 else { return false }
        return named.inode == status.inode && named.device == status.device
    }

    private static func takeOver(
        _ descriptor: Int32, _ partial: String, over leftover: Leftover
    ) throws(CaptureError) -> Int32 {
        var status = cs_file_status()
        let size = cs_fstat(descriptor, &status) < 0 ? Int64.max : status.size
        guard isStill(status, at: partial) else {
            _ = cs_close(descriptor)
            throw busy(partial)
        }
        if size == 0 { return descriptor }
        if leftover.isReplaceable, cs_ftruncate(descriptor, 0) >= 0 { return descriptor }
        _ = cs_close(descriptor)
        throw leftover.error(partial)
    }
}
