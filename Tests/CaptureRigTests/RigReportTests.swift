import CaptureBase
import Testing

@testable import CaptureRig

/// A report with all verdicts, and with texts and numbers that a format could stumble over.
private enum Sample {
    static let hostile = "a \"quote\", \\, # sign, <&> \n\t\u{7}\u{1B}[2J\u{202E}\u{0}]]> 🎥 é = 100 %"

    static func result(
        _ verdict: Verdict, _ name: String = "camera.rate.desk", measures: [Measure] = [], message: String? = nil
    ) -> CheckResult {
        CheckResult(
            name: name, check: "camera.rate", device: RigDevice(name: "desk", id: "usb:1:2", label: "Camera"),
            verdict: verdict, message: message, measures: measures, begins: 1.5, seconds: 2)
    }

    static func report(_ results: [CheckResult]) -> RigReport {
        RigReport(
            plan: "bench", profile: "certification",
            host: .init(name: "host", kernel: "6.12", machine: "x86_64", versions: ["alsa_lib": "1.2", "zLib": "3"]),
            began: "2026-01-31T23:59:59Z", seconds: 12.5, end: .complete, results: results)
    }

    static let strange: RigReport = {
        let doubles = [
            .leastNonzeroMagnitude, -0.1, 1e300, 1.0 / 3, 123_456_789_012_345_680, .greatestFiniteMagnitude, -0.0, 1e16,
        ]
        let measures = doubles.enumerated().map { index, value in
            Measure(
                "m\(index)", value, hostile, .target,
                limit: Limit(least: -value, most: value, marginalBelow: value / 2, marginalAbove: value / 3))
        }
        var strange = Self.result(
            .error, hostile, measures: measures + [Measure("none", nil, "", .none)], message: hostile)
        strange.device = RigDevice(name: hostile, id: hostile, label: hostile, driver: hostile)
        strange.variant = [.init(hostile, hostile)]
        strange.series = [Series(hostile, .dots, x: hostile, y: hostile, [.init(0.1, 1e-9)], limits: [2.5])]
        strange.evidence = [Evidence(file: "evidence/a b.jpg", caption: hostile)]
        strange.round = 3
        return report([strange, Self.result(.skip, "second")])
    }()

    static let everyVerdict = report(
        Verdict.allCases.map { result($0, "camera.\($0.rawValue)", message: $0 > .marginal ? "Why \($0)." : nil) })
}

/// The message with which a document is refused; empty if it is read.
private func refusal(_ read: () throws(CaptureError) -> RigReport) -> String {
    do throws(CaptureError) {
        _ = try read()
        return ""
    } catch {
        #expect(error.kind == .badInput)
        return error.message
    }
}

private func refusal(of json: String) -> String {
    refusal { () throws(CaptureError) in try RigReport(json: json, named: "r.json") }
}

@Suite("Reports as JSON")
struct RigReportJSONTests {
    @Test("A report with strange texts and numbers is read back as it was")
    func roundTrip() throws {
        let read = try RigReport(json: Sample.strange.json, named: "r.json")
        #expect(read == Sample.strange)
        #expect(read.results[0].measures[6].value?.sign == .minus)
        #expect(read.host.versions.keys.sorted() == ["alsa_lib", "zLib"])
    }

    @Test("A file that can't be read is told by the system's reason")
    func files() {
        let missing = refusal { () throws(CaptureError) in try RigReport(readingFrom: "/nowhere/r.json") }
        #expect(missing == "/nowhere/r.json can't be read: No such file or directory.")
        let folder = refusal { () throws(CaptureError) in try RigReport(readingFrom: "/") }
        #expect(folder == "/ can't be read: Is a directory.")
    }

    @Test("A file without an end is read up to the limit alone")
    func endlessFile() {
        let message = refusal { () throws(CaptureError) in
            try RigReportFile(path: "/dev/zero", largest: 1 << 20).report()
        }
        #expect(message == "/dev/zero is longer than 1 MiB, the limit for a report.")
    }

    @Test("Verdict and margin of each measure are written out")
    func derived() {
        let measure = Measure("lost", 3, "frames", .lower, limit: Limit(most: 1))
        let json = Sample.report([Sample.result(.fail, measures: [measure])]).json
        #expect(json.contains(#""limit":{"most":1.0},"margin":-2.0,"verdict":"fail""#))
        #expect(json.contains(#""end":"complete","verdict":"fail","results""#))
    }

    @Test("Numbers that JSON can't hold are left out, and the document can be read")
    func numbersNotFinite() throws {
        var result = Sample.result(.done)
        result.measures = [Measure("m", .nan, "Hz", .lower, limit: Limit(least: -.infinity, most: 3))]
        result.series = [Series("s", .line, x: "x", y: "y", [.init(.nan, 1), .init(1, 2)], limits: [.infinity, 4])]
        result.seconds = .infinity
        let read = try RigReport(json: Sample.report([result]).json, named: "r.json").results[0]
        #expect(read.measures[0].value == nil)
        #expect(read.measures[0].limit == Limit(most: 3))
        #expect(read.series[0].points == [.init(1, 2)])
        #expect(read.series[0].limits == [4])
        #expect(read.seconds == 0)
    }

