/// One figure of ours beside a peer's, or beside its own limit.
struct Comparison {
    enum Goal {
        case atMost(Double)
        case atLeast(Double)
    }

    let name: String
    let unit: String
    let ours: Double
    /// `nil` if there is nobody to compare with; the goal is then about `ours` itself.
    var peer: Double?
    /// Of ours to the peer's; `nil` if it is only shown.
    var goal: Goal?
    /// Ratio, if it is not that of the two figures.
    var measuredRatio: Double?

    /// What the goal is about.
    var ratio: Double { measuredRatio ?? peer.map { ours / $0 } ?? ours }

    var passes: Bool {
        switch goal {
        case .atMost(let limit): ratio <= limit
        case .atLeast(let limit): ratio >= limit
        case nil: true
        }
    }
}

extension Comparison {
    static let heading = """
        | | unit | ours | peer | ratio | goal |
        |---|---|---|---|---|---|
        """

    /// The line of a table.
    var row: String {
        let cells = [name, unit, ours.short, peer?.short ?? "–", peer == nil ? "–" : ratio.short, goalText]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private var goalText: String {
        switch goal {
        case .atMost(let limit): "≤ \(limit.short)\(passes ? "" : " MISSED")"
        case .atLeast(let limit): "≥ \(limit.short)\(passes ? "" : " MISSED")"
        case nil: "–"
        }
    }

    var json: String {
        var fields = ["\"name\":\"\(name)\"", "\"unit\":\"\(unit)\"", "\"ours\":\(ours)"]
        if let peer { fields += ["\"peer\":\(peer)", "\"ratio\":\(ratio)"] }
        return "{" + fields.joined(separator: ",") + ",\"passes\":\(passes)}"
    }
}

extension Double {
    /// Two digits after the point.
    var short: String {
        let hundredths = Int((self * 100).rounded())
        let rest = abs(hundredths) % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}

extension [Double] {
    var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}

extension Comparison {
    init(_ name: String, unit: String, _ rounds: PairedRuns, goal: Goal?) {
        self.init(
            name: name, unit: unit, ours: rounds.ours.median, peer: rounds.peer.isEmpty ? nil : rounds.peer.median,
            goal: rounds.peer.isEmpty ? nil : goal, measuredRatio: rounds.ratio)
    }
}
