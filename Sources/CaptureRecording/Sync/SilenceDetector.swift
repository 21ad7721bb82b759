import CaptureEncoding
import CaptureGate

/// Decision that a recording has been quiet for long enough: when all of its microphones have.
///
/// *session-bound*
final class SilenceDetector {
    let rule: SilenceRule
    /// Time of the clip for which each microphone has been quiet by now, nanoseconds.
    private var quiet: [Int64] = []
    /// True once all microphones were quiet for as long as the rule says; it stays so.
    private(set) var isOver = false

    init(_ rule: SilenceRule) { self.rule = rule }

    /// Adds a microphone whose level counts.
    /// - Returns: its number.
    func add() -> Int {
        quiet.append(0)
        return quiet.count - 1
    }

    /// Notes for how long a microphone has been quiet by now, nanoseconds.
    func note(_ nanoseconds: Int64, of microphone: Int) {
        quiet[microphone] = nanoseconds
        isOver = isOver || quiet.allSatisfy { $0 >= rule.duration.nanoseconds }
    }
}

/// Measurement of one track's silence, in windows of 20 ms from the clip's first sample: the clip's end depends on the
/// samples alone, not on the device's periods.
struct SilenceMeter {
    private let detector: SilenceDetector
    private let microphone: Int
    private let format: AudioFormat
    /// Frames of a window.
    private let window: Int
    private var meter: LevelMeter
    /// Frames in the window that is not full yet.
    private var heard = 0
    /// Frames of all windows since the last loud one.
    private var quiet: UInt64 = 0

    init(_ detector: SilenceDetector, _ format: AudioFormat) {
        self.detector = detector
        self.format = format
        microphone = detector.add()
        window = max(1, format.sampleRate / 50)
        meter = LevelMeter(format)
    }

    /// Measures audio up to where the recording is over.
    /// - Returns: frames that belong to the clip, counted from the first.
    mutating func listen(_ bytes: RawSpan) -> Int {
        let frames = bytes.byteCount / format.bytesPerFrame
        var first = 0
        while first < frames, !detector.isOver {
            let piece = min(window - heard, frames - first)
            meter.update(
                with: bytes.extracting(first * format.bytesPerFrame..<(first + piece) * format.bytesPerFrame))
            first += piece
            heard += piece
            if heard == window { endWindow() }
        }
        return first
    }

    var isOver: Bool { detector.isOver }

    private mutating func endWindow() {
        heard = 0
        // The loudest channel decides: a microphone on one side of a stereo pair is no silence.
        quiet = meter.readLoudest().rmsDBFS < detector.rule.levelDBFS ? quiet + UInt64(window) : 0
        detector.note(SampleClock(rate: format.sampleRate).nanoseconds(Int64(quiet)), of: microphone)
    }
}
