import Testing

@testable import CaptureRig

/// Numbers, bars and bytes of the page.
struct RigReportFigureTests {
    @Test(
        "Numbers have as many digits as say something",
        arguments: [
            (29.970029, "29.97"), (0, "0"), (48000, "48,000"), (1_234_567.8, "1,234,568"), (-0.25, "−0.25"),
            (999.96, "1,000"),
            (0.000012, "0.000012"), (1.5e-7, "1.5e-7"), (6.022e23, "6.02e23"), (1e308, "1e308"),
        ] as [(Double, String)])
    func numbers(value: Double, text: String) { #expect(FigureText.of(value) == text) }

    @Test("A number that is not finite is a dash")
    func infinite() {
        #expect(FigureText.of(.infinity) == "–")
        #expect(FigureText.of(.nan) == "–")
        #expect(FigureText.duration(.nan) == "–")
    }

    @Test(
        "Durations are in the unit that fits",
        arguments: [
            (0.0304, "30 ms"), (12.34, "12.3 s"), (754.2, "12 min 34 s"), (7384, "2 h 3 min"), (-1, "–"),
        ] as [(Double, String)])
    func durations(seconds: Double, text: String) { #expect(FigureText.duration(seconds) == text) }

    @Test("A number is never rounded to the other side of its limit")
    func sides() {
        let measure = Measure("late", 5.000004, "ms", .lower, limit: Limit(most: 5))
        #expect(measure.verdict == .fail)
        #expect(measure.shown == "5.000004 ms")
        #expect(measure.shownMargin == "−0.000004 ms")
        #expect(measure.shownLimit == "≤ 5 ms")
    }

    @Test("A number has the digits that its limit makes matter")
    func resolution() {
        let rate = Measure("rate", 48000.3712, "Hz", .target, limit: .within(4.8, of: 48000))
        #expect(rate.shown == "48,000.37 Hz")
        #expect(rate.shownLimit == "47,995.2 to 48,004.8 Hz")
        #expect(rate.shownMargin == "+4.43 Hz")
        #expect(Measure("none", nil, "Hz", .none).shown == "not measured")
    }

    @Test("A bar has its bounds at the same places whatever the limit is, and an arrow for a number beyond")
    func bars() {
        func bar(_ value: Double, _ limit: Limit) -> String {
            MeasureBar(Measure("a", value, "", .none, limit: limit)).markup.html
        }
        #expect(bar(30, .within(1, of: 30)).contains("#b-within"))
        #expect(bar(1e9, .within(1e7, of: 1e9)).contains("d=\"M48 0v12\""))
        #expect(bar(500, Limit(most: 600)).contains("#b-most") && bar(500, Limit(most: 600)).contains("M53 0v12"))
        #expect(bar(20, Limit(least: 60)).contains("M1 6l6-4v8z"))
        #expect(bar(1e300, .within(1, of: 30)).contains("M95 6l-6-4v8z"))
        #expect(bar(0, Limit(most: 0)).contains("M64 0v12"))
        #expect(bar(1, Limit()).isEmpty)
    }

    @Test(
        "Bytes become the text of RFC 4648",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func base64(plain: String, text: String) { #expect(EvidenceSheet.base64(Array(plain.utf8)) == text) }
}

/// Drawings of series.
struct SVGPlotTests {
    @Test(
        "However many points there are, a drawing has some kB, and stays inside its box",
        arguments: [
            Series.Kind.line, .histogram, .spectrum, .dots,
        ])
    func small(kind: Series.Kind) {
        var random = SampleNoise(seed: 3)
        let points = (0..<50_000).map { Series.Point(Double($0), random.bell()) }
        let drawing = SVGPlot(Series("s", kind, x: "x", y: "y", points, limits: [0.5]), verdict: .fail).markup
        #expect(drawing.bytes < 8000)
        #expect(drawing.html.contains("50,000 points") == (kind == .line || kind == .dots))
        for tag in tags(in: drawing.html) where tag.hasPrefix("text ") || tag.hasPrefix("circle ") {
            let across = values(of: ["x", "cx"], in: tag).compactMap { Double($0) }
            #expect(across.count == 1 && across.allSatisfy { (0...400).contains($0) })
            #expect(values(of: ["y", "cy"], in: tag).compactMap { Double($0) }.allSatisfy { (0...196).contains($0) })
        }
    }

    @Test("The least and the most of a hundred thousand points are drawn and told")
    func extremes() {
        var points = (0..<100_000).map { Series.Point(Double($0), 1) }
        points[70_001].y = 9
        points[31_007].y = -4
        let drawing = SVGPlot(Series("s", .line, x: "x", y: "y", points), verdict: .pass).markup.html
        #expect(drawing.contains("most 9 at 70,001, least −4 at 31,007"))
        #expect(drawing.contains(">9</text>") && drawing.contains(">−4</text>"))
    }

    @Test("Limits are drawn in the verdict's colour, and one that is too far away is told in words")
    func limits() {
        let points = [Series.Point(0, 10), .init(1, 11)]
        let drawing = SVGPlot(Series("s", .line, x: "x", y: "y", points, limits: [12, 500]), verdict: .marginal).markup
            .html
        #expect(drawing.contains("class=\"plot v-marginal\""))
        #expect(drawing.components("<path class=\"l\"") == 1)
        #expect(drawing.contains("limit 12 and 500, which is outside the plot"))
    }

    @Test("Points that can't be drawn are left out, and a plot of none says so")
    func impossible() {
        let points = [Series.Point(.nan, 1), .init(1, .infinity), .init(0, 5), .init(-3, 5), .init(1e300, 1)]
        #expect(
            SVGPlot(Series("s", .spectrum, x: "x", y: "y", points), verdict: .pass).markup.html.contains("No points."))
        let one = SVGPlot(Series("s", .line, x: "x", y: "y", points + [.init(0, 5)]), verdict: .pass).markup.html
        #expect(one.contains("3 points, 5 to 5"))
        #expect(!one.contains("nan") && !one.contains("inf"))
    }

    @Test(
        "Ticks are round numbers",
        arguments: [
            (0.0...1.0, ["0", "0.2", "0.4", "0.6", "0.8", "1"]), (16.48...33.35, ["20", "25", "30"]),
            (-0.0003...0.0002, ["−0.0003", "−0.0002", "−0.0001", "0", "0.0001", "0.0002"]),
            (0...120_000, ["0", "50k", "100k"]), (0...4_000_000, ["0", "1M", "2M", "3M", "4M"]),
        ] as [(ClosedRange<Double>, [String])])
    func ticks(range: ClosedRange<Double>, texts: [String]) {
        let axis = PlotAxis(linear: range, ticks: 5)
        #expect(axis.ticks.map(axis.label) == texts)
    }

    @Test("An axis of one number, and one of numbers that hardly differ, still is one")
    func degenerate() {
        for range in [
            0.0...0, 5...5, -1e149...1e149, 1e9...1e9 + 1e-7,
            Double.leastNonzeroMagnitude...Double.leastNonzeroMagnitude,
        ] {
            let axis = PlotAxis(linear: range, ticks: 5)
            #expect(axis.most > axis.least && (0...1).contains(axis.position(range.lowerBound)))
            #expect((1...21).contains(axis.ticks.count))
        }
    }

    @Test("On a logarithmic axis all decades are as wide, and have ticks")
    func decades() {
        let axis = PlotAxis(logarithmic: 10...10_000)
        #expect(axis.ticks.map(axis.label) == ["10", "100", "1k", "10k"])
        #expect(zip(axis.ticks, [0.0, 1, 2, 3]).allSatisfy { abs(axis.position($0) - $1 / 3) < 1e-9 })
        #expect(PlotAxis(logarithmic: 2.1...4.9).ticks.count > 1)
        #expect((2...9).contains(PlotAxis(logarithmic: 1e-140...1e149).ticks.count))
    }

    @Test(
        "The logarithm is right to ten digits",
        arguments: [(1.0, 0.0), (1000, 3), (2, 0.301029995664), (0.02, -1.698970004336), (1e-140, -140)])
    func logarithm(value: Double, power: Double) {
        #expect(abs(PlotAxis.logarithm(value) - power) < 1e-10 * max(1, abs(power)))
    }
}
