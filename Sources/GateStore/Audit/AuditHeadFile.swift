import CSystem
import Gate

/// The file that holds the audit head: two halves, written in turn.
struct AuditHeadFile: Sendable {
    let path: String

    /// `nil` if there is none, or neither half is whole.
    func read() throws(CaptureError) -> AuditHead? {
        let opened = cs_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0)
        if opened == -ENOENT { return nil }
        let file = Descriptor(try checked(opened, "read"))
        try StateDirectory.checkOpened(file.number, at: path)
        var bytes = [UInt8](repeating: 0, count: 2 * AuditHead.bytes)
        let count = try checked(cs_pread(file.number, &bytes, bytes.count, 0), "read")
        let halves = [bytes[..<AuditHead.bytes], bytes[AuditHead.bytes...]].compactMap(AuditHead.init(decoding:))
        return count == 0 ? nil : halves.max { $0.turn < $1.turn }
    }

    /// - Parameter durable: whether to return only when the disk has it.
    func write(_ head: AuditHead, durable: Bool) throws(CaptureError) {
        let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK
        let file = Descriptor(try checked(cs_open(path, flags, 0o600), "written"))
        try StateDirectory.checkOpened(file.number, at: path)
        let bytes = try head.encoded()
        let offset = Int64(head.turn % 2) * Int64(AuditHead.bytes)
        let count = try checked(cs_pwrite(file.number, bytes, bytes.count, offset), "written")
        // A short write to a file of this size means that the disk has no room for the rest.
        guard count == bytes.count else { throw StoreFailure.full(path) }
        guard durable else { return }
        _ = try checked(cs_fdatasync(file.number), "written")
        if head.turn <= 2 { try syncFolder() }
    }

    /// Wakes whoever watches the folder without a byte written: the kernel makes a writer wait where its disk is behind, and
    /// a revocation must not.
    func announce() {
        let opened = cs_open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0)
        // The close of a file that was open for writing is what is told.
        if opened >= 0 { _ = cs_close(opened) }
    }

    /// A new file is lost with the power as long as its folder does not know it.
    private func syncFolder() throws(CaptureError) {
        let opened = try checked(cs_open(StoreFailure.folder(of: path), O_RDONLY | O_DIRECTORY, 0), "written")
        let folder = Descriptor(opened)
        _ = try checked(cs_fsync(folder.number), "written")
    }

    private func checked<Result: SignedInteger>(_ result: Result, _ deed: String) throws(CaptureError) -> Result {
        guard result < 0 else { return result }
        let failure = SystemFailure(result: result)
        if failure.errno == ENOSPC || failure.errno == EDQUOT { throw StoreFailure.full(path) }
        throw StoreFailure.error(
            "The head of the audit log, \(path), can't be \(deed): \(failure.text).", errno: failure.errno,
            "Make it readable and writable for this user; nothing is captured until then.",
            command: ["ls", "-la", StoreFailure.folder(of: path)])
    }
}
