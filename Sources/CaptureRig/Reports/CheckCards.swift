/// Results of one check with one device in one variant: one for each repeat.
///
/// *thread-safe*
struct RepeatedCheck: Sendable {
    /// Place among the checks of a report, from 0.
    let number: Int
    /// In the order in which they ran; at least one.
    private(set) var results: [CheckResult]
    private(set) var verdict: Verdict

    private init(number: Int, first: CheckResult) {
        self.number = number
        results = [first]
        verdict = first.verdict
    }

    /// Name of its place in the page.
    var anchor: String { "c\(number)" }

    /// Results that belong together, in the order of their first ones, and the index of the check of each result.
    static func grouping(_ results: [CheckResult]) -> (checks: [RepeatedCheck], owners: [Int]) {
        var checks: [RepeatedCheck] = []
        var known: [Key: Int] = [:]
        let owners = results.map { result in
            let key = Key(result)
            if let index = known[key] {
                checks[index].results.append(result)
                checks[index].verdict = max(checks[index].verdict, result.verdict)
                return index
            }
            known[key] = checks.count
            checks.append(RepeatedCheck(number: checks.count, first: result))
            return checks.count - 1
        }
        return (checks, owners)
    }

    private struct Key: Hashable {
        let check: String
        let device: RigDevice?
        let variant: [CheckResult.Choice]

        init(_ result: CheckResult) { (check, device, variant) = (result.check, result.device, result.variant) }
    }

    /// Measures by name, in the order in which they first came.
    var measures: [RepeatedMeasure] {
        var all: [RepeatedMeasure] = []
        var names: [String: Int] = [:]
        for result in results {
            for measure in result.measures {
                let index = names[measure.name] ?? all.count
                names[measure.name] = index
                if index == all.count { all.append(RepeatedMeasure(worst: measure)) }
                all[index].add(measure)
            }
        }
        return all
    }
}

/// One measure of all repeats of a check. *thread-safe*
struct RepeatedMeasure: Sendable {
    /// The one that says most about the hardware.
    private(set) var worst: Measure
    /// In the order of the repeats.
    private(set) var numbers: [Measure] = []

    fileprivate init(worst: Measure) { self.worst = worst }

    fileprivate mutating func add(_ measure: Measure) {
        numbers.append(measure)
        worst = [worst, measure].worst ?? worst
    }

    /// Numbers that were measured.
    var values: [Double] { numbers.compactMap(\.value) }

    /// Least and greatest number and the difference; `nil` if there are no two.
    var spread: String? {
        guard values.count > 1, let least = values.min(), let most = values.max() else { return nil }
        let texts = [least, most, most - least].map { FigureText.fixed($0, decimals: worst.decimals) }
        return least == most ? "none" : "\(texts[2]) (\(texts[0]) to \(texts[1]))"
    }
}

extension [Measure] {
    /// The one with the worst verdict; of several, the one that is nearest to its limit, or farthest beyond.
    var worst: Measure? {
        self.min { one, other in
            one.verdict == other.verdict
                ? (one.headroom ?? .infinity) < (other.headroom ?? .infinity) : one.verdict > other.verdict
        }
    }
}

/// Writer of a card for each check: its results, with all numbers, plots and images.
///
/// Plots and images beyond the page's limit are omitted, with a note: the first cards have all of theirs. *session-bound*
struct CheckCards {
    private var sheet: EvidenceSheet
    // Bytes of plots that the page still takes.
    private var left: Int

    /// - Parameters:
    ///   - plots: bytes of plots on the page.
    ///   - pictures: bytes of image files on the page.
    init(plots: Int, pictures: Int) {
        left = plots
        sheet = EvidenceSheet(limit: pictures)
    }

    /// Maximum number of repeats whose numbers are written one by one; the spread covers all.
    private static let mostRepeats = 12
    /// Plots of one check: of the worst repeats.
    private static let mostPlots = 12

    /// - Parameters:
    ///   - check: the check.
    ///   - level: level of its heading.
    ///   - load: bytes of a file beside the report.
    mutating func card(_ check: RepeatedCheck, level: Int, load: (String) -> [UInt8]?) -> Markup {
        let first = check.results[0]
        let about = [Self.device(first.device), Self.variant(first.variant)].filter { !$0.isEmpty }
        let text: Markup = about.isEmpty ? "" : "<p class=\"about\">\(about.markup { $0 })</p>"
        return """
            <article class="card v-\(check.verdict.rawValue)" id="\(check.anchor)">
            <h\(level)>\(check.verdict.mark) <code>\(first.check)</code></h\(level)>\(text)
            \(Self.messages(check))\(Self.table(check))\(plots(check))\(sheet.markup(of: check.results, load: load))\
            \(Self.times(check))
            </article>

            """
    }

