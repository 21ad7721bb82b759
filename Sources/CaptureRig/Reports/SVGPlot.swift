/// Drawing of a series for a page of HTML: some kB of SVG, with any number of points.
///
/// Colours, fonts and widths are the page's: its classes are in ``RigReportStyle``. Text alternatives describe the drawing in
/// words. *thread-safe*
struct SVGPlot: Sendable {
    private let series: Series
    private let verdict: Verdict
    /// Points that can be drawn, in the order in which they are joined.
    private let points: [Series.Point]
    /// Values at which limits are drawn: those that are not so far away that nothing else would be seen.
    private let limits: [Double]
    private let across: PlotAxis
    private let upward: PlotAxis
    /// Ends of the horizontal axis: left of it are the texts of the ticks, right of it those of the limits.
    private let left: Double
    private let right: Double

    // Measures of the drawing in units of its view box. A narrow phone makes them four fifths of a pixel.
    private static let (width, height) = (400.0, 196.0)
    private static let (top, bottom) = (28.0, 36.0)
    // The path's own unit is a tenth: whole numbers are the shortest ones.
    private static let fine = 10.0
    // Columns in which no more than four points are drawn, in tenths.
    private static let column = 25
    private static let mostBars = 100
    private static let mostLimits = 4

    /// - Parameters:
    ///   - series: points in any order and number; those that are not finite, or not above 0 on a logarithmic axis, are ignored.
    ///   - verdict: determines the colour of the limits.
    init(_ series: Series, verdict: Verdict) {
        let points = Self.drawable(series)
        let heights = Self.span(points.map(\.y), andZero: series.kind == .histogram)
        let limits = Self.near(series.limits, heights)
        let upward = PlotAxis(
            linear: Self.span([heights.lowerBound, heights.upperBound] + limits), ticks: 4, endsOnTicks: true)
        (self.series, self.verdict, self.points, self.limits) = (series, verdict, points, limits)
        (across, self.upward) = (Self.axis(across: points, series.kind), upward)
        left = Self.margin(upward.ticks.map(upward.label))
        right = Self.width - (limits.isEmpty ? 10 : Self.margin(limits.map { FigureText.of($0) }))
    }

    /// A figure with its name, the drawing, and what it spans in words.
    var markup: Markup {
        guard !points.isEmpty else {
            let name = series.name
            return "<figure class=\"plot\"><figcaption>\(name) <small>No points.</small></figcaption></figure>"
        }
        return """
            <figure class="plot v-\(verdict.rawValue)"><figcaption>\(series.name) <small>\(extent)</small></figcaption>\
            <svg class="p" viewBox="0 0 400 196" role="img" aria-label="\(alternative, limit: 600)">\
            \(grid)\(names)\(bounds)\(curve)\(marks)</svg></figure>

            """
    }

    // -- words

    /// The drawing in words.
    private var alternative: String {
        let kind =
            switch series.kind {
            case .line: "Line plot"
            case .histogram: "Histogram"
            case .spectrum: "Spectrum"
            case .dots: "Dot plot"
            }
        let marks = extremes.map { "\($0.word) \(FigureText.of($0.point.y)) at \(FigureText.of($0.point.x))" }
        return "\(kind) of \(series.name): \(series.y) over \(series.x); \(extent); \(marks.joined(separator: ", "))"
    }

    /// Number of the points, their span, and the limits, of which some may be too far away to be drawn.
    private var extent: String {
        let values = series.kind == .histogram ? filled.map(\.x) : points.map(\.y)
        let count = series.kind == .histogram ? "" : "\(FigureText.fixed(Double(points.count), decimals: 0)) points, "
        let range = Self.span(values)
        let far = series.limits.filter { $0.isFinite && !limits.contains($0) }.prefix(Self.mostLimits)
        let told = limits.map { FigureText.of($0) } + far.map { "\(FigureText.of($0)), which is outside the plot" }
        return count + "\(FigureText.of(range.lowerBound)) to \(FigureText.of(range.upperBound))"
            + (told.isEmpty ? "" : "; limit " + told.joined(separator: " and "))
    }

    /// Bars with something in them.
    private var filled: [Series.Point] { points.contains { $0.y > 0 } ? points.filter { $0.y > 0 } : points }

