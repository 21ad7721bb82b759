import Foundation
import Gate
import Testing

@testable import GateStore

/// Stores that an older program wrote by another library (GRDB 7.10), in the two last formats, as their files lay on the disk:
/// one of each that was closed, and one whose last writer was killed while it recorded, with its write-ahead log.
@Suite("stores of an older program")
struct OldStoreTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static let stored = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/OldStores")

    /// Opens a copy, with the modes that a store's files have.
    private func open(_ name: String) throws -> SQLiteGrantStore {
        for file in ["grants.sqlite", "grants.sqlite-wal", "audit.head"] {
            let bytes = try? Data(contentsOf: Self.stored.appending(path: "\(name)/\(file)"))
            guard let bytes else { continue }
            try folder.write(bytes: Array(bytes), to: file)
            try folder.setMode(0o600, of: file)
        }
        return try SQLiteGrantStore(directory: folder.path)
    }

    private func words(_ decisions: [Decision]) -> [String] {
        decisions.map { decision in
            let device: String
            switch decision.device {
            case .any: device = "any"
            case .id(let id): device = id.rawValue
            }
            let lifetime = "\(decision.lifetime)".prefix { $0 != "(" }
            let number = decision.id.map(String.init) ?? "?"
            return "\(number) \(decision.verdict) \(decision.capability) \(decision.level.name) \(device) \(lifetime) "
                + decision.subject.executable.path
        }
    }

    @Test(
        "One that was closed has its grants, its denial, its kill switch and its log, and goes on",
        // What the migration adds.
        arguments: [("format-3-closed", Int64(1)), ("format-4-closed", 0)])
    func closed(name: String, added: Int64) throws {
        let store = try open(name)
        let snapshot = try store.snapshot()
        #expect(
            words(snapshot.decisions) == [
                "1 allow microphone record any always /usr/local/bin/capturegate",
                "3 allow camera video any until /usr/bin/id", "4 allow microphone meter any until /usr/bin/env",
                "5 deny camera video test:bars always /usr/local/bin/capturegate",
                "6 allow microphone record any once /usr/bin/id",
            ])
        #expect(snapshot.killSwitches == [.camera])
        #expect(snapshot.decisions[3].decidedBy == .person(prompter: "terminal"))
        #expect(try store.audit.verify() == .whole(14 + added))
        #expect(try store.audit.entries().allSatisfy { $0.event != nil })
        // A number that was given once never comes back.
        let kept = try store.record([Samples.decision()], audit: Samples.event()).decisions
        #expect(kept.map(\.id) == [7])
        _ = try store.remove([1], audit: Samples.event(.removal))
        let again = try SQLiteGrantStore(directory: folder.path)
        #expect(try again.snapshot().decisions.map(\.id) == [3, 4, 5, 6, 7])
        #expect(try again.audit.verify() == .whole(16 + added))
    }

    @Test("One whose writer was killed has what its write-ahead log says, and the capture that never ended")
    func killed() throws {
        let store = try open("format-4-killed")
        #expect(try store.snapshot().decisions.map(\.id) == [1, 4, 5, 6])
        #expect(try store.snapshot().killSwitches == [.camera])
        let report = try store.audit.verify()
        #expect(report.isIntact && report.last == 16 && report.unfinished == [15], "\(report)")
        try store.append(Samples.event(.stop))
        #expect(try SQLiteGrantStore(directory: folder.path).audit.verify().last == 17)
    }

    @Test("One of the format before whose writer was killed is brought up to date")
    func killedBefore() throws {
        let store = try open("format-3-killed")
        #expect(try store.snapshot().decisions.map(\.id) == [1, 4, 5, 6])
        #expect(try store.audit.verify() == .whole(17))
    }

    @Test("A changed one is refused as ever", arguments: ["UPDATE decision SET level = 'still' WHERE id = 3"])
    func harmed(sql: String) throws {
        _ = try open("format-4-closed")
        try tamper(in: folder.path, sql)
        let error = #expect(throws: CaptureError.self) { _ = try SQLiteGrantStore(directory: folder.path).snapshot() }
        #expect(error?.message.contains("does not match its last change") == true)
    }
}

extension AuditReport {
    /// A log without a fault that begins with its first line.
    fileprivate static func whole(_ lines: Int64) -> AuditReport {
        AuditReport(lines: Int(lines), first: 1, last: lines, fault: nil)
    }
}
