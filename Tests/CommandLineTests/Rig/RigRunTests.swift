import Testing

@Suite("rig run", .fewAtOnce)
struct RigRunTests {
    private typealias Step = PlanStepText

    @Test("a good plan ends with 0, and tells each check in a line that a pipe can have")
    func good() async throws {
        let workspace = try await Workspace.bench()
        try workspace.plan(
            Step.present, Step.rate, "{parallel: [\(Step.sound), {check: camera.loss, device: bars, for: 200 ms}]}")
        let ending = try await workspace.capturegate("rig", "run", "plan.yaml")
        #expect(ending.code == 0 && ending.errors.isEmpty, "\(ending)")
        let lines = ending.output.split(separator: "\n")
        #expect(lines.count == 5)
        #expect(lines[0].hasPrefix("PASS     camera.present.bars ("))
        #expect(lines[1].contains("frame_rate 30 Hz"))
        #expect(lines[4].hasPrefix("Done in ") && lines[4].hasSuffix(": 4 PASS."))
        #expect(ending.output.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 })
        // Without a directory nothing is written.
        #expect(!workspace.names.contains { $0.hasPrefix("report") || $0 == "evidence" })
    }

    @Test("a directory has the report in each format, and standard output nothing but the report with --json")
    func formats() async throws {
        let workspace = try await Workspace.bench()
        try workspace.plan(Step.present, Step.rate)
        let ending = try await workspace.capturegate("rig", "run", "plan.yaml", "--out", "reports/today", "--json")
        #expect(ending.code == 0 && ending.errors.isEmpty, "\(ending)")
        #expect(ending.output.split(separator: "\n").count == 1)
        #expect(try ending.output == workspace.text("reports/today/report.json"))
        let report = try Document(ending.output)
        #expect(report["plan"].string == "bench" && report["end"].string == "complete")
        #expect(report["host"]["kernel"].string?.isEmpty == false)
        #expect(report["host"]["versions"]["alsa-lib"].string?.hasPrefix("1.") == true)
        #expect(try workspace.text("reports/today/report.tap").hasPrefix("TAP version 14\n"))
        #expect(try workspace.text("reports/today/report.ktap").hasPrefix("KTAP version 1\n"))
        #expect(try workspace.text("reports/today/report.xml").contains("<testsuites"))
        #expect(try workspace.text("reports/today/report.lava").contains("TEST_CASE_ID=camera.rate.bars"))
        #expect(try Document(try workspace.text("reports/today/report.kcidb.json"))["version"]["major"].number == 5)
        #expect(try workspace.text("reports/today/report.html").contains("camera.rate.bars"))
    }

    @Test("a failure ends with 1 and says which number, and formats of an earlier run do not stay beside it")
    func failure() async throws {
        let workspace = try await Workspace.bench()
        try workspace.plan(Step.failing, Step.missing)
        _ = try await workspace.run([
            "sh", "-c", "mkdir out; echo old > out/report.tap; echo x > out/report.json.partial",
        ])
        let ending = try await workspace.capturegate("rig", "run", "plan.yaml", "--out", "out")
        #expect(ending.code == 1, "\(ending)")
        #expect(ending.output.contains("FAIL     camera.rate.bars"))
        #expect(ending.output.contains("frame_rate is 30 Hz (at least 1000): fail"))
        #expect(ending.output.contains("1 MISS, 1 FAIL."))
        #expect(try !workspace.text("out/report.tap").contains("old"))
    }

    @Test("a device that is not there is MISS, and the exit code is 69")
    func missing() async throws {
        let workspace = try await Workspace.bench()
        try workspace.plan(Step.missing, Step.present)
        let ending = try await workspace.capturegate("rig", "run", "plan.yaml")
        #expect(ending.code == 69)
        #expect(ending.output.contains("MISS     camera.rate.gone"))
        #expect(ending.output.contains("The camera usb:1234:5678:none was not found."))
        #expect(ending.output.contains("1 MISS, 1 PASS."))
    }

    @Test("a bench that can't measure is an ERROR and ends with 1: nobody is asked, and a command may not hang")
    func broken() async throws {
        let workspace = try Workspace()
        try workspace.plan(
            Step.rate, #"{check: camera.present, device: bars, before: [{run: [sleep, "600"], within: 200 ms}]}"#,
            "{run: [no-such-program]}", Step.present.replacing("device: bars", with: "device: bars, label: again"))
        let ending = try await workspace.capturegate("rig", "run", "plan.yaml")
        #expect(ending.code == 1)
        let lines = ending.output.split(separator: "\n")
        #expect(lines[0].hasPrefix("ERROR    camera.rate.bars"))
        #expect(lines[1].contains("sleep did not end within"))
        #expect(lines.contains { $0.hasPrefix("ERROR    command.no-such-program") })
        #expect(ending.output.contains("3 ERROR, 1 PASS."))
        // The command that would have allowed it is shown before anything runs.
        #expect(ending.errors.contains("\n    capturegate grant camera --device test:bars --for 8h\n"))
    }

    @Test("some of the checks can be chosen by name or pattern, and the stricter profile by an option")
    func choices() async throws {
        let workspace = try await Workspace.bench()
        try workspace.plan(Step.present, Step.rate, Step.sound)
        let ending = try await workspace.capturegate(
            "rig", "run", "plan.yaml", "--only", "camera.present", "--only", "sound.*", "--profile", "certification",
            "--json")
        #expect(ending.code == 0)
        let report = try Document(ending.output)
        #expect(report["profile"].string == "certification")
        #expect(report["results"].elements.map { $0["check"].string } == ["camera.present", "sound.xruns"])
        let unknown = try await workspace.capturegate("rig", "run", "plan.yaml", "--only", "camera.raet")
        #expect(unknown.code == 64 && unknown.errors.contains("write `camera.rate`"))
    }

