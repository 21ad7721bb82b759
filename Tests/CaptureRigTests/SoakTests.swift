import GateTestKit
import Testing

@testable import CaptureGate
@testable import CaptureRig

@Suite("Captures of hours")
struct SoakTests {
    /// Use of a process that grows by some KiB, descriptors and threads with each reading.
    private static func meter(memory: Int = 0, descriptors: Int = 0, threads: Int = 0) -> UsageMeter {
        let calls = Locked(0)
        return {
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            // Memory allocated at the beginning is not a leak.
            let warm = min(number, 20)
            return ProcessUsage(
                descriptors: 10 + warm + number * descriptors, threads: 5 + number * threads,
                resident: 50_000 + 500 * warm + number * memory)
        }
    }

    private static func soak(
        _ check: String, camera: FaultPlan = FaultPlan(), microphone: FaultPlan = FaultPlan(), minutes: Int,
        settle: Duration = .seconds(600), meter: @escaping UsageMeter = meter()
    ) async throws -> CheckFindings {
        let gate = Gatekeeper(
            subject: VirtualRig.subject, store: MemoryStore(), prompter: BenchPrompter(),
            directory: SystemDeviceDirectory(), clock: SystemGateClock())
        let planned = PlannedCheck(
            name: check, check: check, devices: ["camera", "microphone"],
            parameters: ["for": .duration(.seconds(minutes * 60)), "settle": .duration(settle)])
        let (bars, tone) = (BuiltInDevices.bars, BuiltInDevices.tone)
        let context = CheckContext(
            planned, [bars, tone], streams: VirtualStreams(faults: [bars.id: camera, tone.id: microphone]),
            gatekeeper: gate, golden: GoldenFiles("/nowhere", accepts: false), evidence: EvidenceFolder(nil),
            commands: CommandRunner())
        let soak = try Soak(context, meter: meter)
        return try await check == "camera.soak" ? soak.camera(bars) : soak.both(bars, tone)
    }

    @Test("Hours of a good camera pass: all frames are counted, and few readings remain")
    func camera() async throws {
        let findings = try await Self.soak("camera.soak", minutes: Extent.soak)
        #expect(try verdicts(findings, of: "camera.soak").values.allSatisfy { $0 == .pass }, "\(findings.measures)")
        #expect(findings.series.map(\.points.count).max() ?? .max <= Series.mostPoints)
    }

    @Test("Hours of a camera and a microphone pass, and their drift of 30 ppm is reported")
    func both() async throws {
        let drifting = FaultPlan(microphoneError: 30)
        let findings = try await Self.soak("sync.soak", microphone: drifting, minutes: Extent.soak)
        #expect(try verdicts(findings, of: "sync.soak").values.allSatisfy(\.isGood), "\(findings.measures)")
        #expect(isNear(findings.measures.value("drift"), 30, by: 0.1), "\(findings.measures)")
        #expect(isNear(findings.measures.value("drift_uncertainty"), 0, by: 1), "\(findings.measures)")
    }

    @Test("Good devices pass three minutes with every seed", arguments: ["camera.soak", "sync.soak"])
    func often(check: String) async throws {
        for seed in Extent.seeds {
            var faults = FaultPlan()
            (faults.seed, faults.jitter) = (seed, .microseconds(20))
            let findings = try await Self.soak(
                check, camera: faults, microphone: faults, minutes: 3, settle: .seconds(60))
            #expect(try verdicts(findings, of: check).values.allSatisfy(\.isGood), "\(seed): \(findings.measures)")
        }
    }

    @Test("Memory, a descriptor and a thread that each reading leaves behind fail for that")
    func leaks() async throws {
        let twins = [
            ("memory_growth", Self.meter(memory: 10)), ("descriptors_left", Self.meter(descriptors: 1)),
            ("threads_left", Self.meter(threads: 1)),
        ]
        for (measure, meter) in twins {
            let findings = try await Self.soak("camera.soak", minutes: 60, meter: meter)
            let verdicts = try verdicts(findings, of: "camera.soak")
            #expect(verdicts.filter { $0.value != .pass }.map(\.key) == [measure])
            #expect(verdicts[measure] == .fail)
        }
    }

