import CaptureBase

extension AudioFormat {
    /// Duration of a number of frames, in nanoseconds, rounded to the nearest.
    package func nanoseconds(ofFrames frames: Int64) -> Int64 {
        // In two steps: the product would overflow after 13 hours at 192 kHz.
        let rate = Int64(sampleRate)
        return frames / rate * 1_000_000_000 + (frames % rate * 1_000_000_000 + rate / 2) / rate
    }

    /// Number of frames in some bytes.
    /// - Throws: `.usage` if they are not whole frames.
    package func frames(in bytes: RawSpan) throws(CaptureError) -> Int {
        guard bytes.byteCount.isMultiple(of: bytesPerFrame) else {
            throw CaptureError(
                .usage, "\(bytes.byteCount) bytes are not a whole number of audio frames of \(bytesPerFrame) bytes.")
        }
        return bytes.byteCount / bytesPerFrame
    }

    /// Checks that a file can state rate and channel count.
    /// - Throws: `.usage`.
    func checkValues() throws(CaptureError) {
        guard (1...655_350).contains(sampleRate), (1...255).contains(channels) else {
            throw CaptureError(
                .usage, "Audio with \(channels) channels at \(sampleRate) Hz can't be stored.",
                remedies: [Remedy("Choose 1 to 255 channels and 1 to 655350 Hz.")])
        }
    }
}

extension AudioFormat {
    /// Most frames that an encoder takes at once, which bounds its buffer.
    static let pieceFrames = 4096

    /// Lends audio of any length piece by piece.
    /// - Parameters:
    ///   - data: whole frames.
    ///   - body: receives each piece, and its number of frames.
    func forEachPiece(
        of data: RawSpan, _ body: (UnsafeRawBufferPointer, Int) throws(CaptureError) -> Void
    ) throws(CaptureError) {
        let most = Self.pieceFrames * bytesPerFrame
        try data.withUnsafeBytes { (data) throws(CaptureError) in
            for start in stride(from: 0, to: data.count, by: most) {
                let piece = UnsafeRawBufferPointer(rebasing: data[start..<min(start + most, data.count)])
                try body(piece, piece.count / bytesPerFrame)
            }
        }
    }
}

extension AudioFormat {
    /// Maximum bytes that an encoder makes of the frames it holds. FLAC's blocks last 0.1 s and Opus' packets at most 60 ms, two
    /// may be pending, and they are hardly larger than their audio.
    package var maxBufferedBytes: Int { bytesPerFrame * sampleRate / 5 + 4096 }
}
