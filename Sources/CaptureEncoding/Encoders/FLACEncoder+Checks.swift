import CaptureGate

extension FLACEncoder {
    /// Whether FLAC stores such sound bit by bit.
    static func holds(_ format: AudioFormat) -> Bool { format.sampleFormat != .float32 && format.channels <= 8 }

    func checkFormat() throws(CaptureError) {
        try format.checkValues()
        guard (0...8).contains(level) else {
            throw CaptureError(
                .usage, "FLAC has no level \(level).", remedies: [Remedy("Choose 0 (fast) to 8 (small).")])
        }
        guard format.sampleFormat != .float32 else {
            throw CaptureError(
                .usage, "FLAC holds integer samples, not FLOAT_LE.",
                remedies: [Remedy("Choose --sample-format S32_LE, or record to a name that ends in .wav.")])
        }
        guard format.channels <= 8 else {
            throw CaptureError(
                .usage, "FLAC holds at most 8 channels, not \(format.channels).",
                remedies: [Remedy("Choose --channels 8, or record to a name that ends in .wav.")])
        }
    }
}
