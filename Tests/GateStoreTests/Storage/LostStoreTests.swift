import Foundation
import Gate
import Testing

@testable import GateStore

/// A revocation and a kill switch that are only in the write-ahead log, and the behaviour of a store that lost it, or has one file
/// of an older copy.
@Suite("stores that lost something")
struct LostStoreTests {
    let folder: TemporaryFolder
    let copy: TemporaryFolder
    /// Keeps the write-ahead log in its place.
    let store: SQLiteGrantStore
    let older: StoreImage
    let newer: StoreImage
    let decided: Decided

    init() throws {
        (folder, copy) = (try TemporaryFolder(), try TemporaryFolder())
        // A first opening leaves the database whole, so that it can be read without its log.
        let first = try SQLiteGrantStore(directory: folder.path).record([Samples.decision()], audit: Samples.event())
        store = try SQLiteGrantStore(directory: folder.path)
        older = try StoreImage(of: store)
        _ = try store.setKillSwitch(.camera, on: true, audit: Samples.event(.killSwitch))
        _ = try store.remove(first.decisions.compactMap(\.id), audit: Samples.event(.removal))
        newer = try StoreImage(of: store)
        decided = try Decided(store)
    }

    /// A store of these files must be refused, whatever it is wanted for; its log can be looked at, and has a fault.
    private func expectRefusal(of image: StoreImage, _ part: String) throws {
        try image.write(to: copy.path)
        let error = #expect(throws: CaptureError.self) { _ = try SQLiteGrantStore(directory: copy.path) }
        #expect(error?.kind == .store)
        #expect(error?.message.contains(part) == true, "\(String(describing: error))")
        #expect(error?.remedies.contains { $0.command == "mv \(copy.path) \(copy.path).damaged" } == true)
        let log = try SQLiteGrantStore(inspecting: copy.path)
        #expect(try !log.audit.verify().isIntact)
        #expect(throws: CaptureError.self) { _ = try log.snapshot() }
        #expect(throws: CaptureError.self) { try log.append(Samples.event()) }
    }

    private func harmed(_ harm: (inout [UInt8]) -> Void) -> StoreImage {
        var image = newer
        harm(&image["grants.sqlite-wal"]!)
        return image
    }

    @Test("The files as they lie are no loss")
    func whole() throws {
        try newer.write(to: copy.path)
        #expect(try Decided(in: copy.path) == decided)
        #expect(decided.killSwitches == [.camera] && decided.decisions.isEmpty)
    }

    @Test("A write-ahead log that was removed, emptied, cut or harmed at whatever place")
    func log() throws {
        let sentence = "later decisions are lost"
        var removed = newer
        removed["grants.sqlite-wal"] = nil
        try expectRefusal(of: removed, sentence)
        try expectRefusal(of: harmed { $0 = [] }, sentence)
        for kept in [16, 32, 56, 4152, 8000] { try expectRefusal(of: harmed { $0 = Array($0[..<kept]) }, sentence) }
        // The header, its salt and sum, and of the first frame the number, the salt, the sum and the page.
        for place in [2, 9, 17, 25, 33, 41, 49, 100] { try expectRefusal(of: harmed { $0[place] ^= 4 }, sentence) }
    }

    @Test("One file of an older copy: the database, its log, or the head")
    func copies() throws {
        var image = newer
        image["grants.sqlite"] = older["grants.sqlite"]
        image["grants.sqlite-wal"] = nil
        try expectRefusal(of: image, "later decisions are lost")
        image = newer
        image["grants.sqlite-wal"] = older["grants.sqlite-wal"]
        try expectRefusal(of: image, "later decisions are lost")
        image = newer
        image["audit.head"] = older["audit.head"]
        try expectRefusal(of: image, "audit.head is older")
    }

