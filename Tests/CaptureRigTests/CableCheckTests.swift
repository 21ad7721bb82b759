import GateTestKit
import Testing

@testable import CaptureGate
@testable import CaptureRecording
@testable import CaptureRig

/// A camera on a cable, in memory.
final class ScriptedCable: Sendable {
    struct State {
        var device = BuiltInDevices.bars
        var isThere = true
        var ran: [String] = []
        /// True for a device that comes back as another one each time.
        var changes = false
        /// Programs that fail, and the one that does nothing.
        var failing: Set<String> = []
        var idle: String?
    }

    let state: Locked<State>
    /// Raised when the camera has gone.
    let gone = Signal()

    init(_ change: (inout State) -> Void = { _ in }) {
        var state = State()
        change(&state)
        self.state = Locked(state)
    }

    var ran: [String] { state.withLock { $0.ran } }

    var cable: Cable {
        var cable = Cable(
            pull: PlanCommand(["pull"], limit: .seconds(1)), plug: PlanCommand(["plug"], limit: .seconds(1)),
            run: { command in self.run(command.arguments[0]) },
            devices: { self.state.withLock { $0.isThere ? [BuiltInDevices.tone, $0.device] : [BuiltInDevices.tone] } })
        (cable.patience, cable.grace) = (.zero, .zero)
        return cable
    }

    private func run(_ name: String) -> CaptureError? {
        let isGone = state.withLock { state in
            state.ran.append(name)
            guard !state.failing.contains(name), state.idle != name else { return false }
            state.isThere = name == "plug"
            if state.isThere, state.changes { state.device = Self.device(number: state.ran.count) }
            return !state.isThere
        }
        if isGone { gone.raise() }
        return state.withLock { $0.failing.contains(name) }
            ? CaptureError(.unavailable, "\(name) ended with exit code 1.") : nil
    }

    private static func device(number: Int) -> Device {
        Device(
            id: DeviceID(rawValue: "camera:\(number)"), name: "Camera", capability: .camera,
            availability: .available, ambiguity: nil, nodes: [], pcmName: nil, formats: .unknown)
    }
}

@Suite("Check of a camera that is pulled out")
struct UnplugCheckTests {
    private func trial(_ board: ScriptedCable) -> CableTrial {
        CableTrial(cable: board.cable, meter: { nil }, patience: .seconds(20))
    }

    /// A recording that ends with the device.
    private func recording(
        on board: ScriptedCable, inFile: UInt64 = 88, after: Int64 = 200_000_000, end: EndReason = .deviceGone
    ) -> PulledRecording.Maker {
        { (device, control, begun) async throws(CaptureError) in
            begun.raise()
            await board.gone.reached()
            var ledger = TrackLedger(kind: .video, name: "", device: device.id.rawValue)
            (ledger.asked, ledger.delivered, ledger.lost.device) = (90, 88, 2)
            return PulledRecording(
                end: end, ledger: ledger, inFile: inFile, last: 1_000_000_000, complete: 1_000_000_000 + after)
        }
    }

    @Test("A recording that is complete at once, and whose file has all frames, passes; the camera is back")
    func good() async throws {
        for _ in Extent.seeds {
            let board = ScriptedCable()
            let findings = try await trial(board).unplug(BuiltInDevices.bars, after: .zero, recording(on: board))
            #expect(try verdicts(findings, of: "camera.unplug") == ["file_valid": .pass, "unaccounted": .pass])
            #expect(findings.measures.value("file_valid") == 200)
            #expect(board.ran == ["pull", "plug"])
        }
    }

    @Test("A file that is complete too late, and one that lacks frames, fail for that")
    func faulty() async throws {
        for (inFile, after, wrong) in [(88, 1_500_000_000, "file_valid"), (80, 200_000_000, "unaccounted")] {
            let board = ScriptedCable()
            let made = recording(on: board, inFile: UInt64(inFile), after: Int64(after))
            let findings = try await trial(board).unplug(BuiltInDevices.bars, after: .zero, made)
            let verdicts = try verdicts(findings, of: "camera.unplug")
            #expect(verdicts.filter { $0.value == .fail }.map(\.key) == [wrong])
        }
    }

