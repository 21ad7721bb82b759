import CaptureGate
import CaptureRecording
import Dispatch
import GateTestKit
import LinuxSystem

/// A recording whose camera was pulled out.
///
/// *thread-safe*
struct PulledRecording: Sendable {
    let end: EndReason
    let ledger: TrackLedger
    /// Video frames that a reader finds in the file.
    let inFile: UInt64
    /// Time of the last frame, and that at which the file was complete: CLOCK_MONOTONIC in ns.
    let last: Int64
    let complete: Int64

    /// Frames that the device made and that are neither in the file nor among the lost ones, or that are both.
    var unaccounted: Double {
        abs(Double(ledger.asked) - (Double(inFile) - Double(ledger.filled)) - Double(ledger.lost.total))
    }

    var measures: [Measure] {
        [
            Measure("file_valid", last > 0 ? Double(complete - last) / 1e6 : nil, "ms", .lower),
            Measure("unaccounted", unaccounted, "frames", .lower),
        ]
    }
}

extension PulledRecording {
    /// Way to record: raises the signal when the clip has begun, and ends when the device, or the control, ends it.
    typealias Maker = @Sendable (Device, RecordingControl, Signal) async throws(CaptureError) -> PulledRecording

    /// Records with the recorder that people record with, into a file that is removed again.
    static func recording(on queue: GateQueue) -> Maker {
        { (device, control, begun) async throws(CaptureError) in
            let path = Self.temporaryPath()
            defer {
                for file in [path, path + ".read.mkv"] { try? FileSystem.remove(file) }
            }
            let target = try RecordingTarget(.file(path: path))
            let last = Locked<Int64>(0)
            let operation = RecordingOperation(device) { (permit: consuming Permit) async throws(CaptureError) in
                let recorder = try await Recorder(opening: permit)
                return try await recorder.record(into: target, control: control) { event in
                    if case .started = event { begun.raise() }
                    if case .ended(_, _, let time) = event { last.withLock { $0 = time } }
                }
            }
            let clip: Clip
            do throws(CaptureError) {
                clip = try await queue.run(operation)
            } catch {
                target.discard()
                throw error
            }
            let complete = SystemClock.monotonic.now
            guard let ledger = clip.ledger.tracks.first else {
                throw CaptureError(.notAsAsked, "The clip has no track.")
            }
            return PulledRecording(
                end: clip.end, ledger: ledger, inFile: try await Self.frames(in: path), last: last.withLock { $0 },
                complete: complete)
        }
    }

    private static func temporaryPath() -> String {
        let folder = ProcessEnvironment.current["TMPDIR"] ?? "/tmp"
        return "\(folder)/capturegate-rig-\(ProcessStart.processID)-\(SystemClock.monotonic.now).mkv"
    }

    /// Reads a file to its end, without trust.
    ///
    /// - Throws: `.notAsAsked` for one that is damaged.
    static func frames(in path: String) async throws(CaptureError) -> UInt64 {
        let report: Result<RecoveryReport, CaptureError> = await withCheckedContinuation { continuation in
            DispatchQueue(label: "capturegate.rig.file").async {
                continuation.resume(
                    returning: Result { () throws(CaptureError) in
                        try ClipRecovery(of: path, to: path + ".read.mkv").run(removingSource: false)
                    })
            }
        }
        switch report {
        case .success(let report) where report.isComplete: return UInt64(clamping: report.tracks.first?.frames ?? 0)
        case .success(let report): throw CaptureError(.notAsAsked, "The file has \(report.lostBytes) damaged bytes.")
        case .failure(let error): throw CaptureError(.notAsAsked, "The file can't be read: \(error.message)")
        }
    }
}

/// A recording of one camera by a closure.
///
/// *thread-safe*
private struct RecordingOperation: CaptureOperation {
    let authorization: AuthorizedFor<Capability.Camera>
    private let body: @Sendable (consuming Permit) async throws(CaptureError) -> Clip

    init(_ device: Device, _ body: @escaping @Sendable (consuming Permit) async throws(CaptureError) -> Clip) {
        authorization = AuthorizedFor(
            Capability.Camera(.video, device: .id(device.id), purpose: "Test the hardware, without keeping anything"))
        self.body = body
    }

    func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) -> Clip {
        try await body(permit)
    }
}
