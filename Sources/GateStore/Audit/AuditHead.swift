import CSystem
import Gate

/// What the head file says of the log: how far it reached before the change that is under way, and how far after.
///
/// The file is written and synced *before* a transaction commits, naming both extents, and once more behind the
/// commit, then with one extent alone. Whoever finds `before` in the log, found a change that was never committed;
/// whoever finds `after`, found it complete; anything else, somebody has cut the log, and the store decides nothing.
struct AuditHead: Hashable, Sendable {
    /// Counts the writes; its parity names the half of the file.
    let turn: UInt64
    let before: AuditExtent
    let after: AuditExtent

    var isSettled: Bool { before == after }

    /// Whether a log that reaches so far is as this head says: before the change it names, or behind it.
    func names(_ found: AuditExtent) -> Bool { before == found || after == found }

    /// Half of the file: a torn write spoils one half, the other still has the turn before.
    static let bytes = 1024

    /// One line of text, filled up with blanks.
    func encoded() throws(CaptureError) -> [UInt8] {
        let text = body
        let line = "\(text) sum=\(try SHA256.hex(of: text.utf8))"
        let padding = String(repeating: " ", count: max(0, AuditHead.bytes - 1 - line.utf8.count))
        return Array("\(line)\(padding)\n".utf8)
    }

    /// `nil` if the half was never written, or not to its end.
    init?(decoding bytes: ArraySlice<UInt8>) {
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: { $0 == " " || $0 == "\n" })
        guard words.count == 7, words[0] == "capturegate-audit-head-1", let turn = UInt64(words[1]) else { return nil }
        let links = words[2...5].compactMap { AuditLink(decoding: $0) }
        guard links.count == 4 else { return nil }
        self.init(
            turn: turn, before: AuditExtent(anchor: links[0], last: links[1]),
            after: AuditExtent(anchor: links[2], last: links[3]))
        guard let sum = try? SHA256.hex(of: body.utf8), words[6] == "sum=\(sum)" else { return nil }
    }

    init(turn: UInt64, before: AuditExtent, after: AuditExtent) {
        self.turn = turn
        self.before = before
        self.after = after
    }

    private var body: String {
        let links = [before.anchor, before.last, after.anchor, after.last].map { "\($0.number):\($0.hash)" }
        return "capturegate-audit-head-1 \(turn) " + links.joined(separator: " ")
    }
}

extension AuditLink {
    fileprivate init?(decoding text: Substring) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(parts[0]), AuditLink.numbers.contains(number),
            parts[1].utf8.count == 64
        else { return nil }
        self.init(number: number, hash: String(parts[1]))
    }
}

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