    @Test("A recording that leaves no file that can be read fails, and the camera is back")
    func damaged() async {
        let board = ScriptedCable()
        let error = await #expect(throws: CaptureError.self) {
            try await trial(board).unplug(BuiltInDevices.bars, after: .zero) {
                (_, _, begun) async throws(CaptureError) in
                begun.raise()
                await board.gone.reached()
                throw CaptureError(.notAsAsked, "The file has 100 damaged bytes.")
            }
        }
        #expect(error?.kind == .notAsAsked && board.ran == ["pull", "plug"])
    }

    @Test("A program that fails, or takes nothing away, is the bench's fault, and the camera is brought back")
    func brokenBench() async {
        for change in [{ $0.failing = ["pull"] }, { $0.idle = "pull" }] as [(inout ScriptedCable.State) -> Void] {
            let board = ScriptedCable(change)
            let error = await #expect(throws: CaptureError.self) {
                try await trial(board).unplug(BuiltInDevices.bars, after: .zero) {
                    (device, control, begun) async throws(CaptureError) in
                    begun.raise()
                    while control.requested == nil { await Task.yield() }
                    board.gone.raise()
                    return try await recording(on: board, end: .interrupt)(device, control, begun)
                }
            }
            #expect(error?.kind == .unavailable)
            #expect(board.ran == ["pull", "plug"])
        }
    }

    @Test("For a recording that never began nothing is taken away")
    func refused() async {
        let board = ScriptedCable()
        let error = await #expect(throws: CaptureError.self) {
            try await trial(board).unplug(BuiltInDevices.bars, after: .zero) { (_, _, _) async throws(CaptureError) in
                throw CaptureError(.notAuthorized, "Nobody allowed it.")
            }
        }
        #expect(error?.kind == .notAuthorized && board.ran == ["plug"])
    }

    @Test("A recording that goes on without its camera is no proof")
    func goesOn() async {
        let board = ScriptedCable()
        let error = await #expect(throws: CaptureError.self) {
            try await trial(board).unplug(
                BuiltInDevices.bars, after: .zero, recording(on: board, end: .interrupt))
        }
        #expect(error?.message.hasPrefix("The recording continued") == true)
    }

    @Test("A camera that does not come back fails")
    func stays() async {
        let board = ScriptedCable { $0.idle = "plug" }
        let error = await #expect(throws: CaptureError.self) {
            try await trial(board).unplug(BuiltInDevices.bars, after: .zero, recording(on: board))
        }
        #expect(error?.kind == .deviceGone)
    }

    @Test("The real recorder's file is read to its end, has all frames, and is removed")
    func recorder() async throws {
        let gate = Gatekeeper(
            subject: VirtualRig.subject, store: MemoryStore(),
            prompter: ScriptedPrompter { _ in .allow(.always) }, directory: SystemDeviceDirectory(),
            clock: SystemGateClock())
        let (control, begun) = (try RecordingControl(), Signal())
        let make = PulledRecording.recording(on: GateQueue(gatekeeper: gate))
        async let recorded = make(BuiltInDevices.bars, control, begun)
        await begun.reached()
        control.stop(.deviceGone)
        let recording = try await recorded
        #expect(recording.end == .deviceGone && recording.inFile > 0)
        #expect(recording.unaccounted == 0, "\(recording)")
        #expect(recording.last > 0 && recording.complete > recording.last)
    }

    @Test("A check without programs for the cable says which it needs")
    func programs() async throws {
        for check in ["camera.unplug", "camera.hotplug"] {
            let result = try await VirtualRig.result(check)
            #expect(result.verdict == .error)
            #expect(result.message?.contains("needs programs that unplug the camera and plug it in again") == true)
        }
    }
}

@Suite("Check of a camera that is plugged in and out")
struct HotplugCheckTests {
    private func findings(
        _ board: ScriptedCable, times: Int = 20, _ meter: @escaping UsageMeter = { Self.usage(0) }
    ) async throws -> CheckFindings {
        try await CableTrial(cable: board.cable, meter: meter, patience: .zero)
            .hotplug(BuiltInDevices.bars, times: times, VirtualStreams())
    }

    private static func usage(_ more: Int) -> ProcessUsage {
        ProcessUsage(descriptors: 10 + more, threads: 5 + more, resident: 1000)
    }

    @Test("A camera that comes back as itself each time passes")
    func good() async throws {
        for _ in Extent.seeds {
            let board = ScriptedCable()
            let verdicts = try verdicts(try await findings(board), of: "camera.hotplug")
            #expect(verdicts == ["ids_changed": .pass, "descriptors_left": .pass, "threads_left": .pass])
            #expect(board.ran.count == 40)
        }
    }

    @Test("One that comes back as another each time is counted each time")
    func changes() async throws {
        let findings = try await findings(ScriptedCable { $0.changes = true }, times: 3)
        #expect(findings.measures.value("ids_changed") == 3)
        #expect(try verdicts(findings, of: "camera.hotplug")["ids_changed"] == .fail)
    }

    @Test("A descriptor and a thread that are left at the end fail")
    func leaks() async throws {
        let calls = Locked(-1)
        let findings = try await findings(ScriptedCable()) {
            Self.usage(
                calls.withLock { calls in
                    calls += 1
                    return calls
                })
        }
        let verdicts = try verdicts(findings, of: "camera.hotplug")
        #expect(verdicts["descriptors_left"] == .fail && verdicts["threads_left"] == .fail)
        #expect(verdicts["ids_changed"] == .pass)
    }

    @Test("A process that can't be looked at is an error, and no pass")
    func blind() async throws {
        let verdicts = try verdicts(try await findings(ScriptedCable(), { nil }), of: "camera.hotplug")
        #expect(verdicts["descriptors_left"] == .error && verdicts["threads_left"] == .error)
    }

    @Test("A program that fails ends the check, after the camera was brought back")
    func failing() async {
        let board = ScriptedCable { $0.failing = ["pull"] }
        let error = await #expect(throws: CaptureError.self) { try await findings(board) }
        #expect(error?.kind == .unavailable && board.ran == ["pull", "plug"])
    }
}

@Suite("Use of the process")
struct ProcessUsageTests {
    @Test("The kernel tells of descriptors, threads and memory; an open file is one descriptor more")
    func now() throws {
        let usage = try #require(ProcessUsage.now())
        #expect(usage.threads >= 1 && usage.resident > 1000 && usage.descriptors >= 0)
    }

    @Test("Less than before is nothing left, and what is not known is not measured")
    func leaks() {
        let (few, many) = (
            ProcessUsage(descriptors: 3, threads: 2, resident: 9), ProcessUsage(descriptors: 5, threads: 6, resident: 9)
        )
        #expect(ProcessUsage.leaks(from: few, to: many).map(\.value) == [2, 4])
        #expect(ProcessUsage.leaks(from: many, to: few).map(\.value) == [0, 0])
        #expect(ProcessUsage.leaks(from: nil, to: few).map(\.value) == [nil, nil])
    }
}
