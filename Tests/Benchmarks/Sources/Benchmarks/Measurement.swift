/// What a benchmark came to, per operation.
struct Measurement {
    let name: String
    let goal: Double?
    let ours: Cost
    let peer: Cost?

    var ratio: Double? { peer.map { ours.time / $0.time } }
    var processorRatio: Double? { peer.map { ours.processor / $0.processor } }

    /// True if it is within its goal, if it has one.
    var passes: Bool {
        guard let goal, let ratio else { return true }
        return ratio <= goal
    }
}

extension Measurement {
    static let heading = """
        | microseconds an operation | ours | Foundation | ratio | goal | ours, CPU | Foundation, CPU | ratio |
        |---|---|---|---|---|---|---|---|
        """

    /// The line of a table.
    var row: String {
        let cells = [
            name, ours.time.microseconds, peer?.time.microseconds, ratio?.short,
            goal.map { "≤ \($0.short)\(passes ? "" : " MISSED")" }, ours.processor.microseconds,
            peer?.processor.microseconds, processorRatio?.short,
        ]
        return "| " + cells.map { $0 ?? "–" }.joined(separator: " | ") + " |"
    }

    var json: String {
        let numbers = [
            ("ours_ns", ours.time.nanoseconds), ("peer_ns", peer?.time.nanoseconds),
            ("ours_cpu_ns", ours.processor.nanoseconds), ("peer_cpu_ns", peer?.processor.nanoseconds),
            ("ratio", ratio), ("cpu_ratio", processorRatio), ("goal", goal),
        ]
        let fields = numbers.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
        return "{\"name\":\"\(name)\"," + fields.joined(separator: ",") + ",\"passes\":\(passes)}"
    }
}

extension Duration {
    fileprivate var nanoseconds: Double { self / .nanoseconds(1) }
    fileprivate var microseconds: String { (nanoseconds / 1_000).short }
}

extension Double {
    /// Two digits after the point.
    var short: String {
        let hundredths = Int((self * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