    @Test(
        "What is no report is told by the reason",
        arguments: [
            ("", "r.json is not JSON."),
            ("{\"schema\":\"capturegate.rig/1\"", "r.json is not JSON."),
            (String(repeating: "[", count: 100_000), "r.json is not JSON."),
            ("[1]", "r.json is not a report of a bench rig."),
            ("{\"benchmark\":\"1\"}", "r.json is not a report of a bench rig: it has no schema \"capturegate.rig/1\"."),
            ("{\"schema\":\"capturegate.rig/x\"}", "no schema \"capturegate.rig/1\"."),
            ("{\"schema\":\"other/2\"}", "no schema \"capturegate.rig/1\"."),
            ("{\"schema\":\"capturegate.rig/2\"}", "has version 2 of the report's schema"),
            ("{\"schema\":3}", "r.json has a value of the wrong type at schema."),
            ("{\"schema\":\"capturegate.rig/1\"}", "r.json has no plan."),
        ])
    func refusals(json: String, message: String) {
        #expect(refusal(of: json).contains(message))
    }

    @Test("A value that is wrong is told with its place")
    func places() {
        let measure = Measure("m", 1, "Hz", .lower)
        let good = Sample.report([Sample.result(.pass), Sample.result(.done, measures: [measure])]).json
        let wrong = good.replacing("\"unit\":\"Hz\"", with: "\"unit\":7")
        #expect(refusal(of: wrong) == "r.json has a value of the wrong type at results[1].measures[0].unit.")
        let unknown = good.replacing("\"direction\":\"lower\"", with: "\"direction\":\"sideways\"")
        #expect(refusal(of: unknown) == "r.json has an invalid value at results[1].measures[0].direction.")
        #expect(refusal(of: good.replacing("1.0", with: "1e999")) != "")
    }

    @Test(
        "Files of evidence outside of the report's directory are refused",
        arguments: ["/etc/shadow", "a/../../b", "", ".."])
    func evidence(file: String) {
        var result = Sample.result(.fail)
        result.evidence = [Evidence(file: file, caption: "")]
        #expect(refusal(of: Sample.report([result]).json).contains("outside its directory"))
    }
}

@Suite("Reports for other programs")
struct RigReportFormatTests {
    @Test("No format lets a control character or a change of direction through")
    func hidden() {
        let report = Sample.strange
        for text in [report.json, report.tap, report.ktap, report.junit, report.lava, report.kcidb()] {
            #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0 != "\u{202E}" })
            #expect(text.hasSuffix("\n"))
        }
    }

