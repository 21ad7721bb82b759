import CaptureRig
import GateTestKit
import Testing

@testable import CaptureGate

/// Runs of one check on virtual devices.
enum VirtualRig {
    /// Read once, since it reads the whole file of the program.
    static let subject = Result { () throws(CaptureError) in try ProcessSubject.current() }

    /// Result of a check with the catalogue's limits, on a device with faults.
    ///
    /// - Parameters:
    ///   - name: of the check.
    ///   - faults: of the camera `test:bars`, and of the microphone `test:tone`.
    ///   - parameters: others than the catalogue's.
    ///   - limits: others than the catalogue's.
    ///   - isVirtual: false to capture from the built-in devices themselves, in real time.
    static func result(
        _ name: String, camera: FaultPlan = FaultPlan(), microphone: FaultPlan = FaultPlan(),
        parameters: [String: PlanValue] = [:], limits: [String: Limit] = [:], golden: String = "/nowhere",
        options: RigRun.Options = RigRun.Options(), isVirtual: Bool = true
    ) async throws -> CheckResult {
        let check = try #require(CheckCatalogue.check(name))
        let devices = [
            PlannedDevice(name: "camera", kind: .camera, selector: .id("test:bars")),
            PlannedDevice(name: "microphone", kind: .microphone, selector: .id("test:tone")),
        ]
        let own = check.measures.compactMap { measure in measure.bench.map { (measure.name, $0) } }
        let planned = PlannedCheck(
            name: name, check: name, devices: check.devices.map(\.rawValue), parameters: parameters,
            limits: Dictionary(own) { $1 }.merging(limits) { $1 })
        let plan = RigPlan(
            name: "virtual", profile: .bench, golden: golden, devices: devices, steps: [.check(planned)])
        let streams = VirtualStreams(faults: [BuiltInDevices.bars.id: camera, BuiltInDevices.tone.id: microphone])
        let run = RigRun(
            plan, gatekeeper: gatekeeper(), among: DeviceCatalog.scan(.identity), options: options,
            streams: isVirtual ? streams : nil)
        let results = await run.results()
        return try #require(results.first)
    }

    /// A gate of the built-in devices with a store in memory, which allows everything unless a prompter does otherwise.
    static func gatekeeper(
        _ prompter: any Prompter = ScriptedPrompter { _ in .allow(.always) }, store: MemoryStore = MemoryStore()
    ) -> Gatekeeper {
        Gatekeeper(
            subject: subject, store: store, prompter: prompter, directory: SystemDeviceDirectory(),
            clock: SystemGateClock())
    }
}

extension FaultPlan {
    /// A good device but for what a closure changes.
    static func with(_ change: (inout FaultPlan) -> Void) -> FaultPlan {
        var faults = FaultPlan()
        change(&faults)
        return faults
    }
}

@Suite("Checks of timing on virtual devices")
struct VirtualTimingTests {
    /// A fault, and the measure that must find it.
    struct Twin: Sendable, CustomTestStringConvertible {
        let check: String
        let measure: String
        let faults: FaultPlan

        init(_ check: String, _ measure: String, _ change: (inout FaultPlan) -> Void) {
            (self.check, self.measure, self.faults) = (check, measure, .with(change))
        }

        var testDescription: String { "\(check): \(measure)" }
    }

    static let twins = [
        Twin("camera.rate", "frame_rate_error") { $0.clockError = 10_000 },
        Twin("camera.constant_rate", "interval_deviation_max") { $0.jitter = .milliseconds(2) },
        Twin("camera.jitter", "interval_variance") { $0.jitter = .milliseconds(1) },
        Twin("camera.local_drops", "local_drop") { $0.skipped = 0.2 },
        Twin("camera.loss", "lost") { $0.lost = 0.05 },
        Twin("camera.timestamps", "timestamps_repaired") { $0.repaired = 0.01 },
        Twin("sound.rate", "sound_rate_error") { $0.clockError = 3000 },
        Twin("sound.duration", "duration_error") { $0.skipped = 0.1 },
        Twin("sound.xruns", "xruns") { $0.overruns = 1 },
        Twin("sound.steps", "step_max") { $0.jitter = .milliseconds(20) },
    ]

    @Test("A check finds the fault that it is about", arguments: twins)
    func faulty(twin: Twin) async throws {
        let result = try await VirtualRig.result(twin.check, camera: twin.faults, microphone: twin.faults)
        #expect(result.verdict == .fail)
        let measure = try #require(result.measures.first { $0.name == twin.measure })
        #expect(measure.verdict == .fail, "\(result.measures)")
        // Far outside: a number that is wrong in itself would hardly be.
        #expect(measure.margin.map { $0 < -0.01 } ?? false, "\(measure)")
    }

    @Test(
        "A camera that loses each frame is not waited for, and fails", arguments: [\FaultPlan.lost, \FaultPlan.skipped])
    func nothing(share: WritableKeyPath<FaultPlan, Double> & Sendable) async throws {
        let faults = FaultPlan.with { $0[keyPath: share] = 1 }
        #expect(try await VirtualRig.result("camera.loss", camera: faults).verdict == .fail)
    }

    @Test("A good device passes it with every seed", arguments: Set(twins.map(\.check)).sorted())
    func good(check: String) async throws {
        for seed in Extent.seeds {
            var faults = FaultPlan()
            (faults.seed, faults.jitter) = (seed, .microseconds(20))
            let result = try await VirtualRig.result(check, camera: faults, microphone: faults)
            #expect(result.verdict.isGood, "\(seed): \(result)")
        }
    }
}
