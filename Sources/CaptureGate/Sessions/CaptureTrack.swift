import CaptureRealtime

/// What runs on the capture thread: one case for each kind of source.
enum CaptureTrack: ~Copyable, Sendable {
    case microphone(AudioStream<PCMSource>)
    case tone(AudioStream<TestTone>)
    case camera(VideoStream<CameraSource>)
    case bars(VideoStream<TestBars>)
}

extension CaptureCore {
    /// Runs a track on the session's thread.
    func run(_ track: consuming CaptureTrack) {
        switch consume track {
        case .microphone(let track): run(track)
        case .tone(let track): run(track)
        case .camera(let track): run(track)
        case .bars(let track): run(track)
        }
    }
}
