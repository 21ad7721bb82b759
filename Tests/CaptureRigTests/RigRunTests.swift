import GateTestKit
import LinuxSystem
import Testing

@testable import CaptureGate
@testable import CaptureRig

@Suite("Run of a plan")
struct RigRunTests {
    private static let devices = [
        PlannedDevice(name: "bars", kind: .camera, selector: .id("test:bars")),
        PlannedDevice(name: "tone", kind: .microphone, selector: .id("test:tone")),
        PlannedDevice(name: "gone", kind: .camera, selector: .id("usb:1234:5678:x")),
    ]

    private static func plan(_ steps: PlanStep...) -> RigPlan {
        RigPlan(name: "test", profile: .bench, golden: "/nowhere", devices: devices, steps: steps)
    }

    /// A check with the catalogue's limits for a bench, of three tenths of a second.
    private static func check(
        _ name: String, _ device: String, limits: [String: Limit] = [:], before: [PlanCommand] = [],
        after: [PlanCommand] = []
    ) -> PlannedCheck {
        let measures = CheckCatalogue.check(name)?.measures ?? []
        let own = Dictionary(
            measures.compactMap { measure in measure.bench.map { (measure.name, $0) } }, uniquingKeysWith: { $1 })
        return PlannedCheck(
            name: "\(name).\(device)", check: name, devices: [device],
            parameters: name.hasSuffix("present") ? [:] : ["for": .duration(.milliseconds(300))],
            limits: own.merging(limits) { $1 }, before: before, after: after)
    }

    private static func command(_ words: String...) -> PlanCommand { PlanCommand(words, limit: .seconds(20)) }

    private func results(
        _ plan: RigPlan, prompter: any Prompter = ScriptedPrompter { _ in .allow(.always) }
    ) async throws -> [CheckResult] {
        await RigRun(plan, gatekeeper: VirtualRig.gatekeeper(prompter), among: DeviceCatalog.scan(.identity)).results()
    }

    @Test("A camera that delivers what was set passes, with a number for each measure and points to plot")
    func passes() async throws {
        let all = ["camera.present", "camera.rate", "camera.loss", "camera.timestamps", "camera.local_drops"]
        let results = try await results(
            RigPlan(
                name: "test", profile: .bench, golden: "/nowhere", devices: Self.devices,
                steps: all.map { .check(Self.check($0, "bars")) }))
        #expect(results.map(\.check) == all)
        for result in results {
            #expect(result.verdict.isGood, "\(result)")
            #expect(result.measures.allSatisfy { $0.value != nil }, "\(result.name)")
            #expect(result.device?.id == "test:bars")
        }
        #expect(results[1].series.contains { !$0.points.isEmpty })
    }

    @Test("Of checks that are made at once, none closes its first capture before all others have theirs, or have ended")
    func closing() async {
        let group = CaptureGroup(of: 3)
        let members = (0..<3).map { _ in CaptureGroup.Member(of: group) }
        let closed = Closed()
        await withTaskGroup(of: Void.self) { tasks in
            for number in 0..<2 {
                tasks.addTask {
                    await members[number].waitForOthers()
                    closed.numbers.withLock { $0.append(number) }
                    // A second capture waits for nobody.
                    await members[number].waitForOthers()
                }
            }
            #expect(closed.numbers.withLock { $0 }.isEmpty)
            members[2].leave()
            members[2].leave()
        }
        #expect(closed.numbers.withLock { $0 }.sorted() == [0, 1])
    }

    @Test("A microphone is judged by its own clock and ledger")
    func sound() async throws {
        let results = try await results(
            Self.plan(.parallel([Self.check("sound.rate", "tone"), Self.check("sound.xruns", "tone")])))
        #expect(results.map(\.check) == ["sound.rate", "sound.xruns"])
        #expect(results.allSatisfy { $0.verdict.isGood }, "\(results)")
        #expect(results[1].measures.map(\.value) == [0, 0])
    }