    /// Marked points: a reader wants to find them at a glance.
    private var extremes: [(word: String, point: Series.Point)] {
        let most = points.max { $0.y < $1.y }.map { [("most", $0)] } ?? []
        let least = points.min { $0.y < $1.y }.map { [("least", $0)] } ?? []
        switch series.kind {
        case .line, .dots: return most + (most.first?.1.y == least.first?.1.y ? [] : least)
        case .histogram, .spectrum: return most
        }
    }

    // -- drawing

    private func x(_ value: Double) -> Double {
        left + across.position(value) * (right - left)
    }

    private func y(_ value: Double) -> Double {
        Self.height - Self.bottom - upward.position(value) * (Self.height - Self.top - Self.bottom)
    }

    private var grid: Markup {
        let base = Self.height - Self.bottom
        let rows = upward.ticks.map { "M\(place(left)) \(place(y($0)))H\(place(right))" }
        let columns = across.ticks.map { "M\(place(x($0))) \(place(base))v4" }
        return """
            <path class="g" \(path(rows))/><path class="k" \(path(columns))/>\
            <g class="e">\(upward.ticks.markup { text(upward.label($0), left - 6, y($0) + 4) })</g>\
            <g class="c">\(across.ticks.markup { text(across.label($0), x($0), base + 16) })</g>
            """
    }

    /// Names of the axes, each at the end where its numbers are greatest.
    private var names: Markup {
        let last = Self.height - 4
        return
            "<g class=\"u\">\(text(series.y, 0, 11))<g class=\"e\">\(text(series.x, right, last))</g></g>"
    }

    /// Lines at the limits, their numbers beside them: those of two that are near to each other a little apart.
    private var bounds: Markup {
        limits.markup { limit in
            let height = y(limit)
            let isNear = limits.contains { $0 != limit && abs(y($0) - height) < 14 }
            let shift = !isNear ? 4.0 : limit == limits.last ? -1 : 9
            let path = path(["M\(place(left)) \(place(height))H\(place(right))"])
            return
                "<path class=\"l\" \(path)/><g class=\"l\">\(text(FigureText.of(limit), right + 5, height + shift))</g>"
        }
    }

    private var marks: Markup {
        extremes.markup { word, point in
            let (x, y) = (x(point.x), y(point.y))
            let side = x < left + 60 ? "" : x > right - 60 ? "e" : "c"
            let height = word == "most" ? max(y - 6, 22) : min(y + 15, Self.height - Self.bottom - 3)
            let label = FigureText.of(point.y) + (series.kind == .spectrum ? " at \(FigureText.of(point.x))" : "")
            return """
                <g class="m \(side)"><circle cx="\(place(x))" cy="\(place(y))" r="2.5"/>\(text(label, x, height))</g>
                """
        }
    }

    private func text(_ words: String, _ x: Double, _ y: Double) -> Markup {
        "<text x=\"\(place(x))\" y=\"\(place(y))\">\(words, limit: 60)</text>"
    }

    private func place(_ number: Double) -> String {
        let tenths = Int((number * Self.fine).rounded())
        return tenths % 10 == 0
            ? String(tenths / 10) : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }

    /// A path's attribute. It consists of numbers, and its middle must not be omitted like that of a text.
    private func path(_ parts: [String]) -> Markup { Markup(verbatim: "d=\"\(parts.joined())\"") }

    private var curve: Markup {
        let (kind, points): (Markup, String) =
            switch series.kind {
            case .histogram: ("h", bars)
            case .dots: ("d", track)
            case .line, .spectrum: ("s", track)
            }
        return "<g transform=\"scale(.1)\"><path class=\"\(kind)\" \(path([points]))/></g>"
    }

    /// Points as a path of differences: joined, or each a stroke without a length, which round ends make a dot.
    private var track: String {
        let isDots = series.kind == .dots
        var path = ""
        var last: (x: Int, y: Int)?
        for (x, y) in thinned(points.map { (tenths(x($0.x)), tenths(y($0.y))) }) {
            if let last, last == (x, y) { continue }
            let step = last.map { pair(x - $0.x, y - $0.y) } ?? pair(x, y)
            path += isDots ? (last == nil ? "M" : "m") + step + "h0" : last == nil ? "M\(step)l" : " " + step
            last = (x, y)
        }
        // A line of one point would not be seen.
        return points.count == 1 && !isDots ? path + "0 1" : path
    }

    private func tenths(_ number: Double) -> Int { Int((number * Self.fine).rounded()) }

