import Testing

@Suite("rig run --resume", .fewAtOnce)
struct RigResumeTests {
    private typealias Step = PlanStepText

    private func resumed(_ workspace: Workspace) async throws -> (made: [String], ending: Ending) {
        let ending = try await workspace.capturegate("rig", "run", "plan.yaml", "--out", "out", "--resume")
        // The last two lines are the summary.
        let lines = ending.output.split(separator: "\n").dropLast(2)
        return (lines.compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }, ending)
    }

    @Test("a run that was killed loses nothing: the report has each check that ended, and the rest is made later")
    func killed() async throws {
        let workspace = try await Workspace.bench()
        try workspace.plan(Step.present, Step.afterReport, Step.endless)
        let child = try workspace.start("rig", "run", "plan.yaml", "--out", "out")
        _ = try await child.waitForLine(containing: "sound.xruns.tone")
        child.send(9)
        #expect(try await child.finish().code == -9)
        let left = try workspace.verdicts()
        #expect(left["camera.present.bars"] == "pass" && left["camera.loss.bars"] == "skip")
        #expect(try workspace.results()["camera.loss.bars"]?["device"]["id"].string == "test:bars")
        try workspace.plan(Step.present, Step.afterReport, Step.endless.replacing("1 h", with: "200 ms"))
        let (made, ending) = try await resumed(workspace)
        #expect(ending.code == 0, "\(ending)")
        #expect(made.contains("camera.loss.bars") && !made.contains("camera.present.bars"))
        #expect(Set(try workspace.verdicts().values) == ["pass"])
    }

    @Test("judged results are kept as they are; missed and erroneous ones are made again")
    func rest() async throws {
        let workspace = try await Workspace.bench()
        try workspace.plan(Step.present, Step.failing, Step.missing)
        #expect(try await workspace.capturegate("rig", "run", "plan.yaml", "--out", "out").code == 1)
        let before = try workspace.results()
        let (made, ending) = try await resumed(workspace)
        #expect(made == ["camera.rate.gone"] && ending.code == 1)
        #expect(
            ending.errors.contains("2 results of the run of ") && ending.errors.contains("1 check to run"),
            "\(ending.errors)")
        let after = try workspace.results()
        for name in ["camera.present.bars", "camera.rate.bars"] { #expect(before[name] == after[name]) }
        #expect(
            (after["camera.rate.gone"]?["begins"].number ?? 0) > (before["camera.rate.gone"]?["begins"].number ?? 1))
    }

    @Test("a result counts no more once its limit is another")
    func limits() async throws {
        let workspace = try await Workspace.bench()
        try workspace.plan(Step.present, Step.failing)
        _ = try await workspace.capturegate("rig", "run", "plan.yaml", "--out", "out")
        try workspace.plan(Step.present, Step.rate)
        let (made, ending) = try await resumed(workspace)
        #expect(made == ["camera.rate.bars"] && ending.code == 0)
    }

    @Test(
        "a result counts no more once its parameters, its programs or its device are others, and that is told",
        arguments: [
            "{check: camera.rate, device: bars, for: 300 ms}",
            #"{check: camera.rate, device: bars, for: 200 ms, before: [{run: ["true"]}]}"#,
            "{check: camera.rate, device: bars, for: 200 ms, format: YUYV}",
        ])
    func changed(step: String) async throws {
        let workspace = try await Workspace.bench()
        try workspace.plan(Step.present, Step.rate)
        _ = try await workspace.capturegate("rig", "run", "plan.yaml", "--out", "out")
        try workspace.plan(Step.present, step)
        let (made, ending) = try await resumed(workspace)
        #expect(made == ["camera.rate.bars"] && ending.code == 0, "\(ending)")
        #expect(
            ending.errors.contains("1 result of the run of ")
                && ending.errors.contains(", and 1 check that changed"), "\(ending.errors)")
        #expect(try await resumed(workspace).ending.errors.contains("2 results of the run of "))
        try workspace.write(try workspace.text("plan.yaml").replacing("test:bars", with: "test:none"), to: "plan.yaml")
        #expect(try await resumed(workspace).ending.errors.contains("0 results of the run of "))
    }

    @Test("without an earlier report all checks are made")
    func nothing() async throws {
        let workspace = try await Workspace.bench()
        try workspace.plan(Step.present)
        let (made, ending) = try await resumed(workspace)
        #expect(made == ["camera.present.bars"] && ending.code == 0)
        #expect(ending.errors.contains("There is no earlier report in out"))
    }

    @Test(
        "a report of another plan or profile, or none at all, is told with 65, and stays",
        arguments: ["name", "profile", "text"])
    func others(_ kind: String) async throws {
        let workspace = try await Workspace.bench()
        try workspace.plan(Step.present)
        _ = try await workspace.capturegate("rig", "run", "plan.yaml", "--out", "out")
        if kind == "text" { try workspace.write("{}", to: "out/report.json") }
        let report = try workspace.text("out/report.json")
        try workspace.plan(Step.present, name: kind == "name" ? "other" : "bench")
        let options = kind == "profile" ? ["--profile", "certification"] : []
        let ending = try await workspace.capturegate(["rig", "run", "plan.yaml", "--out", "out", "--resume"] + options)
        #expect(ending.code == 65 && ending.output.isEmpty, "\(ending)")
        #expect(ending.errors.contains(kind == "text" ? "report.json" : "\"bench\" (bench)"))
        #expect(try workspace.text("out/report.json") == report)
    }
}
