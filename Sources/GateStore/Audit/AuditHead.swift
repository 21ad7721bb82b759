import CaptureBase
import Gate
import LinuxSystem

/// The content of the head file: the extents of the log before and after the change that is under way.
///
/// The file is written and synced *before* a transaction commits, with both extents, and again after the commit, with one
/// extent. A log with the extent `before` has a change that was never committed; one with `after` has it complete. Any other
/// extent means that somebody has cut the log, and the store decides nothing.
struct AuditHead: Hashable, Sendable {
    /// Number of the write; its parity names the half of the file.
    let turn: UInt64
    let before: AuditExtent
    let after: AuditExtent

    var isSettled: Bool { before == after }

    /// True for the extent before the change that this head names, and for the one after it.
    func names(_ found: AuditExtent) -> Bool { before == found || after == found }

    /// Size of half the file, in bytes. A torn write spoils one half; the other still has the previous head.
    static let bytes = 1024

    /// One line of text, padded with blanks.
    func encoded() throws(CaptureError) -> [UInt8] {
        let text = body
        let line = "\(text) sum=\(try SHA256.digest(of: text.utf8))"
        let padding = String(repeating: " ", count: max(0, AuditHead.bytes - 1 - line.utf8.count))
        return Array("\(line)\(padding)\n".utf8)
    }

    /// The whole one of the two halves with the later turn; `nil` without one.
    static func latest(in file: [UInt8]) -> AuditHead? {
        let halves = [file[..<AuditHead.bytes], file[AuditHead.bytes...]].compactMap(AuditHead.init(decoding:))
        return halves.max { $0.turn < $1.turn }
    }

    /// `nil` if the half was never written, or not completely.
    init?(decoding bytes: ArraySlice<UInt8>) {
        // Split as bytes: splitting characters would inspect all the padding, in each of some ten reads per capture.
        let words = bytes.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
            .map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 7, words[0] == "capturegate-audit-head-1", let turn = UInt64(words[1]) else { return nil }
        let links = words[2...5].compactMap { AuditLink(decoding: $0) }
        guard links.count == 4 else { return nil }
        self.init(
            turn: turn, before: AuditExtent(anchor: links[0], last: links[1]),
            after: AuditExtent(anchor: links[2], last: links[3]))
        guard let sum = try? SHA256.digest(of: body.utf8), words[6] == "sum=\(sum)" else { return nil }
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
    /// Reads `NUMBER:HASH`.
    fileprivate init?(decoding text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map(Substring.init)
        guard parts.count == 2, let number = Int64(parts[0]), AuditLink.numbers.contains(number),
            parts[1].utf8.count == 64
        else { return nil }
        self.init(number: number, hash: String(parts[1]))
    }
}

/// The file that holds the audit head: two halves, written in turn.
struct AuditHeadFile: Sendable {
    let path: String

    /// `nil` if none exists, or neither half is intact.
    func read() throws(CaptureError) -> AuditHead? {
        guard let file = try open() else { return nil }
        try StateDirectory.checkOpened(file, at: path)
        var bytes = [UInt8](repeating: 0, count: 2 * AuditHead.bytes)
        let count = try checked("read") { () throws(Errno) in try file.read(into: &bytes, at: 0) }
        return count == 0 ? nil : AuditHeadFile.decoded(bytes)
    }

    /// The same bytes are the same head. Of about ten reads in a capture most find the same bytes as before, and decoding them,
    /// with their two sums, takes longer than reading them.
    private static func decoded(_ bytes: [UInt8]) -> AuditHead? {
        last.withLock { last in
            if last.bytes != bytes { last = (bytes, AuditHead.latest(in: bytes)) }
            return last.head
        }
    }

    private static let last = Locked<(bytes: [UInt8], head: AuditHead?)>(([], nil))

    /// Opens the file to read it; `nil` if none exists.
    private func open() throws(CaptureError) -> FileDescriptor? {
        do throws(Errno) {
            return try FileDescriptor(opening: path, [.noFollow, .nonBlocking])
        } catch {
            if error == .noSuchFileOrDirectory { return nil }
            throw failure(error, "read")
        }
    }

    /// - Parameter durable: true to return only when the disk has stored it.
    func write(_ head: AuditHead, durable: Bool) throws(CaptureError) {
        let file = try checked("written") { () throws(Errno) in
            try FileDescriptor(opening: path, [.writeOnly, .create, .noFollow, .nonBlocking], mode: 0o600)
        }
        try StateDirectory.checkOpened(file, at: path)
        let bytes = try head.encoded()
        let offset = Int64(head.turn % 2) * Int64(AuditHead.bytes)
        let count = try checked("written") { () throws(Errno) in try file.write(bytes, at: offset) }
        // A short write to a file of this size means that the disk has no room for the rest.
        guard count == bytes.count else { throw StoreFailure.full(path) }
        guard durable else { return }
        try checked("written") { () throws(Errno) in try file.syncData() }
        if head.turn <= 2 { try syncFolder() }
    }

    /// Wakes the watchers of the directory without writing a byte: a write may wait for a slow disk, and a revocation must not
    /// wait.
    func announce() {
        // inotify reports the close of a file that was open for writing.
        _ = try? FileDescriptor(opening: path, [.writeOnly, .noFollow, .nonBlocking])
    }

    /// Syncs the directory: without its entry, a new file is lost when the power fails.
    private func syncFolder() throws(CaptureError) {
        try checked("written") { () throws(Errno) in
            try FileDescriptor(opening: StoreFailure.folder(of: path), .directory).sync()
        }
    }

    /// Makes calls on the file; the verb of the attempted action goes into the error of a failed call.
    private func checked<Result: ~Copyable>(
        _ deed: String, _ body: () throws(Errno) -> Result
    ) throws(CaptureError) -> Result {
        do throws(Errno) {
            return try body()
        } catch {
            throw failure(error, deed)
        }
    }

    /// The error of a failed call. A full disk has its own error.
    private func failure(_ errno: Errno, _ deed: String) -> CaptureError {
        if errno == .noSpace || errno == .diskQuotaExceeded { return StoreFailure.full(path) }
        return StoreFailure.error(
            "The head of the audit log, \(path), can't be \(deed): \(errno.text).", errno: errno.number,
            "Make it readable and writable for this user. Until then all captures are refused.",
            command: ["ls", "-la", StoreFailure.folder(of: path)])
    }
}
