import CSystem
import Foundation
import Gate
import GateStore
import Testing

@Suite("kill -9 of a writer")
struct StoreKillTests {
    /// Opens a store, changes it as fast as it can, notes each reported number, and kills itself from another thread, this long
    /// after the beginning or after the first report.
    private static func writeUntilKilled(in folder: String, after microseconds: UInt32, ofReport: Bool) throws {
        let store = try SQLiteGrantStore(directory: folder)
        let notes = cs_open(folder + "/reported", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let begun = DispatchSemaphore(value: ofReport ? 0 : 1)
        Thread.detachNewThread {
            begun.wait()
            usleep(microseconds)
            _ = cs_kill(cs_getpid(), SIGKILL)
        }
        for number in 0... {
            let subject = Samples.subject(path: "/bin/\(number)")
            let commit = try store.record([Samples.decision(subject: subject)], audit: Samples.event())
            let line = Array("\(commit.decisions[0].id ?? 0)\n".utf8)
            _ = cs_write(notes, line, line.count)
            begun.signal()
        }
    }

    @Test(
        "Whatever was reported is there, nothing else is, and the audit chain verifies",
        // On a machine that takes long for a change, nothing has been reported so soon after the beginning.
        arguments: (0..<6).map { UInt32($0 * 3400) }, [false, true])
    func killed(after microseconds: UInt32, ofReport: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, microseconds = microseconds as UInt32, ofReport = ofReport as Bool] in
            try StoreKillTests.writeUntilKilled(in: path, after: microseconds, ofReport: ofReport)
        }
        let store = try SQLiteGrantStore(directory: path)
        let reported = try String(contentsOfFile: path + "/reported", encoding: .utf8).split(separator: "\n").map {
            Int64($0)
        }
        #expect(!ofReport || !reported.isEmpty)
        let stored = try store.snapshot().decisions.map(\.id)
        // One may be committed and not yet reported; none may be reported and not committed.
        #expect(stored.count - reported.count <= 1)
        #expect(Array(stored.prefix(reported.count)) == reported)
        let report = try store.audit.verify()
        #expect(report.isIntact)
        #expect(report.lines == stored.count)
        try store.append(Samples.event(.stop))
        #expect(try store.audit.verify().isIntact)
    }
}
