import CaptureGate

extension AudioFormat {
    /// How long so many frames last, nanoseconds, to the nearest.
    func nanoseconds(ofFrames frames: Int64) -> Int64 {
        let rate = Int64(sampleRate)
        return frames / rate * 1_000_000_000 + (frames % rate * 1_000_000_000 + rate / 2) / rate
    }

    /// Frames in so many bytes.
    /// - Throws: `.usage` if they are not whole frames.
    func frames(in bytes: RawSpan) throws(CaptureError) -> Int {
        guard bytes.byteCount.isMultiple(of: bytesPerFrame) else {
            throw CaptureError(
                .usage, "\(bytes.byteCount) bytes are not whole frames of \(bytesPerFrame) bytes of sound.")
        }
        return bytes.byteCount / bytesPerFrame
    }

    func checkValues() throws(CaptureError) {
        guard (1...655_350).contains(sampleRate), (1...255).contains(channels) else {
            throw CaptureError(
                .usage, "Sound of \(channels) channels at \(sampleRate) Hz can't be stored.",
                remedies: [Remedy("Choose 1 to 255 channels and 1 to 655350 Hz.")])
        }
    }
}
