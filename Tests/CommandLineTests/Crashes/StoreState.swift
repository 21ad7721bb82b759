/// What the program says of its store, and whether it finds its log whole.
struct StoreState: Equatable {
    let decisions: [Document]
    let usedUp: [Document]
    /// The number of the last line.
    let lines: Int
    let isIntact: Bool

    init(of workspace: Workspace) async throws {
        let status = try await workspace.capturegate("status", "--json")
        guard status.code == 0 else { throw Failure("status ended with \(status.code): \(status.errors)") }
        let verdict = try await workspace.capturegate("log", "--verify", "--json")
        let (statement, report) = (try Document(status.output), try Document(verdict.output))
        // The member about being in force is not stored, and not in the report.
        decisions = statement["decisions"].elements.map { $0.without("in_force") }
        usedUp = statement["used_up"].elements
        lines = Int(report["last"].number ?? 0)
        isIntact = verdict.code == 0 && report["intact"] == .bool(true)
    }

    /// Decisions that are here and not there.
    func gained(over other: StoreState) -> [Document] { decisions.filter { !other.decisions.contains($0) } }
}

/// State of the head file after the kill: between the head and the commit, or after both.
enum HeadTrace {
    case settled
    case unsettled

    /// The newer half is the one with the higher turn; its two extents are the same if no change is pending.
    init(in workspace: Workspace) throws {
        let halves = try workspace.text("state/capturegate/audit.head").split(separator: "\n").map { half in
            half.split(separator: " ").map(String.init)
        }
        let newest = halves.filter { $0.count == 7 }.max { (Int($0[1]) ?? 0) < (Int($1[1]) ?? 0) }
        guard let words = newest else { throw Failure("the head file has no half that is whole") }
        self = words[2] == words[4] && words[3] == words[5] ? .settled : .unsettled
    }
}
