import FoundationEssentials
import Testing

@testable import CaptureRig

/// The page that people see of a report.
struct RigReportPageTests {
    // Three bytes are not an image, but nothing decodes it.
    private let page = RigReportSample.report.html { $0.hasPrefix("frames/") ? [0xFF, 0xD8, 0xFF] : nil }

    // -- safety

    private static let harm =
        "<script>alert(1)</script><img src=x onerror=\"a\">'\"&amp;]]>-->\u{202E}\u{0}\u{7}\u{85}\u{2066}\u{FFFE}"

    @Test("Text from outside changes no tag and no attribute of the page, and nothing in it can hide")
    func hostile() {
        let (bad, good) = (Self.report(of: Self.harm), Self.report(of: "harmless"))
        #expect(skeleton(bad.html()) == skeleton(good.html()))
        #expect(!bad.html().contains("<script"))
        let hidden = bad.html().unicodeScalars.filter { scalar in
            scalar != "\n" && (scalar.properties.generalCategory == .control || scalar.properties.isBidiControl)
        }
        #expect(hidden.isEmpty)
        #expect(bad.html().contains("\\u{202e}"))
    }

    @Test("A very long text is shortened in the middle")
    func long() {
        let page = Self.report(of: String(repeating: "long ", count: 200_000)).html()
        #expect(page.utf8.count < 100_000)
        #expect(page.contains("…"))
    }

    @Test("The page allows itself styles and embedded pictures, before anything else is read, and asks for nothing")
    func policy() throws {
        let names = tags(in: page)
        let first = try #require(names.firstIndex { $0.contains("Content-Security-Policy") })
        #expect(names[..<first].allSatisfy { ["!DOCTYPE", "html", "head", "meta"].contains(name(of: $0)) })
        let policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
        #expect(values(of: ["content"], in: names[first]) == [policy])
        #expect(!names.contains { ["script", "iframe", "object", "embed", "form"].contains(name(of: $0)) })
        let addresses = names.flatMap { values(of: ["href", "src"], in: $0) }
        #expect(addresses.count > 20)
        #expect(addresses.allSatisfy { $0.hasPrefix("#") || $0.hasPrefix("data:") || $0.hasPrefix("./") })
        #expect(!page.contains("url(") && !page.contains("@import"))
    }

    @Test("A file outside the report's directory is neither asked for nor linked")
    func outside() {
        var result = CheckResult(name: "a", check: "a", verdict: .fail)
        let files = ["/etc/passwd", "../secret.png", "a/../../b.png", "", "a//b", "javascript:alert(1)", "a b#?.png"]
        result.evidence = files.map { Evidence(file: $0, caption: "x") }
        var asked: [String] = []
        let page = Self.report([result]).html {
            asked.append($0)
            return nil
        }
        #expect(asked == ["javascript:alert(1)", "a b#?.png"])
        #expect(page.contains("href=\"./javascript%3Aalert%281%29\""))
        #expect(page.contains("href=\"./a%20b%23%3F.png\""))
        #expect(page.components("<a href=\"./") == 2)
    }

