import CaptureEncoding

extension RecordingEvent: OngoingEvent {
    var isProgress: Bool {
        switch self {
        case .progress, .preview: true
        default: false
        }
    }
}
