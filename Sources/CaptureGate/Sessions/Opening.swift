import CaptureRealtime
import Dispatch

/// What came of opening a device. It may take seconds, and where the sound server behind a PCM was stopped, for ever: it
/// is done on a thread of its own, and waited for with patience. A device that is open after all then is closed at once.
enum OpenResult<Value: ~Copyable & Sendable>: Sendable {
    case opened(Handoff<Value>)
    case failed(RealtimeFault)
    /// It did not return in time.
    case late
    case cancelled

    /// Cameras take seconds where they wake up, sound servers where they have to be started.
    static var patience: Duration { .seconds(10) }

    static func of(
        _ open: @escaping @Sendable () throws(RealtimeFault) -> Value, on label: String,
        within patience: Duration = patience
    ) async -> OpenResult {
        // A camera that nobody wants any more shows no light.
        guard !Task.isCancelled else { return .cancelled }
        return await FirstAnswer.of(
            { OpenResult(open) }, on: DispatchQueue(label: label), within: patience, late: .late, cancelled: .cancelled)
    }

    /// For what answers at once.
    init(_ open: () throws(RealtimeFault) -> Value) {
        do { self = .opened(Handoff(try open())) } catch { self = .failed(error) }
    }
}
