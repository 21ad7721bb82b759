extension RigReport {
    /// The report as one self-contained HTML page, without network, scripts or further files.
    ///
    /// It has the failing checks first, then a table of all results, then the passed checks, collapsed. It follows the reader's
    /// light or dark scheme, prints, and fits a phone. Text of devices, plans and files is displayed and never interpreted.
    ///
    /// - Parameter evidence: the bytes of a file by its path relative to the report's directory, or `nil`; PNG and JPEG images
    ///   become part of the page, up to 12 MB of them. It is only called for paths that stay below that directory.
    /// - Returns: a page in UTF-8 that is well-formed XML, too.
    public func html(evidence: (String) -> [UInt8]? = { _ in nil }) -> String {
        html(pictures: RigPage.mostPictures, evidence: evidence)
    }

    /// The same page, with a limit for the bytes of image files.
    func html(pictures: Int, evidence: (String) -> [UInt8]?) -> String {
        RigPage(self, pictures: pictures).markup(evidence).html
    }
}

/// Writer of a report's page. *session-bound*
private struct RigPage {
    private let report: RigReport
    private let checks: [RepeatedCheck]
    // Index in `checks` for each result.
    private let owners: [Int]

    private let pictures: Int

    /// Default limit for the bytes of image files on a page.
    static let mostPictures = 12_000_000

    /// - Parameter pictures: bytes of image files on the page.
    init(_ report: RigReport, pictures: Int) {
        self.pictures = pictures
        self.report = report
        (checks, owners) = RepeatedCheck.grouping(report.results)
    }

    func markup(_ load: (String) -> [UInt8]?) -> Markup {
        var cards = CheckCards(plots: plots, pictures: pictures)
        // In this order, since the first checks get their plots and images.
        let failing = failing(&cards, load)
        let others = others(&cards, load)
        return """
            <!DOCTYPE html>
            <html lang="en" xmlns="http://www.w3.org/1999/xhtml">
            <head>
            <meta charset="utf-8"/>
            <meta http-equiv="Content-Security-Policy" content="\(RigReportStyle.policy)"/>
            <meta name="viewport" content="width=device-width, initial-scale=1"/>
            <meta name="color-scheme" content="light dark"/>
            <title>\(news.word): \(report.plan) on \(report.host.name)</title>
            <link rel="icon" href="data:,"/>
            <style>
            \(RigReportStyle.sheet)</style>
            </head>
            <body>
            <svg class="shapes" width="0" height="0" aria-hidden="true">
            \(RigReportStyle.icons)\(MeasureBar.shapes)</svg>
            \(header)
            <main>
            \(failing)\(results)\(others)\(devices)</main>
            \(footer)
            </body>
            </html>

            """
    }

    /// Bytes of plots on the page: some 300 of them, and fewer beside a thousand results, which fill a page as well.
    private var plots: Int {
        let words = report.results.reduce(0) { $0 + 1300 + 450 * $1.measures.count }
        return min(max(2_700_000 - words, 200_000), 1_000_000)
    }

    // -- the head of the page

    private var header: Markup {
        """
        <header class="top">
        <p class="eyebrow">Capture hardware report</p>
        <h1>\(news.icon)<span>\(report.headline)</span></h1>
        \(stopped)\(counts)\(facts)</header>
        """
    }

    /// The verdict that the headline begins with.
    private var news: Verdict { report.results.map(\.verdict).min { $0.attention < $1.attention } ?? .skip }

    /// A remark that much may be missing, so that no one takes half a run for a good one.
    private var stopped: Markup {
        report.end == .complete
            ? ""
            : "<p class=\"message\"><b>The run was interrupted.</b> Checks that did not run are shown as skipped.</p>\n"
    }

    /// A bar of all results by verdict, and the same in words.
    private var counts: Markup {
        let some = Verdict.allCases.sorted { $0.attention < $1.attention }.filter { report.count($0) > 0 }
        guard !some.isEmpty else { return "" }
        let bar = some.markup { "<i class=\"v-\($0.rawValue)\" style=\"flex-grow:\(report.count($0))\"></i>" }
        let words = some.markup { "<li>\($0.icon)<b>\(report.count($0))</b> \($0.word.lowercased())</li>" }
        return "<div class=\"share\" aria-hidden=\"true\">\(bar)</div>\n<ul class=\"counts\">\(words)</ul>\n"
    }

