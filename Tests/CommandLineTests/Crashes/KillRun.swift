import Glibc

/// Kills the program again and again while it grants, revokes and captures, on one store, and checks the store each time.
struct KillRun {
    /// How far a killed program had come.
    enum Place: String, CaseIterable {
        case beforeTheHead = "before the head was written"
        case beforeTheCommit = "between head and commit"
        case behindTheCommit = "between commit and the settled head"
        case unreported = "committed, and not yet reported"
        case reported = "reported"
    }

    let workspace: Workspace
    private(set) var kills: [Place: Int] = [:]
    private(set) var captures = 0
    private(set) var faults: [String] = []
    private var generator: SeededGenerator
    private var round = 0
    private var run = UInt32.max

    /// How many programs died of the signal; those that were done before do not count.
    var count: Int { kills.values.reduce(0, +) }

    var description: String {
        let places = Place.allCases.map { "\(kills[$0, default: 0]) \($0.rawValue)" }
        return "\(count) kills in \(round) runs: \(places.joined(separator: ", ")); \(captures) captures that had begun"
    }

    init(seed: UInt64) async throws {
        workspace = try Workspace()
        generator = SeededGenerator(seed: seed)
        // The first grant makes the store; the quickest says how long one takes that nothing delays.
        for _ in 0..<4 {
            let begun = ContinuousClock.now
            let ending = try await workspace.capturegate("grant", "camera", "--device", "camera:first", "--always")
            guard ending.code == 0 else { throw Failure(ending.errors) }
            run = min(run, UInt32((ContinuousClock.now - begun) / .microseconds(1)))
        }
    }

    /// One more program, killed.
    mutating func next() async throws {
        round += 1
        let act = try await prepared()
        let before = try await StoreState(of: workspace)
        let moment = KillMoment.random(within: run, using: &generator)
        let ending = try await kill(act, at: moment)
        let trace = try HeadTrace(in: workspace)
        let after = try await StoreState(of: workspace)
        faults += act.faults(before: before, ending, after: after).map { "round \(round), \(moment), \(act): \($0)" }
        let isCommitted = after.lines > before.lines
        if case .capture = act, isCommitted { try await captureAgain() }
        guard ending.code == -SIGKILL else { return }
        kills[Self.place(trace, isCommitted, act.isReported(by: ending)), default: 0] += 1
    }

    private static func place(_ trace: HeadTrace, _ isCommitted: Bool, _ isReported: Bool) -> Place {
        switch trace {
        case .unsettled: isCommitted ? .behindTheCommit : .beforeTheCommit
        case .settled where !isCommitted: .beforeTheHead
        case .settled: isReported ? .reported : .unreported
        }
    }

    /// The next thing to be killed, in turn, with what it needs.
    private mutating func prepared() async throws -> KilledAct {
        let device = "camera:kill-\(round)"
        switch round % 3 {
        case 1: return .grant(device: device)
        case 2:
            _ = try await workspace.capturegate("grant", "camera", "--device", device, "--always")
            return .revoke(device: device)
        default:
            _ = try await workspace.capturegate("grant", "microphone", "--device", "test:tone", "--once")
            return .capture
        }
    }

    private func kill(_ act: KilledAct, at moment: KillMoment) async throws -> Ending {
        let touch = try moment.touch(in: workspace)
        let program = try ChildProcess([Executable.capturegate] + act.arguments, in: workspace)
        // Waiting for a line removes it from the output, to which it belongs.
        let report = moment.mark == .report ? try await program.waitForLine(containing: act.report) + "\n" : ""
        try await offPool { try moment.wait(for: program.id, touch) }
        program.send(SIGKILL)
        let ending = try await program.finish()
        return Ending(code: ending.code, output: report + ending.output, errors: ending.errors)
    }

    /// The permission was for one capture, and that has begun: another one is refused, and asks nobody.
    private mutating func captureAgain() async throws {
        captures += 1
        let again = try await workspace.capturegate("record", "null:", "--microphone", "test:tone", "--for", "100ms")
        if again.code != 77 { faults.append("round \(round): a second capture ended with \(again.code)") }
    }
}
