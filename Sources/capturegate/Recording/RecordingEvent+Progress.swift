import CaptureEncoding

extension RecordingEvent: OngoingEvent {
    var isProgress: Bool { if case .progress = self { true } else { false } }
}
