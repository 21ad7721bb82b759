import CaptureRealtime

/// What runs on the capture thread: one case for each kind of source.
enum CaptureStream: ~Copyable, Sendable {
    case microphone(AudioStream<PCMSource>)
    case tone(AudioStream<TestTone>)
    case camera(VideoStream<CameraSource>)
    case bars(VideoStream<TestBars>)
}

extension CaptureCore {
    /// Runs a stream on the session's thread.
    func run(_ stream: consuming CaptureStream) {
        switch consume stream {
        case .microphone(let stream): run(stream)
        case .tone(let stream): run(stream)
        case .camera(let stream): run(stream)
        case .bars(let stream): run(stream)
        }
    }
}