    @Test("Only a file that begins as PNG or JPEG is embedded, whatever its name is")
    func types() {
        var result = CheckResult(name: "a", check: "a", verdict: .fail)
        result.evidence = ["a.png", "b.png", "c.svg"].map { Evidence(file: $0, caption: "caption of \($0)") }
        let page = Self.report([result]).html { file in
            switch file {
            case "a.png": Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)
            case "b.png": [0xFF, 0xD8, 0xFF, 0xE0]
            default: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            }
        }
        #expect(page.components("<img ") == 2)
        #expect(page.contains("<img src=\"data:image/jpeg;base64,/9j/4A==\" alt=\"caption of b.png\"/>"))
        #expect(page.contains("href=\"./a.png\""))
    }

    @Test("Pictures beyond the limit are left out with a note, and those of failing checks come first")
    func manyPictures() {
        let big = [0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0, count: 700)
        let results = ["passes", "fails"].map { name in
            CheckResult(
                name: name, check: name, verdict: name == "fails" ? .fail : .pass,
                evidence: [Evidence(file: "\(name).jpg", caption: "of \(name)")])
        }
        let page = Self.report(results).html(pictures: 1000) { _ in big }
        #expect(page.components("<img ") == 1)
        #expect(page.contains("alt=\"of fails\""))
        #expect(page.contains("Not shown, to limit the size of the page: <a href=\"./passes.jpg\""))
    }

    // -- content

    @Test(
        "The headline tells how much went wrong",
        arguments: [
            ([.fail, .pass, .fail], "2 of 3 checks fail"), ([.fail, .pass], "1 of 2 checks fails"),
            ([.pass, .pass], "All 2 checks pass"), ([.pass], "The only check passes"), ([], "No check ran"),
            ([.pass, .marginal], "All 2 checks pass, 1 near its limit"),
            ([.skip, .pass], "1 of 2 checks pass, 1 did not run"),
            ([.error, .miss, .fail, .pass], "1 of 4 checks fails, 1 finds no device, 1 could not measure"),
            ([.error], "1 of 1 check could not measure"),
        ] as [([Verdict], String)])
    func headline(verdicts: [Verdict], sentence: String) {
        let results = verdicts.enumerated().map { CheckResult(name: "a\($0)", check: "a\($0)", verdict: $1) }
        #expect(Self.report(results).html().contains("<span>\(sentence)</span></h1>"))
    }

    @Test("What went wrong comes first, then all results, then the rest, folded")
    func order() throws {
        let parts = page.split(around: ["id=\"failing\"", "id=\"all\"", "<details>", "id=\"devices\""])
        try #require(parts.count == 5)
        for verdict in ["fail", "miss", "error"] { #expect(parts[1].contains("class=\"card v-\(verdict)\"")) }
        #expect(!parts[1].contains("class=\"card v-pass\"") && !parts[1].contains("class=\"card v-skip\""))
        #expect(parts[2].components("<tr role=\"row\">") == RigReportSample.report.results.count + 1)
        for verdict in ["pass", "marginal", "skip", "done"] {
            #expect(parts[3].contains("class=\"card v-\(verdict)\""))
        }
        #expect(!parts[3].contains("class=\"card v-fail\""))
        #expect(parts[4].contains("usb-046d:082d-5A1C3F20"))
    }

    @Test("An interrupted run says so, and a complete one does not")
    func interrupted() {
        var report = Self.report([])
        #expect(!report.html().contains("interrupted"))
        report.end = .interrupted
        #expect(report.html().contains("The run was interrupted."))
    }

    @Test("Each link inside the page leads to an element, and no two have the same name")
    func anchors() {
        let names = tags(in: page)
        let ids = names.flatMap { values(of: ["id"], in: $0) }
        #expect(Set(ids).count == ids.count)
        let links = names.flatMap { values(of: ["href", "aria-labelledby"], in: $0) }
            .filter { !$0.hasPrefix("./") && !$0.hasPrefix("data:") }
        #expect(links.count > 50)
        #expect(links.allSatisfy { ids.contains($0.hasPrefix("#") ? String($0.dropFirst()) : $0) })
    }

    @Test("Repeats of one check stand in one card with their spread, each number, and each message once")
    func repeats() {
        let results = [29.9, 30.0, 28.5].enumerated().map { index, value in
            CheckResult(
                name: "rate.\(index)", check: "rate", round: index + 1, message: index == 1 ? nil : "It wavers.",
                measures: [Measure("frame_rate", value, "Hz", .target, limit: .within(1, of: 30))])
        }
        let page = Self.report(results).html()
        #expect(page.components("<article") == 1)
        #expect(page.contains("<td role=\"cell\">1.5 (28.5 to 30)</td>"))
        #expect(page.contains("<b>Repeats 1, 3:</b> It wavers."))
        #expect(page.contains("<td role=\"cell\">28.5 Hz</td>"))
        #expect(page.contains("<span>29.9</span> <span>30</span> <span class=\"v-fail\">"))
    }

    @Test("The worst measure is the one with the worst verdict, then the one with the least room")
    func worst() {
        let roomy = Measure("roomy", 1, "", .lower, limit: Limit(most: 10))
        let tight = Measure("tight", 990, "", .lower, limit: Limit(most: 1000))
        let told = Measure("told", 5, "", .none)
        #expect([told, roomy, tight].worst == tight)
        #expect([tight, Measure("failed", 11, "", .lower, limit: Limit(most: 10))].worst?.name == "failed")
        #expect([Measure]().worst == nil)
    }

    // -- for everyone

    @Test("Every text can be read in both schemes: each colour has a contrast of 4.5 to 1 on each background")
    func contrast() throws {
        let schemes = RigReportStyle.sheet.html.split(around: [
            "@media screen and (prefers-color-scheme:dark)", ".v-pass",
        ])
        for scheme in schemes.prefix(2) {
            let colors = palette(scheme)
            for name in ["ink", "soft", "accent"] + Verdict.allCases.map(\.rawValue) {
                for ground in ["bg", "card"] {
                    let ratio = try contrastRatio(#require(colors[name]), #require(colors[ground]))
                    #expect(ratio >= 4.5, "\(name) on \(ground): \(ratio)")
                }
            }
        }
        #expect(abs(contrastRatio(0x000000, 0xFFFFFF) - 21) < 0.01)
        #expect(contrastRatio(0x999999, 0xFFFFFF) < 4.5)
    }

    @Test("A verdict never is a colour alone: beside each coloured sign of its own shape stands its word")
    func signs() {
        #expect(Set(Verdict.allCases.map(\.word)).count == Verdict.allCases.count)
        let shapes = RigReportStyle.icons.html.split(around: Verdict.allCases.map { _ in "<symbol" })
        #expect(Set(shapes.map { $0.split(around: [" d=", "<circle"]).last ?? "" }).count == shapes.count)
        for verdict in Verdict.allCases {
            #expect(RigReportStyle.icons.html.contains("id=\"i-\(verdict.rawValue)\""))
            #expect(page.contains("<use href=\"#i-\(verdict.rawValue)\"/></svg>\(verdict.word)</span>"))
        }
    }

    @Test("Headings go down by one, heads of tables have a scope, and drawings and pictures have words")
    func accessible() {
        let names = tags(in: page)
        #expect(page.contains("<html lang=\"en\""))
        let levels = names.compactMap { ["h1": 1, "h2": 2, "h3": 3, "h4": 4][name(of: $0)] }
        #expect(levels.first == 1 && levels.count { $0 == 1 } == 1)
        #expect(zip(levels, levels.dropFirst()).allSatisfy { $1 <= $0 + 1 })
        #expect(names.filter { name(of: $0) == "th" }.allSatisfy { $0.contains(" scope=\"") })
        #expect(names.filter { name(of: $0) == "img" }.allSatisfy { !values(of: ["alt"], in: $0).joined().isEmpty })
        let drawings = names.filter { name(of: $0) == "svg" }
        #expect(
            drawings.allSatisfy { $0.contains("aria-hidden=\"true\"") || $0.contains("role=\"img\" aria-label=\"") })
        for kind in ["Line plot", "Histogram", "Spectrum", "Dot plot"] {
            #expect(page.contains("aria-label=\"\(kind) of "))
        }
    }

    @Test("All tags are closed in order, as XML wants it")
    func wellFormed() {
        var open: [String] = []
        for tag in tags(in: page) where !tag.hasSuffix("/") && !tag.hasPrefix("!") {
            if tag.hasPrefix("/") {
                #expect(open.popLast() == String(tag.dropFirst()))
            } else {
                open.append(name(of: tag))
            }
        }
        #expect(open.isEmpty)
    }

    @Test("A page of a thousand results with plots is smaller than 3 MB, and says what it left out")
    func large() {
        var random = SampleNoise(seed: 1)
        let points = (0..<500).map { Series.Point(Double($0), random.bell()) }
        let results = (0..<1000).map { index in
            CheckResult(
                name: "camera.rate.\(index)", check: "camera.check\(index % 42)",
                device: RigDevice(
                    name: "camera-\(index % 8)", id: "usb-\(index % 8)", label: "A camera of some maker",
                    driver: "uvcvideo"),
                variant: [.init("format", "YUYV"), .init("size", "640x\(index)")],
                verdict: index % 50 == 0 ? .fail : nil,
                message: index % 50 == 0 ? "It failed for a reason that takes a sentence." : nil,
                measures: (0..<3).map {
                    Measure("measure_\($0)", 29.97 + random.bell() / 10, "Hz", .target, limit: .within(1, of: 30))
                },
                series: [Series("Intervals", .line, x: "time (s)", y: "interval (ms)", points)])
        }
        let page = Self.report(results).html()
        #expect(page.utf8.count < 3_000_000)
        #expect(page.utf8.count > 1_000_000)
        #expect(page.contains("The report's JSON has more plots"))
    }

    // -- a browser's

    @Test("Judges get the sample in all formats, and a page that means harm, where CAPTUREGATE_RIG_PAGE names a folder")
    func written() throws {
        let folder = ProcessInfo.processInfo.environment["CAPTUREGATE_RIG_PAGE"]
        let bytes = Array(RigReportSample.report.html(evidence: RigReportSample.file).utf8)
        #expect(bytes.count > 100_000)
        if let folder {
            try Data(bytes).write(to: URL(filePath: "\(folder)/page.html"))
            let strange = Self.report(of: String(repeating: Self.harm + "שלום", count: 20)).html()
            try Data(strange.utf8).write(to: URL(filePath: "\(folder)/strange.html"))
            let names = RigReportSample.report.results.filter { $0.verdict >= .fail }.map(\.check)
            try Data(Set(names).sorted().joined(separator: "\n").utf8).write(to: URL(filePath: "\(folder)/failing.txt"))
            let reports = ReportFolder("\(folder)/sample")
            try reports.begin(RigReportSample.report)
            try reports.writeAll(RigReportSample.report)
        }
    }

    // -- reports

    private static func report(_ results: [CheckResult]) -> RigReport {
        RigReport(
            plan: "plan", profile: "bench", host: .init(name: "host", kernel: "6", machine: "x", versions: [:]),
            began: "2025-01-02T03:04:05Z", seconds: 1, end: .complete, results: results)
    }

    /// A report in which every text is the given one.
    private static func report(of text: String) -> RigReport {
        let series = [Series.Kind.line, .histogram, .spectrum, .dots].map {
            Series(text, $0, x: text, y: text, [.init(1, 1), .init(2, 3)], limits: [2])
        }
        let results = [Verdict.fail, .pass].flatMap { verdict in
            (1...2).map { number in
                CheckResult(
                    name: text, check: verdict == .fail ? text : "b",
                    device: RigDevice(name: text, id: text, label: text, driver: text),
                    variant: [.init(text, text)], round: number, verdict: verdict, message: text,
                    measures: [Measure(text, 1, text, .lower, limit: Limit(most: 2))], series: series,
                    // A path with these in it would be no path below the directory.
                    evidence: [Evidence(file: "x" + text.filter { $0 != "/" && $0 != "\0" }, caption: text)])
            }
        }
        return RigReport(
            plan: text, profile: text, host: .init(name: text, kernel: text, machine: text, versions: [text: text]),
            began: text, seconds: 1, end: .interrupted, results: results)
    }
}
