import Gate
import Glibc
import Testing

@testable import GateStore

/// One bit of a store's files is flipped, as a disk or memory does it: the store is refused, or says what it said before.
@Suite("flipped bits of a store")
struct FlippedBitTests {
    /// In memory if possible: each opening of a write-ahead log ends with a wait for the disk.
    let folder: TemporaryFolder
    let harmed: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        harmed = try TemporaryFolder(inMemory: true)
    }

    /// A denial, a kill switch, permissions of each lifetime, one used up, and a revocation.
    private func fill(_ store: SQLiteGrantStore) throws {
        let tone = DeviceSelector.id(DeviceID(rawValue: "test:tone"))
        let kept = [
            Samples.decision(.deny, .microphone), Samples.decision(.deny, .camera, level: .still, device: tone),
            Samples.decision(subject: Samples.subject(path: "/bin/a", stamp: "1 2 3"), .microphone, level: .meter),
            Samples.decision(
                subject: Samples.subject(path: "/bin/b"), lifetime: .until(Samples.instant(1_900_000_000))),
            Samples.decision(subject: Samples.subject(path: "/bin/c"), lifetime: .session(Samples.session)),
            Samples.decision(
                subject: Samples.subject(path: "/bin/d", application: ApplicationID(kind: .flatpak, name: "org.x"))),
        ]
        for decision in kept { _ = try store.record([decision], audit: Samples.event()) }
        let other = Samples.subject(path: "/bin/e")
        let once = try store.record([Samples.decision(subject: other, lifetime: .once)], audit: Samples.event())
        _ = try store.consume(once: once.decisions.compactMap(\.id), audit: Samples.event(.start))
        _ = try store.setKillSwitch(.camera, on: true, audit: Samples.event(.killSwitch))
        let gone = try store.record([Samples.decision(.allow, .camera)], audit: Samples.event())
        _ = try store.remove(gone.decisions.compactMap(\.id), audit: Samples.event(.removal))
    }

    /// What a harmed store says that the whole one does not; `nil` if it is refused or the same.
    private func difference(_ image: StoreImage, from whole: Decided) throws -> Decided? {
        try image.write(to: harmed.path)
        do {
            let found = try Decided(in: harmed.path)
            return found == whole ? nil : found
        } catch let error as CaptureError {
            #expect(error.kind == .store)
            return nil
        }
    }

    @Test("Thousands of them, anywhere in the database, its write-ahead log and the head, change no decision")
    func anywhere() throws {
        try fill(try SQLiteGrantStore(directory: folder.path))
        // Decisions from here on are in the write-ahead log, which is short: it is read at each opening.
        let store = try SQLiteGrantStore(directory: folder.path)
        let end = Samples.decision(.deny, subject: Samples.subject(path: "/bin/f"), .camera)
        _ = try store.record([end], audit: Samples.event())
        _ = try store.setKillSwitch(.microphone, on: true, audit: Samples.event(.killSwitch))
        let (image, whole) = (try StoreImage(of: store), try Decided(store))
        #expect(try difference(image, from: whole) == nil)
        #expect(try Decided(in: harmed.path) == whole)
        var generator = SplitMix(seed: 0x6269_7473)
        for _ in 0..<Self.flips {
            let bit = image.random(using: &generator)
            let found = try difference(image.flipped(bit), from: whole)
            #expect(found == nil, "\(bit)")
        }
        withExtendedLifetime(store) {}
    }

    /// 2,000, or 10,000 with `CAPTUREGATE_LONG`.
    private static let flips = getenv("CAPTUREGATE_LONG") == nil ? 2_000 : 10_000

    @Test("Each byte that is used, of a store that lies in its database alone")
    func eachByte() throws {
        try fill(try SQLiteGrantStore(directory: folder.path))
        // Closed by its owner: the write-ahead log is in the database now.
        let store = try SQLiteGrantStore(directory: folder.path)
        let (image, whole) = (try StoreImage(of: store), try Decided(store))
        var generator = SplitMix(seed: 1)
        // The rest is zeros, and in the head blanks.
        let used = image.bits(using: &generator).filter { bit in
            let byte = image[bit.file]?[bit.offset]
            return byte != 0 && !(bit.file == "audit.head" && byte == UInt8(ascii: " "))
        }
        // A log's own lines decide nothing, and are most of it.
        for bit in used where Self.decides(bit, in: image) {
            let found = try difference(image.flipped(bit), from: whole)
            #expect(found == nil, "\(bit)")
        }
        withExtendedLifetime(store) {}
    }

    /// True if it is in the head, or on a page without lines of the log.
    private static func decides(_ bit: StoreImage.Bit, in image: StoreImage) -> Bool {
        guard bit.file == "grants.sqlite", let bytes = image[bit.file] else { return true }
        let start = bit.offset / 4096 * 4096
        return !String(decoding: bytes[start..<min(start + 4096, bytes.count)], as: UTF8.self).contains("\"kind\":")
    }

    @Test("In a store that is open already: the next reading refuses it, or says the same")
    func whileOpen() throws {
        let store = try SQLiteGrantStore(directory: folder.path)
        try fill(store)
        let whole = try Decided(store)
        for sql in [
            "UPDATE decision SET capability = 'bamera' WHERE capability = 'camera'",
            "UPDATE decision SET verdict = 'allow' WHERE verdict = 'deny'",
            "UPDATE decision SET level = 'record', rank = 2 WHERE level = 'meter'",
            "UPDATE decision SET lifetime_wall = lifetime_wall + 1 WHERE lifetime = 'until'",
            "UPDATE decision SET device = NULL WHERE device IS NOT NULL",
            "UPDATE decision SET consumed_boot_id = NULL", "DELETE FROM kill_switch",
            "UPDATE kill_switch SET capability = 'bamera'", "UPDATE state SET latest_wall = 0",
            "UPDATE sqlite_sequence SET seq = 1 WHERE name = 'decision'",
        ] {
            let before = try StoreImage(of: store)
            try tamper(in: folder.path, sql)
            let error = #expect(throws: CaptureError.self, "\(sql)") { _ = try store.snapshot() }
            #expect(error?.kind == .store)
            // Nor does any change continue from there.
            #expect(throws: CaptureError.self) { try store.append(Samples.event(.stop)) }
            #expect(throws: CaptureError.self) { _ = try SQLiteGrantStore(directory: folder.path) }
            try before.write(to: harmed.path)
            #expect(try Decided(in: harmed.path) == whole)
            try tamper(in: folder.path, "DELETE FROM decision", "DELETE FROM kill_switch")
            try restore(whole, before)
        }
    }

    /// Restores the rows.
    private func restore(_ whole: Decided, _ image: StoreImage) throws {
        try tamper(
            in: folder.path, "ATTACH '\(harmed.path)/grants.sqlite' AS whole",
            "INSERT INTO decision SELECT * FROM whole.decision",
            "INSERT INTO kill_switch SELECT * FROM whole.kill_switch",
            "UPDATE state SET latest_wall = (SELECT latest_wall FROM whole.state)",
            "UPDATE sqlite_sequence SET seq = (SELECT seq FROM whole.sqlite_sequence WHERE name = 'decision')")
        #expect(try Decided(in: folder.path) == whole)
    }

    @Test("A switch of an unknown capability is never written, and refuses where it is found")
    func unknownSwitch() throws {
        let store = try SQLiteGrantStore(directory: folder.path)
        let name = CapabilityName(rawValue: "bamera")
        let error = #expect(throws: CaptureError.self) {
            _ = try store.setKillSwitch(name, on: true, audit: Samples.event(.killSwitch))
        }
        #expect(error?.kind == .usage)
        try FirstFormat(in: harmed).write(lines: 3)
        try tamper(in: harmed.path, "UPDATE kill_switch SET capability = 'bamera'")
        let refusal = #expect(throws: CaptureError.self) { _ = try SQLiteGrantStore(directory: harmed.path) }
        #expect(refusal?.message.contains("unknown capability") == true)
    }
}
