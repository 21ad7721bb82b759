import CaptureGate

/// Listens to the sound of one track, in windows of 20 ms from the clip's first sample: where it ends depends on the
/// samples alone.
struct SilenceWatch {
    private let silence: Silence
    private let microphone: Int
    private let format: AudioFormat
    private let window: Int
    private var meter: LevelMeter
    /// Frames in the window that is not full yet.
    private var heard = 0
    /// Frames of all windows since the last loud one.
    private var quiet: UInt64 = 0

    init(_ silence: Silence, _ format: AudioFormat) {
        self.silence = silence
        self.format = format
        microphone = silence.add()
        window = max(1, format.sampleRate / 50)
        meter = LevelMeter(format)
    }

    /// - Returns: how many frames of it, from its first, belong to the clip.
    mutating func listen(_ bytes: RawSpan) -> Int {
        let frames = bytes.byteCount / format.bytesPerFrame
        var first = 0
        while first < frames, !silence.isOver {
            let piece = min(window - heard, frames - first)
            meter.update(
                with: bytes.extracting(first * format.bytesPerFrame..<(first + piece) * format.bytesPerFrame))
            first += piece
            heard += piece
            if heard == window { endWindow() }
        }
        return first
    }

    var isOver: Bool { silence.isOver }

    private mutating func endWindow() {
        heard = 0
        quiet = meter.readLoudest().rmsDBFS < silence.rule.levelDBFS ? quiet + UInt64(window) : 0
        _ = silence.note(SoundTime(rate: format.sampleRate).nanoseconds(quiet), of: microphone)
    }
}
