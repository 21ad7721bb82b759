/// A small drawing of a number between its bounds: the bounds are always at the same places, so that rows can be compared.
///
/// It says nothing that the text beside it does not: a screen reader skips it. *thread-safe*
struct MeasureBar: Sendable {
    private let measure: Measure
    private let limit: Limit?
    private let others: [Double]
    // Place of the bound, or of the middle of two, and units of the view box for the limit's scale.
    private let origin: Double
    private let zero: Double
    private let reach: Double

    private static let width = 96.0

    /// - Parameters:
    ///   - measure: the number that is marked.
    ///   - others: numbers of repeats, which are marked faintly.
    init(_ measure: Measure, others: [Double] = []) {
        let limit = measure.limit ?? Limit()
        self.measure = measure
        self.limit = limit.least == nil && limit.most == nil ? nil : limit
        self.others = others.count > 1 ? Array(others.prefix(Self.mostOthers)) : []
        let scale = limit.scale(for: measure.value ?? 0)
        switch (limit.least, limit.most) {
        case (let least?, let most?): (zero, origin, reach) = (least / 2 + most / 2, 48, 32 / scale)
        case (let least?, nil): (zero, origin, reach) = (least, 32, 64 / scale)
        default: (zero, origin, reach) = (limit.most ?? 0, 64, 64 / scale)
        }
    }

    private static let mostOthers = 24

    /// An inline drawing; nothing for a number without a limit.
    var markup: Markup {
        guard let limit, let value = measure.value else { return "" }
        let (least, most) = (limit.least.map(place) ?? 0, limit.most.map(place) ?? Int(Self.width))
        let zones =
            strip("z", least, most) + strip("w", least, limit.marginalBelow.map(place) ?? least)
            + strip("w", limit.marginalAbove.map(place) ?? most, most)
        let bounds = [limit.least, limit.most].compactMap { $0 }.map { "M\(place($0)) 1v10" }.joined()
        let repeats = others.map { "M\(place($0)) 3v6" }.joined()
        return """
            <svg class="b v-\(measure.verdict.rawValue)" viewBox="0 0 96 12" aria-hidden="true"><path class="t" d="M0 6h96"/>\(zones)\
            <path class="k" d="\(bounds)"/>\(repeats.isEmpty ? "" : "<path class=\"o\" d=\"\(repeats)\"/>")\
            <path class="x" d="\(mark(value))"/></svg>
            """
    }

    private func strip(_ kind: String, _ from: Int, _ to: Int) -> Markup {
        to > from ? "<path class=\"\(kind)\" d=\"M\(from) 6H\(to)\"/>" : ""
    }

    private func place(_ value: Double) -> Int { Int(min(max(exact(value), 0), Self.width).rounded()) }

    private func exact(_ value: Double) -> Double { origin + (value - zero) * reach }

    /// A stroke at the number; an arrow at the end beyond which it lies.
    private func mark(_ value: Double) -> String {
        let exact = exact(value)
        if exact < 0 { return "M1 6l6-4v8z" }
        return exact > Self.width ? "M95 6l-6-4v8z" : "M\(min(max(place(value), 1), 95)) 0v12"
    }
}

extension Measure {
    /// A table's cell with the drawing and the margin.
    ///
    /// - Parameter others: numbers of repeats.
    func marginCell(others: [Double] = []) -> Markup {
        guard let shownMargin else { return Markup.cell(nil) }
        return "<td role=\"cell\">\(MeasureBar(self, others: others).markup)\(shownMargin)</td>"
    }
}
