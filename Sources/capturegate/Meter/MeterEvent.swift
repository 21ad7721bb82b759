import CaptureEncoding
import CaptureGate

/// What a meter tells.
enum MeterEvent: OngoingEvent {
    case started(Device, AudioFormat, differences: [String])
    case level(LevelReading)
    /// - Parameter isComplete: the time that was asked for is over; otherwise somebody stopped it.
    case ended(isComplete: Bool)

    var isProgress: Bool { if case .level = self { true } else { false } }
}