    private static func device(_ device: RigDevice?) -> Markup {
        guard let device else { return "" }
        let driver: Markup = device.driver.map { ", driver <bdi>\($0)</bdi>" } ?? ""
        return "<span><b><bdi>\(device.name)</bdi></b> <bdi>\(device.label)</bdi>\(driver)</span>"
    }

    private static func variant(_ choices: [CheckResult.Choice]) -> Markup {
        choices.prefix(16).markup { "<span><i>\($0.name)</i> <bdi>\($0.value)</bdi></span>" }
    }

    /// Messages of the results, each sentence once, with its repeats.
    private static func messages(_ check: RepeatedCheck) -> Markup {
        var said: [(message: String, repeats: [String])] = []
        for result in check.results {
            guard let message = result.message else { continue }
            let index = said.firstIndex { $0.message == message } ?? said.count
            if index == said.count { said.append((message, [])) }
            said[index].repeats.append("\(result.round)")
        }
        return said.prefix(mostRepeats).markup { message, repeats in
            let word = repeats.count == 1 ? "Repeat" : "Repeats"
            let number: Markup =
                check.results.count == 1 ? "" : "<b>\(word) \(repeats.joined(separator: ", "), limit: 60):</b> "
            return "<p class=\"message\">\(number)\(message, limit: 1000)</p>\n"
        }
    }

    private static func times(_ check: RepeatedCheck) -> Markup {
        let total = check.results.reduce(0) { $0 + $1.seconds }
        guard total > 0 else { return "" }
        let start = FigureText.duration(check.results[0].begins)
        let often = check.results.count == 1 ? "" : ", \(check.results.count) repeats"
        return """
            <p class="soft"><code>\(check.results[0].name)</code>, \(start) into the run, \
            took \(FigureText.duration(total))\(often)</p>
            """
    }

    // -- measures

    private static func table(_ check: RepeatedCheck) -> Markup {
        let measures = check.measures
        guard !measures.isEmpty else { return "" }
        let isOne = check.results.count == 1
        let columns =
            isOne
            ? ["Verdict", "Measure", "Value", "Limit", "Margin"]
            : ["Verdict", "Measure", "Worst", "Limit", "Margin", "Spread", "Each repeat"]
        return """
            <table class="m" role="table"><thead role="rowgroup"><tr role="row">\(columns.headers)</tr></thead>
            <tbody role="rowgroup">\(measures.markup { row($0, isOne) })</tbody></table>

            """
    }

    // Cells that don't break are short, whatever a unit is called; otherwise the card would be wider than a screen.
    private static func row(_ measure: RepeatedMeasure, _ isOne: Bool) -> Markup {
        let worst = measure.worst
        let each: Markup = "<td role=\"cell\" class=\"each\">\(each(measure))</td>"
        return """
            <tr role="row"><td role="cell">\(worst.verdict.mark)</td>\
            <th scope="row" role="rowheader">\(worst.name, limit: 48)</th>\
            \(Markup.cell(worst.shown, limit: 40))\(Markup.cell(worst.shownLimit, limit: 48))\
            \(worst.marginCell(others: measure.values))\
            \(isOne ? "" : Markup.cell(measure.spread, limit: 60) + each)</tr>

            """
    }

    /// Numbers of the repeats; those that are not good have their sign, too.
    private static func each(_ measure: RepeatedMeasure) -> Markup {
        let shown = measure.numbers.prefix(mostRepeats).markup { one in
            let figure = one.value.map { FigureText.fixed($0, decimals: measure.worst.decimals) } ?? "–"
            return one.verdict == .pass || one.verdict == .done
                ? "<span>\(figure)</span> "
                : "<span class=\"v-\(one.verdict.rawValue)\">\(one.verdict.icon)\(figure)</span> "
        }
        let rest = measure.numbers.count - mostRepeats
        return rest > 0 ? "\(shown)<span>and \(rest) more</span>" : shown
    }

    // -- plots

    private mutating func plots(_ check: RepeatedCheck) -> Markup {
        let isOne = check.results.count == 1
        let worst = check.results.enumerated().sorted {
            ($1.element.verdict, $0.offset) < ($0.element.verdict, $1.offset)
        }
        let all = worst.flatMap { _, result in result.series.map { (result, $0) } }
        let drawn = all.prefix(Self.mostPlots).markup { result, series in
            guard left > 0 else { return "" }
            var named = series
            if !isOne { named.name += ", repeat \(result.round)" }
            let plot = SVGPlot(named, verdict: result.verdict).markup
            left -= plot.bytes
            return plot
        }
        guard !all.isEmpty else { return "" }
        let note: Markup =
            drawn.isEmpty || all.count > Self.mostPlots
            ? "<p class=\"soft\">The report's JSON has more plots, which would make this page too large.</p>" : ""
        return "<div class=\"plots\">\(drawn)</div>\(note)\n"
    }
}