    @Test("A head that is missing, empty or written over; a head of another store")
    func head() throws {
        var image = newer
        for bytes in [nil, [], [UInt8](repeating: 0x78, count: 2048)] as [[UInt8]?] {
            image["audit.head"] = bytes
            try expectRefusal(of: image, "audit.head is missing or unreadable")
        }
        let other = try SQLiteGrantStore(directory: copy.path + "/other")
        for _ in 0..<3 { try other.append(Samples.event(.start, "elsewhere")) }
        image["audit.head"] = try StoreImage(of: other)["audit.head"]
        try expectRefusal(of: image, "audit.head belongs to another database")
    }

    @Test("A database that is missing, with nothing made in its place")
    func database() throws {
        var image = newer
        (image["grants.sqlite"], image["grants.sqlite-wal"]) = (nil, nil)
        try image.write(to: copy.path)
        let error = #expect(throws: CaptureError.self) { _ = try SQLiteGrantStore(directory: copy.path) }
        #expect(error?.message.contains("the database is missing") == true)
        #expect(!FileManager.default.fileExists(atPath: copy.path + "/grants.sqlite"))
    }

    @Test("A whole store of an older copy can't be told from one that nobody has changed since")
    func wholeCopy() throws {
        try older.write(to: copy.path)
        #expect(try Decided(in: copy.path).killSwitches.isEmpty)
    }

    @Test("One that is gone while it is open is not replaced by an empty one, and counts again once it is back")
    func gone() throws {
        let away = copy.path + "/away"
        try FileManager.default.moveItem(atPath: folder.path, toPath: away)
        for _ in 0..<2 {
            let error = #expect(throws: CaptureError.self) { _ = try store.snapshot() }
            #expect(error?.kind == .store && error?.message.contains("was removed or moved") == true)
            #expect(throws: CaptureError.self) { try store.append(Samples.event()) }
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        try FileManager.default.moveItem(atPath: away, toPath: folder.path)
        #expect(try Decided(store) == decided)
    }

    @Test("A store that is open finds it out at its next reading")
    func open() throws {
        try folder.write(bytes: try #require(older["audit.head"]), to: "audit.head")
        let error = #expect(throws: CaptureError.self) { _ = try store.snapshot() }
        #expect(error?.message.contains("audit.head is older") == true)
        try folder.write(bytes: try #require(newer["audit.head"]), to: "audit.head")
        #expect(try Decided(store) == decided)
    }

    @Test("A store that is open notices that its write-ahead log was taken away, or is another file")
    func openWithoutLog() throws {
        let log = folder.path + "/grants.sqlite-wal"
        try rename(log, to: log + ".away")
        for isReplaced in [false, true] {
            if isReplaced { try folder.write("", to: "grants.sqlite-wal", mode: 0o600) }
            let error = #expect(throws: CaptureError.self) { _ = try store.snapshot() }
            #expect(error?.message.contains("write-ahead log was removed or replaced") == true)
            #expect(throws: CaptureError.self) { try store.append(Samples.event(.stop)) }
        }
        try folder.remove("grants.sqlite-wal")
        try rename(log + ".away", to: log)
        #expect(try Decided(store) == decided)
    }

    @Test("While others write as fast as they can, whoever reads never takes that for a loss", .timeLimit(.minutes(10)))
    func readingBesideWriters() async throws {
        let path = folder.path
        try await withThrowingTaskGroup { group in
            for _ in 0..<2 {
                group.addTask {
                    let writer = try SQLiteGrantStore(directory: path)
                    for round in 0..<60 {
                        _ = try writer.setKillSwitch(.microphone, on: round % 2 == 0, audit: Samples.event(.killSwitch))
                    }
                }
                group.addTask {
                    let reader = try SQLiteGrantStore(directory: path)
                    for _ in 0..<300 { _ = try reader.snapshot() }
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.audit.verify().isIntact)
    }

    @Test("A program of an older version that still runs can write no line, and does no harm")
    func olderProgram() throws {
        #expect(throws: (any Error).self) {
            try tamper(
                in: folder.path,
                "INSERT INTO audit SELECT number + 1, '{}', hash, hash FROM audit ORDER BY 1 DESC LIMIT 1")
        }
        #expect(try Decided(store) == decided)
    }
}
