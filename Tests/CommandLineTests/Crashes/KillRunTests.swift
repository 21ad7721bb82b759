import FoundationEssentials
import Testing

@Suite("kill -9 at any moment", .fewAtOnce)
struct KillRunTests {
    /// CAPTUREGATE_KILLS says how many; the long tests take 200.
    private static let kills = ProcessInfo.processInfo.environment["CAPTUREGATE_KILLS"].flatMap { Int($0) } ?? 10

    @Test(
        "what was reported is there, nothing else is, the log is whole, and once is used up", .timeLimit(.minutes(10)))
    func kills() async throws {
        var run = try await KillRun(seed: 0x6361_7074)
        // A run in which no program died around its commit has shown nothing: it continues until some have.
        while run.count < Self.kills || !Self.isTelling(run), run.count < 10 * Self.kills { try await run.next() }
        print(run.description)
        #expect(run.faults == [])
        #expect(Self.isTelling(run), "\(run.description)")
        #expect(try await run.workspace.capturegate("log", "--verify").code == 0)
    }

    private static func isTelling(_ run: KillRun) -> Bool {
        let around: [KillRun.Place] = [.beforeTheCommit, .behindTheCommit, .unreported]
        return run.kills[.beforeTheHead] != nil && run.kills[.reported] != nil && run.captures > 0
            && around.contains { run.kills[$0] != nil }
    }
}
