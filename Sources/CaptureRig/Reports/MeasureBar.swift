/// A small drawing of a number between its bounds: the bounds are always at the same places, so that rows can be
/// compared.
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

    /// Shapes that bars are made of, for the head of the page: a thousand bars share them.
    static let shapes = Markup(
        verbatim: [("b-within", 16, 80), ("b-least", 32, 96), ("b-most", 0, 64), ("b-equal", 48, 48)].map {
            id, from, to in
            let bounds = Set([from, to]).intersection(16...80).sorted().map { "M\($0) 1v10" }.joined()
            return "<symbol id=\"\(id)\" viewBox=\"0 0 96 12\"><path class=\"t\" d=\"M0 6h96\"/>"
                + "<path class=\"z\" d=\"M\(from) 6H\(to)\"/><path class=\"k\" d=\"\(bounds)\"/></symbol>\n"
        }.joined())

    /// An inline drawing; nothing for a number without a limit.
    var markup: Markup {
        guard let limit, let value = measure.value else { return "" }
        let zones =
            strip(limit.least.map(place) ?? 0, limit.marginalBelow.map(place))
            + strip(limit.marginalAbove.map(place), limit.most.map(place) ?? Int(Self.width))
        let repeats = others.map { "M\(place($0)) 3v6" }.joined()
        return """
            <svg class="b" viewBox="0 0 96 12" aria-hidden="true"><use href="#\(Self.shape(limit))"/>\(zones)\
            \(repeats.isEmpty ? "" : "<path class=\"o\" d=\"\(Markup(verbatim: repeats))\"/>")\
            <path class="x v-\(measure.verdict.rawValue)" d="\(mark(value))"/></svg>
            """
    }

    private static func shape(_ limit: Limit) -> String {
        switch (limit.least, limit.most) {
        case (let least?, let most?): least == most ? "b-equal" : "b-within"
        case (nil, _): "b-most"
        case (_, nil): "b-least"
        }
    }

    /// A zone in which a pass is marginal, short of the bound's own stroke.
    private func strip(_ from: Int?, _ to: Int?) -> Markup {
        guard let from, let to, to > from + 1 else { return "" }
        return "<path class=\"w\" d=\"M\(from + 1) 6H\(to - 1)\"/>"
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
        return "<td role=\"cell\">\(MeasureBar(self, others: others).markup)\(shownMargin, limit: 32)</td>"
    }
}