    /// Circumstances without which no number can be repeated.
    private var facts: Markup {
        let versions = report.host.versions.sorted { $0.key < $1.key }.prefix(32)
        let began = report.began
        let rows: [(String, Markup)] = [
            ("Plan", "\(report.plan)"), ("Profile", "\(report.profile)"), ("Host", "\(report.host.name)"),
            ("Kernel", "\(report.host.kernel) <small>\(report.host.machine)</small>"),
            ("Began", "<time>\(began.calendarTime)</time>"), ("Took", "\(FigureText.duration(report.seconds))"),
            ("Versions", versions.markup { "<span>\($0.key) \($0.value)</span> " }),
        ]
        return "<dl class=\"facts\">\(rows.markup { "<div><dt>\($0.0)</dt><dd>\($0.1)</dd></div>" })</dl>\n"
    }

    private var footer: Markup {
        """
        <footer><p>\(report.results.count) results in \(checks.count) checks. Each repeat is a separate result. \
        The margin is the distance of a number from its nearest limit. \
        Format of the report: <code>\(report.schema)</code>. This page loads and runs nothing.</p></footer>
        """
    }

    // -- cards

    /// Cards of what went wrong, the worst first.
    private func failing(_ cards: inout CheckCards, _ load: (String) -> [UInt8]?) -> Markup {
        let bad = checks.filter(\.needsAttention)
            .sorted { ($0.verdict.attention, $0.number) < ($1.verdict.attention, $1.number) }
        guard !bad.isEmpty else { return "" }
        var list: Markup = ""
        for check in bad { list += cards.card(check, level: 3, load: load) }
        return "<section aria-labelledby=\"failing\"><h2 id=\"failing\">Failures</h2>\n\(list)</section>\n"
    }

    /// Cards of the others, folded by the name of the check; those near a limit first.
    private func others(_ cards: inout CheckCards, _ load: (String) -> [UInt8]?) -> Markup {
        let good = checks.filter { !$0.needsAttention }
        guard !good.isEmpty else { return "" }
        var list: Markup = ""
        for (name, checks) in good.grouped(by: { $0.results[0].check }) { list += folded(name, checks, &cards, load) }
        return """
            <section aria-labelledby="others"><h2 id="others">Other checks</h2>
            <p class="soft paper">Printed pages show only the open sections.</p>
            \(list)</section>

            """
    }

    private func folded(
        _ name: String, _ checks: [RepeatedCheck], _ cards: inout CheckCards, _ load: (String) -> [UInt8]?
    ) -> Markup {
        var list: Markup = ""
        for check in checks.sorted(by: { ($0.verdict.attention, $0.number) < ($1.verdict.attention, $1.number) }) {
            list += cards.card(check, level: 4, load: load)
        }
        let results = checks.flatMap(\.results)
        let counts = Verdict.allCases.sorted { $0.attention < $1.attention }.filter { verdict in
            results.contains { $0.verdict == verdict }
        }.markup {
            verdict in
            "<span>\(verdict.icon)\(results.count { $0.verdict == verdict }) \(verdict.word.lowercased())</span> "
        }
        return "<details><summary><h3><code>\(name)</code></h3> \(counts)</summary>\n\(list)</details>\n"
    }

    // -- tables

    /// Table of all results in the order in which they ran, which shows when a bench got worse.
    private var results: Markup {
        guard !report.results.isEmpty else { return "" }
        let columns = ["Verdict", "Check", "Device", "Variant", "Repeat", "Worst measure", "Value", "Limit", "Margin"]
        return """
            <section aria-labelledby="all"><h2 id="all">All results</h2>
            <table class="r" role="table"><thead role="rowgroup"><tr role="row">\(columns.headers)</tr></thead>
            <tbody role="rowgroup">
            \(zip(report.results, owners).markup { row($0, checks[$1]) })</tbody></table></section>

            """
    }

    private func row(_ result: CheckResult, _ check: RepeatedCheck) -> Markup {
        let worst = result.measures.worst
        let variant = result.variant.prefix(16).map(\.value).joined(separator: " ")
        return """
            <tr role="row"><td role="cell">\(result.verdict.mark)</td>\
            <th scope="row" role="rowheader"><a href="#\(check.anchor)">\(Self.dotted(result.check))</a></th>\
            \(Markup.cell(result.device?.name, limit: 32))\(Markup.cell(variant.isEmpty ? nil : variant, limit: 60))\
            \(Markup.cell(check.results.count > 1 ? String(result.round) : nil))\
            \(Markup.cell(worst?.name, limit: 32))\(Markup.cell(worst?.shown, limit: 40))\
            \(Markup.cell(worst?.shownLimit, limit: 48))\
            \(worst.map { $0.marginCell() } ?? Markup.cell(nil))</tr>

            """
    }

