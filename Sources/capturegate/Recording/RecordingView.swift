import CaptureEncoding

/// Shows how a recording goes.
protocol RecordingView: Sendable {
    mutating func show(_ event: RecordingEvent)
}