    @Test("A thread or a descriptor that is there at the last reading by chance is no leak")
    func chance() async throws {
        let calls = Locked(0)
        let meter: UsageMeter = {
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            let more = number % 3 == 0 ? 1 : 0
            return ProcessUsage(descriptors: 9 + more, threads: 5 + more, resident: 1000)
        }
        let findings = try await Self.soak("camera.soak", minutes: 60, meter: meter)
        #expect(try verdicts(findings, of: "camera.soak").values.allSatisfy { $0 == .pass })
    }

    @Test("A frame that is lost in an hour fails, of either device, and adds up all the same")
    func lost() async throws {
        var faults = FaultPlan()
        faults.lost = 0.0001
        let camera = try await Self.soak("sync.soak", camera: faults, minutes: 60)
        #expect(try verdicts(camera, of: "sync.soak").filter { $0.value == .fail }.map(\.key) == ["lost"])
        let microphone = try await Self.soak("sync.soak", microphone: faults, minutes: 60)
        #expect(try verdicts(microphone, of: "sync.soak").filter { $0.value == .fail }.map(\.key) == ["sound_lost"])
    }

    @Test("A drift beyond the limit fails")
    func drift() async throws {
        let findings = try await Self.soak("sync.soak", microphone: FaultPlan(microphoneError: 150), minutes: 30)
        #expect(try verdicts(findings, of: "sync.soak").filter { $0.value == .fail }.map(\.key) == ["drift"])
    }

    /// Inspector that has seen frames at times.
    private static func inspector(_ frames: some Sequence<(number: UInt64, timestamp: Int64)>) -> SoakInspector {
        let format = VideoFormat(
            width: 2, height: 2, pixelFormat: .yuyv, frameRate: FrameRate(unchecked: 30, 1), bytesPerLine: 4)
        var inspector = SoakInspector(.video(format), for: .seconds(30), meter: nil)
        let nothing: [UInt8] = []
        for frame in frames {
            let header = FrameHeader(
                sequence: frame.number, timestamp: frame.timestamp, byteCount: 0, frameCount: 1)
            inspector.inspect(header, nothing.span.bytes)
        }
        return inspector
    }

    @Test("A frame that the ledger does not know of is neither delivered nor lost, and fails")
    func unaccounted() throws {
        let inspector = Self.inspector([0, 1, 2, 4, 5].map { ($0, Int64($0) * 33_333_333) })
        #expect(inspector.unaccounted == 1)
        let measure = Measure("unaccounted", inspector.unaccounted, "frames", .lower, limit: .most(0))
        #expect(measure.verdict == .fail)
    }

    @Test("Timestamps on ticks of a millisecond, some early by some µs, leave no step in a camera's clock")
    func ticks() throws {
        let inspector = Self.inspector(
            (0..<900).map { number in
                // Three frames are 100 ms, and so is an interval: the ones that are early are of the interval before.
                let tick = Int64(number) * 100 / 3 * 1_000_000
                return (UInt64(number), number % 45 == 30 ? tick - 11_000 : tick)
            })
        let clock = inspector.clock
        #expect(isNear(clock.ppm, 0, by: 1) && isNear(clock.uncertainty, 0, by: 3), "\(clock)")
    }

    @Test("A capture that is over before all is settled is an error, and no pass")
    func short() async throws {
        let verdicts = try verdicts(try await Self.soak("camera.soak", minutes: 10), of: "camera.soak")
        #expect(verdicts["memory_growth"] == .error && verdicts["threads_left"] == .error)
        #expect(verdicts["lost"] == .pass)
    }

    @Test("A device that goes in the middle ends it")
    func gone() async {
        var faults = FaultPlan()
        faults.goneAfter = 1000
        let error = await #expect(throws: CaptureError.self) {
            try await Self.soak("sync.soak", microphone: faults, minutes: 30)
        }
        #expect(error?.kind == .deviceGone)
    }

    @Test("A capture that keeps no headers has the first and the last, and the number of all")
    func headers() async throws {
        var capture = StreamCapture(for: .seconds(60))
        capture.keepsHeaders = false
        let record = try await VirtualStreams().record(capture, from: BuiltInDevices.bars)
        #expect(record.headers.map(\.sequence) == [0, 1800])
        #expect(record.arrivals.count == 2 && record.delivered == 1801)
        capture.frames = 50
        #expect(try await VirtualStreams().record(capture, from: BuiltInDevices.bars).delivered == 50)
    }
}

extension FaultPlan {
    /// A device whose clock is off by some millionths.
    fileprivate init(microphoneError: Double) {
        self.init()
        clockError = microphoneError
    }
}
