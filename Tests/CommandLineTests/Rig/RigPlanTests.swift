import Testing

@Suite("plans by command", .fewAtOnce)
struct RigPlanTests {
    private static let head = "version: 1\ndevices:\n  bars: {kind: camera, id: \"test:bars\"}\nchecks:\n"

    static let mistakes = [
        TextMistake(head + "  - {check: camera.raet, device: bars}\n", ":5:13: ", "write `camera.rate`"),
        TextMistake(head + "  - {check: camera.rate, device: bras}\n", ":5:34: ", "write `bars`"),
        TextMistake(head + "  - {check: camera.rate, device: bars, fro: 3 s}\n", ":5:40: ", "write `for`"),
        TextMistake(head + "  - {check: camera.rate, device: bars, for: soon}\n", ":5:45: ", "`soon`"),
        TextMistake("version: 1\ninclude: [plan.yaml]\nchecks: [{run: [\"true\"]}]\n", ":2:11: ", "includes itself"),
        TextMistake("version: 1\na: &a [x]\nb: [*a, *a]\n", ":2:4: ", "Anchors"),
        TextMistake("version: 1\nchecks: [\n", ":3:1: ", "YAML"),
    ]

    @Test("a mistake is named with file, line and column, and ends with 65; nothing runs", arguments: mistakes)
    func mistake(_ mistake: TextMistake) async throws {
        let workspace = try Workspace()
        try workspace.write(mistake.text, to: "plan.yaml")
        let checked = try await workspace.capturegate("rig", "check", "plan.yaml")
        #expect(checked.code == 65 && checked.errors.isEmpty)
        #expect(checked.output.hasPrefix("plan.yaml" + mistake.place), "\(checked.output)")
        #expect(checked.output.contains(mistake.cause), "\(checked.output)")
        let run = try await workspace.capturegate("rig", "run", "plan.yaml", "--out", "out")
        #expect(run.code == 65 && run.output.isEmpty && run.errors == checked.output)
        let json = try await workspace.capturegate("rig", "run", "plan.yaml", "--json")
        let diagnostic = try #require(try Document(json.output)["diagnostics"].elements.first)
        let place = "\(Int(diagnostic["line"].number ?? 0)):\(Int(diagnostic["column"].number ?? 0))"
        #expect(json.code == 65 && mistake.place == ":\(place): ")
        #expect(workspace.names.allSatisfy { $0 == "plan.yaml" || $0.hasPrefix("stderr") }, "\(workspace.names)")
    }

    @Test("a plan that is not there is told with its name")
    func absent() async throws {
        for command in ["check", "run"] {
            let ending = try await Workspace().capturegate("rig", command, "absent.yaml")
            #expect(ending.code == 65)
            #expect((ending.output + ending.errors).hasPrefix("absent.yaml: The file can't be read"))
        }
    }

    @Test("a good plan is told in a line, without a look at devices or the store")
    func good() async throws {
        let workspace = try Workspace()
        try workspace.plan(PlanStepText.rate, "{parallel: [\(PlanStepText.sound), \(PlanStepText.missing)]}")
        let ending = try await workspace.capturegate("rig", "check", "plan.yaml", "plan.yaml")
        #expect(ending.code == 0 && ending.errors.isEmpty)
        let line = "plan.yaml: bench, 3 checks, 3 devices, bench limits, at least 0.4 s"
        #expect(ending.output == "\(line)\n\(line)\n")
        #expect(!workspace.names.contains("state"))
        let json = try await workspace.capturegate("rig", "check", "plan.yaml", "--json")
        let plan = try #require(try Document(json.output)["plans"].elements.first)
        #expect(plan["checks"].elements.map(\.string) == ["camera.rate.bars", "sound.xruns.tone", "camera.rate.gone"])
        #expect(plan["least_seconds"].number == 0.4 && plan["diagnostics"].elements.isEmpty)
    }

    @Test("one bad plan among several ends with 65, and all are told")
    func several() async throws {
        let workspace = try Workspace()
        try workspace.plan(PlanStepText.rate)
        let ending = try await workspace.capturegate("rig", "check", "absent.yaml", "plan.yaml")
        #expect(ending.code == 65 && ending.output.split(separator: "\n").count == 2)
    }
}

@Suite("checks and reports by command", .fewAtOnce)
struct RigCatalogueCommandTests {
    @Test("each check is listed once, and each is explained with its measures and limits")
    func catalogue() async throws {
        let workspace = try Workspace()
        let listed = try await workspace.capturegate("rig", "list")
        let checks = try Document(try await workspace.capturegate("rig", "list", "--json").output)["checks"].elements
        #expect(listed.code == 0 && checks.count >= 42)
        let names = checks.compactMap { $0["name"].string }
        for name in names {
            #expect(listed.output.split(separator: "\n").count { $0.hasPrefix("  \(name) ") } == 1, "\(name)")
        }
        let explained = try await workspace.capturegate(["rig", "explain"] + names)
        #expect(explained.code == 0)
        #expect(explained.output.split(separator: "\n").count { $0 == "  Measures" } == names.count)
        #expect(explained.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
        let json = try Document(try await workspace.capturegate("rig", "explain", "camera.rate", "--json").output)
        let rate = try #require(json["checks"].elements.first)
        #expect(rate["measures"].elements.last?["bench"]["most"].number == 0.5)
        #expect(!workspace.names.contains("state"))
    }

    @Test("what got worse ends with 1, and what got better with 0")
    func compared() async throws {
        let workspace = try await Workspace.bench()
        try workspace.plan(PlanStepText.present, PlanStepText.rate)
        _ = try await workspace.capturegate("rig", "run", "plan.yaml", "--out", "good")
        try workspace.plan(PlanStepText.present, PlanStepText.failing)
        _ = try await workspace.capturegate("rig", "run", "plan.yaml", "--out", "bad")
        let worse = try await workspace.capturegate("rig", "compare", "good/report.json", "bad/report.json")
        #expect(worse.code == 1 && worse.output.contains("worse    camera.rate.bars: pass → fail"), "\(worse)")
        let better = try await workspace.capturegate("rig", "compare", "bad/report.json", "good/report.json")
        #expect(better.code == 0 && better.output.contains("better   camera.rate.bars: fail → pass"))
        let json = try await workspace.capturegate("rig", "compare", "good/report.json", "bad/report.json", "--json")
        #expect(json.code == 1)
        #expect(try Document(json.output)["worse"].bool == true)
    }

    @Test("a file that is no report is named, with 65", arguments: ["absent.json", "text.json", "other.json", "."])
    func noReport(name: String) async throws {
        let workspace = try await Workspace.bench()
        try workspace.plan(PlanStepText.present)
        _ = try await workspace.capturegate("rig", "run", "plan.yaml", "--out", "good")
        try workspace.write("speed: 3", to: "text.json")
        try workspace.write("{}", to: "other.json")
        let ending = try await workspace.capturegate("rig", "compare", "good/report.json", name)
        #expect(ending.code == 65 && ending.output.isEmpty)
        #expect(ending.errors.contains(name), "\(ending.errors)")
    }
}
