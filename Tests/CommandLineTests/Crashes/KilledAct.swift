/// What a program was doing when it was killed.
enum KilledAct: Sendable {
    /// Granting one device, which no other act grants.
    case grant(device: String)
    /// Revoking a grant for one device.
    case revoke(device: String)
    /// Recording, allowed once.
    case capture

    var arguments: [String] {
        switch self {
        case .grant(let device): ["grant", "camera", "--device", device, "--always", "--json"]
        case .revoke(let device): ["revoke", "camera", "--device", device, "--json"]
        case .capture: ["record", "null:", "--microphone", "test:tone", "--for", "60s", "--json"]
        }
    }

    /// Text in the line of its output that reports success, or for a capture that it began.
    var report: String {
        switch self {
        case .grant: "\"decision\""
        case .revoke: "\"removed\""
        case .capture: "\"event\":\"start"
        }
    }

    /// Faults of the store afterwards; empty if there are none.
    func faults(before: StoreState, _ killed: Ending, after: StoreState) -> [String] {
        let (gained, lost) = (after.gained(over: before), before.gained(over: after))
        let own =
            switch self {
            case .grant(let device): Self.grant(of: device, killed, gained, lost)
            case .revoke(let device): Self.revocation(of: device, killed, gained, lost)
            case .capture: Self.capture(killed, gained, lost, before, after)
            }
        var faults = own + (after.isIntact ? [] : ["the log is not intact"])
        // A change and its line are one: neither is there without the other.
        let changes = gained.count + lost.count
        if after.lines - before.lines != changes {
            faults.append("\(changes) changes and \(after.lines - before.lines) lines")
        }
        return faults
    }

    /// Whether the program had said, in full, that it was done.
    func isReported(by ending: Ending) -> Bool {
        switch self {
        case .grant, .revoke: ending.output.hasSuffix("\n")
        case .capture: ending.output.split(separator: "\n").contains { $0.contains(report) }
        }
    }

    private static func grant(of device: String, _ killed: Ending, _ gained: [Document], _ lost: [Document]) -> [String]
    {
        var faults = lost.isEmpty ? [] : ["decisions are lost: \(lost)"]
        if gained.contains(where: { $0["device"] != .string(device) }) { faults.append("nobody made \(gained)") }
        if let reported = try? Document(killed.output)["decision"], gained != [reported] {
            faults.append("\(reported) was reported, and there is \(gained)")
        }
        return faults
    }

    private static func revocation(
        of device: String, _ killed: Ending, _ gained: [Document], _ lost: [Document]
    ) -> [String] {
        var faults = gained.isEmpty ? [] : ["nobody made \(gained)"]
        if lost.contains(where: { $0["device"] != .string(device) }) { faults.append("decisions are lost: \(lost)") }
        if let reported = try? Document(killed.output)["removed"].elements, lost != reported {
            faults.append("the removal of \(reported) was reported, and \(lost) are gone")
        }
        return faults
    }

    private static func capture(
        _ killed: Ending, _ gained: [Document], _ lost: [Document], _ before: StoreState, _ after: StoreState
    ) -> [String] {
        var faults = gained.isEmpty ? [] : ["nobody made \(gained)"]
        let isOnce = lost.allSatisfy { $0["lifetime"] == .string("once") && after.usedUp.contains($0) }
        if !isOnce || lost.count > 1 { faults.append("decisions are lost: \(lost)") }
        if KilledAct.capture.isReported(by: killed), lost.isEmpty { faults.append("it began, and once is not used up") }
        return faults
    }
}
