import CaptureGate

/// A capture that the gate shall end, or not allow.
///
/// *thread-safe*
struct GateCapture: Sendable {
    /// Raised when frames are flowing, or when the capture is over.
    let begun = Signal()
    private let streams: GatedStreams
    private let duration: Duration

    init(_ gatekeeper: Gatekeeper, _ duration: Duration) {
        streams = GatedStreams(GateQueue(gatekeeper: gatekeeper))
        self.duration = duration
    }

    func run(on device: Device) async -> Result<StreamRecord, CaptureError> {
        defer { begun.raise() }
        do throws(CaptureError) {
            let begun = begun
            return .success(
                try await streams.record(StreamCapture(for: duration), from: device) { (_) throws(CaptureError) in
                    FlowInspector(begun: begun)
                }.record)
        } catch {
            return .failure(error)
        }
    }
}

/// Look for frames that flow. *session-bound*
private struct FlowInspector: StreamInspector {
    static var needsContent: Bool { false }

    let begun: Signal
    private var frames = 0

    init(begun: Signal) { self.begun = begun }

    mutating func inspect(_ header: FrameHeader, _ bytes: RawSpan) {
        frames += 1
        if frames == 3 { begun.raise() }
    }
}

/// Prompter that can ask as another one can, counts the questions, and dismisses them.
///
/// *thread-safe*
final class CountingPrompter: Prompter {
    private let other: any Prompter
    private let count = Locked(0)

    init(_ other: any Prompter) { self.other = other }

    var name: String { other.name }
    var questions: Int { count.withLock { $0 } }

    func obstacle() async -> CaptureError? { await other.obstacle() }

    func ask(_ question: Question) async -> Answer {
        count.withLock { $0 += 1 }
        return .dismissed
    }
}

/// Directory of the built-in devices.
///
/// *thread-safe*
struct BuiltInDirectory: DeviceDirectory {
    func resolve(_ request: DeviceRequest) async -> DeviceResolution {
        let device = DeviceCatalog.scan(.identity, of: request.capability).first {
            $0.isBuiltIn && request.device.covers($0.id)
        }
        guard let device else {
            return DeviceResolution(device: nil, availability: .absent("\(request.device)"))
        }
        return DeviceResolution(device: device.description, availability: .available)
    }
}