    // A minus sign parts two numbers as well as a space does.
    private func pair(_ x: Int, _ y: Int) -> String { y < 0 ? "\(x)\(y)" : "\(x) \(y)" }

    /// First, minimum, maximum and last of neighbours in one column: drawn, they look like all of them.
    private func thinned(_ places: [(x: Int, y: Int)]) -> [(x: Int, y: Int)] {
        guard places.count > 4 * Int(Self.width) / Self.column else { return places }
        var kept: [(x: Int, y: Int)] = []
        var start = 0
        while start < places.count {
            let column = places[start].x / Self.column
            let end = places[start...].firstIndex { $0.x / Self.column != column } ?? places.count
            kept += Self.outline(places[start..<end])
            start = end
        }
        // Points that jump to and fro have no neighbours.
        let stride = kept.count / 1000 + 1
        return stride == 1 ? kept : Swift.stride(from: 0, to: kept.count, by: stride).map { kept[$0] }
    }

    private static func outline(_ places: ArraySlice<(x: Int, y: Int)>) -> [(x: Int, y: Int)] {
        guard places.count > 4 else { return Array(places) }
        let least = places.indices.min { places[$0].y < places[$1].y } ?? places.startIndex
        let most = places.indices.max { places[$0].y < places[$1].y } ?? places.startIndex
        return Set([places.startIndex, least, most, places.endIndex - 1]).sorted().map { places[$0] }
    }

    /// Bars as closed paths from the axis; the least that is not nothing can be seen.
    private var bars: String {
        let base = tenths(y(max(0, upward.least)))
        return points.reduce(into: "") { path, point in
            let (from, to) = (tenths(x(point.x)), tenths(x(point.x + Self.barWidth(points))))
            let height = base - tenths(y(point.y))
            guard height != 0 || point.y > 0 else { return }
            path += "M\(from) \(base)v\(-max(height, 8))h\(max(to - from - 6, 4))V\(base)z"
        }
    }

    // -- points that can be drawn

    private static func drawable(_ series: Series) -> [Series.Point] {
        let finite = series.points.filter { abs($0.x) < PlotAxis.mostValue && abs($0.y) < PlotAxis.mostValue }
        switch series.kind {
        case .line: return finite
        case .dots: return finite.sorted { $0.x < $1.x }
        case .spectrum: return finite.filter { $0.x.isNormal && $0.x > 0 }.sorted { $0.x < $1.x }
        case .histogram: return merged(finite.sorted { $0.x < $1.x })
        }
    }

    /// Neighbouring bars in one, until there are few enough to be seen.
    private static func merged(_ bars: [Series.Point]) -> [Series.Point] {
        let count = (bars.count + mostBars - 1) / mostBars
        guard count > 1 else { return bars }
        return stride(from: 0, to: bars.count, by: count).map { start in
            let part = bars[start..<min(start + count, bars.count)]
            return Series.Point(bars[start].x, part.reduce(0) { $0 + $1.y })
        }
    }

    private static func barWidth(_ bars: [Series.Point]) -> Double {
        bars.count > 1 && bars[1].x > bars[0].x ? bars[1].x - bars[0].x : 1
    }

    private static func axis(across points: [Series.Point], _ kind: Series.Kind) -> PlotAxis {
        let values = span(points.map(\.x))
        return switch kind {
        case .spectrum: PlotAxis(logarithmic: points.isEmpty ? 1...10 : values)
        case .histogram: PlotAxis(linear: values.lowerBound...values.upperBound + barWidth(points), ticks: 5)
        case .line, .dots: PlotAxis(linear: values, ticks: 5)
        }
    }

    /// Width that the longest of some texts takes beside the plot.
    private static func margin(_ texts: [String]) -> Double { Double(texts.map(\.count).max() ?? 1) * 7.5 + 8 }

    private static func span(_ values: [Double], andZero: Bool = false) -> ClosedRange<Double> {
        let all = values + (andZero ? [0] : [])
        guard let least = all.min(), let most = all.max() else { return 0...1 }
        return least...most
    }

    /// A limit that would compress the points into a quarter of the height is described in words instead.
    private static func near(_ limits: [Double], _ values: ClosedRange<Double>) -> [Double] {
        let width = values.upperBound - values.lowerBound
        let reach = width > 0 ? 3 * width : PlotAxis.mostValue
        return Array(
            Set(limits.filter { $0 > values.lowerBound - reach && $0 < values.upperBound + reach }).sorted()
                .prefix(mostLimits))
    }
}
