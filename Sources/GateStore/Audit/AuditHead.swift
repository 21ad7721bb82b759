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
