import CaptureEncoding
import CaptureGate
import CaptureRig
import Glibc
import Synchronization

/// A short recording through the gate, with grants in a store of its own.
final class SweptRecording: Sendable {
    enum Outcome: Sendable {
        /// The whole clip came to be.
        case recorded
        /// A clip came to be, and ended early.
        case ended(CaptureError)
        /// No clip came to be.
        case refused(CaptureError)
    }

    let device: String
    let folder: String
    private let request: DeviceRequest
    private let queue: GateQueue
    private let duration: Duration

    /// - Parameter folder: an empty one.
    init(_ capability: CapabilityName, _ device: String, folder: String, duration: Duration) throws {
        self.device = device
        self.folder = folder + "/clips"
        self.duration = duration
        request = DeviceRequest(
            capability: capability, level: capability == .camera ? .video : .record,
            device: .id(DeviceID(rawValue: device)), purpose: "Sweep faults")
        mkdir(self.folder, 0o700)
        let prompter = ScriptedPrompter([.allow(.always)])
        queue = GateQueue(gatekeeper: try Gatekeeper.system(storeIn: folder + "/state", prompter: prompter))
    }

    private var path: String { folder + (request.capability == .camera ? "/clip.y4m" : "/clip.wav") }

    func make(failing fault: PlannedFault) async -> Outcome {
        unlink(path)
        let early = Mutex<CaptureError?>(nil)
        do throws(CaptureError) {
            let target = try RecordingTarget(.file(path: path))
            let operation = SweptOperation(
                authorization: AuthorizedFor(Capability.Together([request])), target: target, duration: duration
            ) { event in
                if case .ended(_, let error, _) = event { early.withLock { $0 = error } }
            }
            fault.plan()
            do throws(CaptureError) {
                try await queue.run(operation)
            } catch {
                target.discard()
                return .refused(error)
            }
        } catch {
            return .refused(error)
        }
        return early.withLock { $0.map { .ended($0) } ?? .recorded }
    }

    /// A clip that came to be is there, whole; of one that did not there is nothing.
    func leftBehind(_ outcome: Outcome) -> String? {
        let files = Resources(folder: folder).files
        switch outcome {
        case .recorded, .ended:
            return files == [String(path.split(separator: "/").last ?? "")] ? nil : "files: \(files)"
        case .refused: return files.isEmpty ? nil : "files: \(files)"
        }
    }
}

/// Records from the one device of its permit.
struct SweptOperation: CaptureOperation {
    let authorization: AuthorizedFor<Capability.Together>
    let target: RecordingTarget
    let duration: Duration
    let onEvent: @Sendable (RecordingEvent) -> Void

    func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) {
        var settings = RecorderSettings()
        settings.video.width = 320
        settings.video.height = 180
        let recorder = try await Recorder(opening: permit, settings: settings)
        _ = try await recorder.record(into: target, for: duration, onEvent: onEvent)
    }
}
