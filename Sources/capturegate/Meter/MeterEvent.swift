import CaptureEncoding
import CaptureGate

/// What a meter tells.
enum MeterEvent: OngoingEvent {
    case started(Device, AudioFormat, differences: [String])
    case level(MeterReading)
    /// - Parameter isComplete: the time that was asked for is over; otherwise somebody stopped it.
    case ended(isComplete: Bool)

    var isProgress: Bool { if case .level = self { true } else { false } }
}

/// How loud each channel was since the reading before.
struct MeterReading: Sendable {
    /// Sound metered since the start, ns.
    let elapsedNanoseconds: Int64
    let channels: [SoundLevel]
    /// Frames lost since the start.
    let lost: UInt64
}