    @Test(
        "a signal ends the running check; the reports have what ran, and the rest as skipped",
        arguments: [2, 15] as [Int32])
    func interrupted(signal: Int32) async throws {
        let workspace = try await Workspace.bench()
        try workspace.plan(Step.present, Step.endless, Step.sound)
        let child = try workspace.start("rig", "run", "plan.yaml", "--out", "out")
        _ = try await child.waitForLine(containing: "camera.present.bars")
        child.send(signal)
        let ending = try await child.finish()
        #expect(ending.code == 128 + signal)
        #expect(ending.output.contains("Interrupted in "))
        #expect(
            try workspace.verdicts() == [
                "camera.present.bars": "pass", "camera.loss.bars": "skip", "sound.xruns.tone": "skip",
            ])
        #expect(try Document(try workspace.text("out/report.json"))["end"].string == "interrupted")
        #expect(try workspace.text("out/report.tap").contains("sound.xruns.tone # SKIP"))
    }
}

extension RigRunTests {
    @Test("golden files are written by --accept alone, and without them the check can't judge")
    func golden() async throws {
        let workspace = try await Workspace.bench()
        try workspace.plan("{check: camera.sharpness, device: bars}")
        let file = "golden/camera.sharpness.bars.txt"
        let before = try await workspace.capturegate("rig", "run", "plan.yaml")
        #expect(before.code == 1 && before.output.contains("The golden file"), "\(before)")
        #expect(workspace.size(file) < 0)
        let accepting = try await workspace.capturegate("rig", "run", "plan.yaml", "--accept")
        #expect(accepting.code == 0 && workspace.size(file) > 0, "\(accepting)")
        #expect(try await workspace.capturegate("rig", "run", "plan.yaml").code == 0)
    }

    @Test("a second signal gives up what hangs, and the reports are written all the same")
    func givenUp() async throws {
        let workspace = try await Workspace.bench()
        try workspace.plan(
            PlanStepText.present,
            #"{check: camera.rate, device: bars, before: [{run: [sleep, "30"], within: 10 min}]}"#)
        let child = try workspace.start("rig", "run", "plan.yaml", "--out", "out")
        _ = try await child.waitForLine(containing: "camera.present.bars")
        child.send(2)
        // Within 300 ms of the first, by the program's clock, a signal counts as its echo. So it is sent until the program ends.
        let insisting = Task {
            while (try? await Task.sleep(for: .milliseconds(400))) != nil { child.send(2) }
        }
        let ending = try await child.finish()
        insisting.cancel()
        #expect(ending.code == -2)
        #expect(try workspace.verdicts() == ["camera.present.bars": "pass", "camera.rate.bars": "skip"])
        #expect(try workspace.text("out/report.tap").contains("camera.present.bars"))
    }
}

@Suite("reports of rig run that can't be written", .fewAtOnce)
struct RigReportFaultTests {
    private typealias Step = PlanStepText

    @Test(
        "a directory that can't be made or written is told before anything runs, with 74",
        arguments: ["file", "file/below", "/proc/x"])
    func unwritable(path: String) async throws {
        let workspace = try await Workspace.bench()
        try workspace.plan("{run: [touch, ran]}", Step.present)
        try workspace.write("", to: "file")
        let ending = try await workspace.capturegate("rig", "run", "plan.yaml", "--out", path)
        #expect(ending.code == 74, "\(ending)")
        #expect(ending.output.isEmpty && ending.errors.split(separator: "\n").count <= 2, "\(ending.errors)")
        #expect(!workspace.names.contains("ran"))
    }

    @Test("a disk that fills up under the reports is one sentence and 74, and the results are told")
    func fullDisk() async throws {
        let workspace = try await Workspace.bench()
        try workspace.plan(
            Step.present, #"{run: [sh, -c, "dd if=/dev/zero of=out/fill bs=1k 2>/dev/null; true"]}"#, Step.rate)
        let ending = try await workspace.mounting(
            """
            mkdir out
            mount -t tmpfs -o size=100k none out
            $capturegate rig run plan.yaml --out out && echo code 0 || echo code $?
            $capturegate rig run plan.yaml --out out --json 2>json-errors | wc -l
            cat out/report.json
            """)
        #expect(ending.code == 0, "\(ending)")
        let lines = ending.output.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("PASS     camera.rate.bars") })
        #expect(lines.contains("code 74"), "\(ending)")
        #expect(ending.errors.contains("No space left on device"))
        #expect(ending.errors.split(separator: "\n").count == 2, "\(ending.errors)")
        // The first one, written before anything ran, is whole.
        #expect(try Document(lines.last ?? "")["schema"].string == "capturegate.rig/1")
    }

    @Test("standard output that is full is told, with 74", arguments: ["", " --json"])
    func fullOutput(form: String) async throws {
        let workspace = try await Workspace.bench()
        try workspace.plan(Step.present)
        let ending = try await workspace.run(
            ["sh", "-c", "'\(Executable.capturegate)' rig run plan.yaml --out out\(form) >/dev/full"])
        #expect(ending.code == 74)
        #expect(ending.errors.contains("Standard output can't be written"))
        #expect(try workspace.verdicts() == ["camera.present.bars": "pass"])
    }
}