    @Test("A number outside of the plan's limit fails, and says how far outside it is")
    func fails() async throws {
        let tooFast = ["frame_rate": Limit(least: 1000)]
        let result = try #require(
            try await results(Self.plan(.check(Self.check("camera.rate", "bars", limits: tooFast)))).first)
        #expect(result.verdict == .fail)
        let margin = try #require(result.measures.first { $0.name == "frame_rate" }?.margin)
        #expect(margin < -900)
    }

    @Test("A device that is not there is missed, and the rest of the plan goes on")
    func missing() async throws {
        let results = try await results(
            Self.plan(.check(Self.check("camera.rate", "gone")), .check(Self.check("camera.present", "bars"))))
        #expect(results.map(\.verdict) == [.miss, .pass])
        #expect(results[0].message?.contains("usb:1234:5678:x") == true)
    }

    @Test("What was not measured stands under the device that the plan means, and not under the host")
    func unmeasured() async throws {
        let pattern = PlannedDevice(
            name: "desk", kind: .camera, selector: .match(name: "Desk*", driver: nil, serial: "77", index: 1))
        let steps = ["gone", "desk", "bars"].map { PlanStep.check(Self.check("camera.rate", $0)) }
        let plan = RigPlan(
            name: "test", profile: .bench, golden: "/nowhere", devices: Self.devices + [pattern], steps: steps)
        let results = try await results(plan, prompter: BenchPrompter())
        #expect(results.map(\.verdict) == [.miss, .miss, .error])
        #expect(
            results.map(\.device) == [
                RigDevice(name: "gone", id: "usb:1234:5678:x", label: "not found"),
                RigDevice(name: "desk", id: "name Desk*, serial 77, index 1", label: "not found"),
                RigDevice(name: "bars", id: "test:bars", label: BuiltInDevices.bars.name),
            ])
        let host = RigReport.Host(name: "h", kernel: "6", machine: "m", versions: [:])
        let report = RigReport(
            plan: "p", profile: "bench", host: host, began: "2026-01-31T23:59:59Z", seconds: 1, end: .complete,
            results: results)
        for text in [report.junit, report.ktap] {
            #expect(["gone", "desk", "bars"].allSatisfy { text.contains("capturegate.\($0)") })
            #expect(!text.contains("capturegate.host"), "\(text)")
        }
    }

    @Test("A bench asks nobody: without a grant a check is an error, and the next one is made")
    func silent() async throws {
        let results = try await results(
            Self.plan(.check(Self.check("camera.rate", "bars")), .check(Self.check("sound.present", "tone"))),
            prompter: BenchPrompter())
        #expect(results.map(\.verdict) == [.error, .pass])
        #expect(results[0].message != nil && results[0].measures.isEmpty)
    }

    @Test("A command that fails keeps its check from being made, and the commands after it run all the same")
    func commands() async throws {
        let prompter = ScriptedPrompter { _ in .allow(.always) }
        let check = Self.check(
            "camera.rate", "bars", before: [Self.command("sh", "-c", "echo no port >&2; exit 3")],
            after: [Self.command("false")])
        let result = try #require(try await results(Self.plan(.check(check)), prompter: prompter).first)
        #expect(result.verdict == .error)
        #expect(result.message == "sh ended with exit code 3: no port")
        #expect(prompter.questions.isEmpty)
    }

    @Test("A command that fails after a check that passed makes it an error: the bench is not as it was")
    func after() async throws {
        let check = Self.check("camera.present", "bars", after: [Self.command("false")])
        let result = try #require(try await results(Self.plan(.check(check))).first)
        #expect(result.verdict == .error && result.message == "false ended with exit code 1.")
    }

    @Test("A command that hangs is ended when its time is over, and one that is missing is said to be")
    func hangs() async {
        let runner = CommandRunner(environment: ["PATH": "/usr/bin:/bin"])
        let slow = await runner.failure(of: PlanCommand(["sleep", "60"], limit: .milliseconds(50)))
        #expect(slow?.kind == .timedOut)
        let missing = await runner.failure(of: PlanCommand(["no-such-program"], limit: .seconds(1)))
        #expect(missing?.message == "The program no-such-program was not found.")
        #expect(await runner.failure(of: PlanCommand(["true"], limit: .seconds(20))) == nil)
    }

    @Test("What an interrupted plan did not make is skipped, under its own name")
    func interrupted() async throws {
        let gate = VirtualRig.gatekeeper(ScriptedPrompter { _ in .allow(.always) })
        let plan = Self.plan(.check(Self.check("camera.rate", "bars")), .check(Self.check("camera.loss", "bars")))
        let results = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await RigRun(plan, gatekeeper: gate, among: DeviceCatalog.scan(.identity)).results()
        }.value
        #expect(results.map(\.verdict) == [.skip, .skip])
        #expect(results.map(\.name) == ["camera.rate.bars", "camera.loss.bars"])
        #expect(results.allSatisfy { $0.device?.id == "test:bars" })
    }

    @Test("After an interruption only those programs run that come after a check which has begun")
    func interruptedPrograms() async throws {
        let folder = try PlanFolder()
        func touch(_ name: String) -> PlanCommand { Self.command("touch", "\(folder.path)/\(name)") }
        let begun = Self.check(
            "camera.rate", "bars", before: [touch("never1"), touch("never2")], after: [touch("after")])
        let next = Self.check("camera.loss", "bars", before: [touch("never3")], after: [touch("never4")])
        let plan = Self.plan(.command(touch("first")), .check(begun), .command(touch("never5")), .check(next))
        let run = RigRun(plan, gatekeeper: VirtualRig.gatekeeper(), among: DeviceCatalog.scan(.identity))
        let results = await Task {
            await run.results { _ in withUnsafeCurrentTask { $0?.cancel() } }
        }.value
        #expect(results.map(\.verdict) == [.skip, .skip])
        #expect(ProcessFile.names(in: folder.path).sorted() == ["after", "first"])
    }

    @Test("Several devices that match are not chosen from, unless by an index")
    func ambiguous() async throws {
        let any = PlannedDevice(
            name: "any", kind: .camera, selector: .match(name: "built-in*", driver: nil, serial: nil, index: nil))
        let second = PlannedDevice(
            name: "second", kind: .camera, selector: .match(name: "*", driver: nil, serial: "test:", index: 1))
        let plan = RigPlan(
            name: "test", profile: .bench, golden: "/nowhere", devices: [any, second],
            steps: [.check(Self.check("camera.present", "any")), .check(Self.check("camera.present", "second"))])
        let results = try await results(plan)
        #expect(results.map(\.verdict) == [.pass, .miss])
    }
}

/// Members of a group that have closed their captures, in their order.
private final class Closed: Sendable {
    let numbers = Locked<[Int]>([])
}