    @Test("TAP counts a pass and a skip as ok, and nothing else")
    func tapVerdicts() {
        let lines = Sample.everyVerdict.tap.split(separator: "\n")
        #expect(lines.prefix(2) == ["TAP version 14", "1..7"])
        #expect(
            lines.filter { $0.hasPrefix("ok") || $0.hasPrefix("not ok") } == [
                "ok 1 - camera.done", "ok 2 - camera.pass", "ok 3 - camera.marginal",
                "ok 4 - camera.skip # SKIP Why skip.", "not ok 5 - camera.fail", "not ok 6 - camera.miss",
                "not ok 7 - camera.error",
            ])
    }

    @Test("TAP's numbers have a point, so that YAML 1.1 takes them for numbers")
    func tapNumbers() {
        let measure = Measure("m", .leastNonzeroMagnitude, "Hz", .lower, limit: Limit(most: 1e16))
        let tap = Sample.report([Sample.result(.pass, "a#b", measures: [measure])]).tap
        #expect(tap.contains("      value: 5.0e-324\n"))
        #expect(tap.contains("      most: 1.0e+16\n"))
        #expect(tap.contains("ok 1 - a\\#b\n"))
    }

    @Test("KTAP has a suite a device, and a bad result makes its suite bad")
    func ktap() {
        var host = Sample.result(.pass, "gate.revoke", measures: [Measure("Subtest: x", 1, "", .none)])
        host.device = nil
        let ktap = Sample.report([Sample.result(.miss), host, Sample.result(.skip, "b c")]).ktap
        #expect(
            ktap == """
                KTAP version 1
                1..2
                # plan bench, kernel 6.12
                  KTAP version 1
                  # Subtest: capturegate.desk
                  1..2
                  # device usb:1:2, Camera
                  not ok 1 camera.rate.desk # ERROR the device was not found
                  ok 2 b_c # SKIP the check did not run
                not ok 1 capturegate.desk
                  KTAP version 1
                  # Subtest: capturegate.host
                  1..1
                  # measure Subtest: x is 1: done
                  ok 1 gate.revoke
                ok 2 capturegate.host

                """)
    }

    @Test("JUnit tells failures, errors and skipped cases apart")
    func junit() {
        let xml = Sample.everyVerdict.junit
        #expect(xml.contains("<testsuites tests=\"7\" failures=\"1\" errors=\"2\" name=\"bench\" time=\"12.500\">"))
        #expect(xml.contains("tests=\"7\" failures=\"1\" errors=\"2\" skipped=\"1\">"))
        #expect(xml.contains("<skipped type=\"skip\" message=\"Why skip.\"/>"))
        #expect(xml.contains("<failure type=\"fail\" message=\"Why fail.\"/>"))
        #expect(xml.contains("<error type=\"miss\" message=\"Why miss.\"/>"))
        #expect(xml.contains("<error type=\"error\" message=\"Why error.\"/>"))
        #expect(xml.split(separator: "<system-out>").count == 8)
    }

    @Test("LAVA's signals have ids and units that it can split")
    func lava() {
        let measures = [
            Measure("rate", 30, "a b=c>", .none), Measure("lost", nil, "frames", .lower),
            Measure("share", 1e-7, "", .lower, limit: Limit(most: 0)),
        ]
        #expect(
            Sample.report([Sample.result(.miss, "a b<c>", measures: measures)]).lava == """
                <LAVA_SIGNAL_TESTCASE TEST_CASE_ID=a_b_c_.rate RESULT=pass UNITS=a_b_c_ MEASUREMENT=30.0>
                <LAVA_SIGNAL_TESTCASE TEST_CASE_ID=a_b_c_.lost RESULT=unknown>
                <LAVA_SIGNAL_TESTCASE TEST_CASE_ID=a_b_c_.share RESULT=fail MEASUREMENT=1e-07>
                <LAVA_SIGNAL_TESTCASE TEST_CASE_ID=a_b_c_ RESULT=unknown>

                """)
    }

    @Test("KCIDB gets a test a result and one a measure, with statuses in capitals")
    func kcidb() {
        let measure = Measure("frame rate", 29.5, "Hz", .target, limit: .within(0.1, of: 30))
        let text = Sample.report([Sample.result(.fail, measures: [measure])]).kcidb()
        #expect(text.contains(#""path":"capturegate.camera.rate","#))
        #expect(text.contains(#""path":"capturegate.camera.rate.frame_rate","#))
        #expect(text.contains(#""status":"FAIL","number":{"value":29.5,"unit":"Hz"}"#))
        #expect(text.contains(#""start_time":"2026-02-01T00:00:00.500Z""#))
        #expect(text.contains(#""id":"capturegate:host/bench/2026-01-31T23:59:59Z/camera.rate.desk.frame rate""#))
        let statuses = Sample.everyVerdict.kcidb().split(separator: #"}},"path":"#).dropFirst().compactMap { test in
            test.split(separator: #""status":""#).last?.prefix { $0 != "\"" }
        }
        #expect(statuses == ["DONE", "PASS", "PASS", "SKIP", "FAIL", "MISS", "ERROR"])
    }

    @Test("A known build's id replaces the checkout and the build, and an origin keeps to its pattern")
    func kcidbNames() {
        let text = Sample.report([]).kcidb(KCIDBNames(origin: "My Lab-3", run: "r", build: "maestro:12"))
        #expect(text == "{\"version\":{\"major\":5,\"minor\":3},\"tests\":[]}\n")
        #expect(KCIDBNames(origin: "My Lab-3").origin == "my_lab_3")
        let other = Sample.report([Sample.result(.pass)]).kcidb(KCIDBNames(origin: "lab", run: "7"))
        #expect(other.contains(#""id":"lab:7/camera.rate.desk","origin":"lab""#))
        #expect(other.contains(#""build_id":"lab:kernel/6.12/x86_64""#))
    }

    @Test("A time that means nothing is left out")
    func times() {
        var report = Sample.report([Sample.result(.pass)])
        report.began = "yesterday"
        #expect(!report.kcidb().contains("start_time"))
        report.began = "2026-01-31T23:59:59.250Z"
        #expect(report.kcidb().contains("2026-02-01T00:00:00.750Z"))
        report.results[0].begins = 1e300
        #expect(!report.kcidb().contains("start_time"))
    }

    @Test("A report without results is one in each format")
    func empty() {
        let report = Sample.report([])
        #expect(report.tap.hasPrefix("TAP version 14\n1..0\n"))
        #expect(report.ktap.hasPrefix("KTAP version 1\n1..0\n"))
        #expect(report.junit.hasSuffix("name=\"bench\" time=\"12.500\"/>\n"))
        #expect(report.lava == "")
    }

    @Test("Numbers for people are short and keep their meaning")
    func numbers() {
        let values = [30, 29.970_03, 0.000_012_345_67, -1.5, 1e-12, 123_456.789, 2_000_000.25, .nan, 0, 999_999.96]
        let texts = values.map(RigWords.number)
        #expect(
            texts == ["30", "29.97", "1.23457e-05", "-1.5", "1e-12", "123457", "2000000.25", "?", "0", "1000000"])
    }
}
