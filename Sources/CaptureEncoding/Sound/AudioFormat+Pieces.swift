import CaptureGate

extension AudioFormat {
    /// What an encoder takes at once at most, so that its buffer has a size.
    static let pieceFrames = 4096

    /// Hands out sound in pieces, however long it is.
    /// - Parameters:
    ///   - data: whole frames.
    ///   - body: gets each, and its frames.
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