    /// Check's name that may be broken after its dots, if a column is narrow.
    private static func dotted(_ name: String) -> Markup {
        let parts = name.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.dropFirst().reduce("\(String(parts[0]), limit: 32)") { $0 + ".<wbr/>\(String($1), limit: 32)" }
    }

    /// A table of the devices, for those who ask about one of them.
    private var devices: Markup {
        let known = Dictionary(grouping: report.results.filter { $0.device != nil }) { $0.device }
        guard !known.isEmpty else { return "" }
        let rows = known.sorted { ($0.key?.name ?? "", $0.key?.id ?? "") < ($1.key?.name ?? "", $1.key?.id ?? "") }
        return """
            <section aria-labelledby="devices"><h2 id="devices">Devices</h2>
            <table class="v" role="table"><thead role="rowgroup"><tr role="row">\
            \(["Worst", "Device", "Hardware", "Driver", "Stable id", "Results"].headers)</tr></thead>
            <tbody role="rowgroup">
            \(rows.markup { $0.key.map(row($0.value)) ?? "" })</tbody></table></section>

            """
    }

    private func row(_ results: [CheckResult]) -> (RigDevice) -> Markup {
        { device in
            """
            <tr role="row"><td role="cell">\((results.map(\.verdict).max() ?? .done).mark)</td>\
            <th scope="row" role="rowheader">\(device.name)</th><td role="cell">\(device.label)</td>\
            \(Markup.cell(device.driver))<td role="cell"><code>\(device.id)</code></td>\
            <td role="cell">\(results.count)</td></tr>

            """
        }
    }
}

extension RepeatedCheck {
    /// True if something went wrong; what did not run says nothing about the hardware.
    fileprivate var needsAttention: Bool { !verdict.isGood && verdict != .skip }

}

extension Verdict {
    /// Order in which a reader wants to know: the device's faults, then the bench's, then what nearly went wrong.
    fileprivate var attention: Int {
        switch self {
        case .fail: 0
        case .miss: 1
        case .error: 2
        case .marginal: 3
        case .pass: 4
        case .done: 5
        case .skip: 6
        }
    }
}

extension RigReport {
    /// The run in one sentence: how much of it went wrong, in the order in which it matters.
    fileprivate var headline: String {
        let total = results.count
        guard total > 0 else { return "No check ran" }
        let bad = [
            phrase(.fail, "fails", "fail"), phrase(.miss, "finds no device", "find no device"),
            phrase(.error, "could not measure", "could not measure"),
        ].compactMap { $0 }
        if let first = bad.first { return ([first.of(total)] + bad.dropFirst().map(\.alone)).joined(separator: ", ") }
        let rest = [
            phrase(.marginal, "near its limit", "near their limits"), phrase(.skip, "did not run", "did not run"),
        ]
        .compactMap { $0?.alone }
        let ran = total - count(.skip)
        let lead =
            ran == total
            ? (total == 1 ? "The only check passes" : "All \(total) checks pass") : "\(ran) of \(total) checks pass"
        return ([lead] + rest).joined(separator: ", ")
    }

    private func phrase(_ verdict: Verdict, _ one: String, _ many: String) -> HeadlinePhrase? {
        let count = count(verdict)
        return count == 0 ? nil : HeadlinePhrase(count: count, verb: count == 1 ? one : many)
    }
}

/// A number of checks and what they did. *thread-safe*
private struct HeadlinePhrase {
    let count: Int
    let verb: String

    var alone: String { "\(count) \(verb)" }

    func of(_ total: Int) -> String { "\(count) of \(total) \(total == 1 ? "check" : "checks") \(verb)" }
}

extension String {
    /// A time of RFC 3339 in UTC as people write it; another text as it is.
    fileprivate var calendarTime: String {
        let parts = split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 10, parts[1].hasSuffix("Z") else { return self }
        return "\(parts[0]) \(parts[1].prefix { $0 != "." && $0 != "Z" }) UTC"
    }
}
