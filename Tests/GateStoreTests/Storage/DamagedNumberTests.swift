import Gate
import Testing

@testable import GateStore

/// Numbers that a flipped bit or somebody's hand put into the tables: every way into the store ends, with an answer or a
/// sentence.
@Suite("damaged numbers of a store")
struct DamagedNumberTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder(inMemory: true)
        let store = try SQLiteGrantStore(directory: folder.path)
        for line in 1...9 { try store.append(Samples.event(.start, "line \(line)")) }
        let end = Lifetime.until(Samples.instant(1_900_000_000))
        _ = try store.record([Samples.decision(lifetime: end)], audit: Samples.event())
        _ = try store.record(
            [Samples.decision(subject: Samples.subject(path: "/b"), lifetime: .once)], audit: Samples.event())
    }

    static let numbers: [Int64] = [.min, .min + 1, -1, 0, 3, 12, 13, 1 << 62, 1 << 62 + 1, .max - 2, .max - 1, .max]

    static let places = [
        "UPDATE audit SET number = % WHERE number = 11", "UPDATE audit SET number = % WHERE number = 1",
        "UPDATE audit SET number = % WHERE number = 5", "UPDATE state SET anchor_number = %",
        "UPDATE state SET latest_wall = %", "UPDATE state SET kept_lines = %",
        "UPDATE decision SET id = % WHERE id = 1",
        "UPDATE decision SET lifetime_wall = %, lifetime_boot = % WHERE id = 1", "UPDATE decision SET decided_wall = %",
        "UPDATE decision SET rank = %", "UPDATE decision SET uid = % WHERE id = 1", "UPDATE decision SET inode = %",
        "UPDATE sqlite_sequence SET seq = % WHERE name = 'decision'",
    ]

    /// Goes each way in; whatever fails must say so in a sentence.
    private static func goEachWay(into store: SQLiteGrantStore) {
        let log = store.audit
        let ways: [() throws -> Void] = [
            { _ = try store.snapshot() }, { _ = try store.executables() }, { _ = try log.entries() },
            { _ = try log.entries(from: .max) }, { _ = try log.last(20) }, { _ = try log.verify() },
            { _ = try log.keptLines() }, { _ = try log.keep(100, audit: Samples.event(.removal)) },
            { _ = try log.prune(keeping: 3, audit: Samples.event(.removal)) },
            { _ = try store.record([Samples.decision(.deny)], audit: Samples.event()) },
            { _ = try store.setKillSwitch(.camera, on: true, audit: Samples.event(.killSwitch)) },
            { _ = try store.remove([1, 2, .max], audit: Samples.event(.removal)) },
            { _ = try store.consume(once: [2], audit: Samples.event(.start)) },
            { _ = try store.forgetLaterClock(audit: Samples.event(.upkeep)) },
            { try store.append(Samples.event(.stop)) },
        ]
        for way in ways {
            do { try way() } catch { #expect((error as? CaptureError)?.message.isEmpty == false) }
        }
    }

    @Test("Each way into the store ends, and none decides by what was damaged", arguments: places)
    func ways(place: String) throws {
        let image = try StoreImage(of: SQLiteGrantStore(directory: folder.path))
        let whole = try Decided(in: folder.path)
        for number in Self.numbers {
            try image.write(to: folder.path)
            // If the tables themselves refuse the number, there is nothing to check.
            guard (try? tamper(in: folder.path, place.replacing("%", with: "\(number)"))) != nil else { continue }
            if let store = try? SQLiteGrantStore(directory: folder.path) {
                #expect(try Decided(store) == whole, "\(number)")
                Self.goEachWay(into: store)
            }
            if let log = try? SQLiteGrantStore(inspecting: folder.path) { Self.goEachWay(into: log) }
        }
    }

    @Test("Lines out of their order are an error, and never read in a circle")
    func disorder() throws {
        let lines = [3, 5, 5].map { AuditEntry(number: $0, event: nil, text: "", previous: "", hash: "") }
        #expect(throws: CaptureError.self) { _ = try AuditLog.ascending(lines, from: 1) }
        #expect(throws: CaptureError.self) { _ = try AuditLog.ascending([lines[0]], from: 4) }
        #expect(try AuditLog.ascending([lines[0], lines[1]], from: 3).count == 2)
    }

    @Test("The last number a line may have is followed by none")
    func lastNumber() throws {
        let last = AuditLink(number: AuditLink.numbers.upperBound, hash: AuditLink.origin.hash)
        let error = #expect(throws: CaptureError.self) { _ = try last.nextNumber() }
        #expect(error?.kind == .store)
        #expect(try AuditLink.origin.nextNumber() == 1)
    }
}
