import CaptureGate
import CaptureRecording
import Glibc
import Synchronization

/// A short recording through the gate, with grants in a separate store.
final class SweptRecording: SweptWork {
    let names: [String]
    /// A listing is cached for a second.
    let chance: String? = "udev_"
    private let folder: String
    private let request: DeviceRequest
    private let queue: GateQueue
    private let duration: Duration
    private let video: VideoSettings

    init(
        _ capability: CapabilityName, _ device: String, in folder: SweptFolder, duration: Duration,
        video: VideoSettings
    ) throws {
        names = [device]
        self.folder = folder.clips
        self.duration = duration
        self.video = video
        request = DeviceRequest(
            capability: capability, level: capability == .camera ? .video : .record,
            device: .id(DeviceID(rawValue: device)), purpose: "Sweep faults")
        queue = GateQueue(gatekeeper: try folder.gatekeeper())
    }

    private var path: String { folder + (request.capability == .camera ? "/clip.y4m" : "/clip.wav") }

    func make(failing fault: PlannedFault) async -> SweptOutcome {
        unlink(path)
        let early = Mutex<CaptureError?>(nil)
        do throws(CaptureError) {
            let target = try RecordingTarget(.file(path: path))
            let operation = SweptOperation(
                authorization: AuthorizedFor(Capability.All([request])), target: target, duration: duration,
                video: video
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
        return early.withLock { $0.map { .ended($0) } ?? .done }
    }

    /// A clip that came to be is there, whole; of one that did not there is nothing.
    func complaint(about outcome: SweptOutcome) -> String? {
        let files = FileNames(in: folder).all
        switch outcome {
        case .done, .ended:
            return files == [String(path.split(separator: "/").last ?? "")] ? nil : "files: \(files)"
        case .refused, .partly: return files.isEmpty ? nil : "files: \(files)"
        }
    }
}

/// Records from the one device of its permit.
struct SweptOperation: CaptureOperation {
    let authorization: AuthorizedFor<Capability.All>
    let target: RecordingTarget
    let duration: Duration
    let video: VideoSettings
    let onEvent: @Sendable (RecordingEvent) -> Void

    func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) {
        var settings = RecorderSettings()
        settings.video = video
        settings.video.width = 320
        settings.video.height = 180
        let recorder = try await Recorder(opening: permit, settings: settings)
        _ = try await recorder.record(into: target, for: duration, onEvent: onEvent)
    }
}
