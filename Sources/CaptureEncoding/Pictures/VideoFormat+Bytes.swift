import CaptureGate

extension VideoFormat {
    /// What a picture takes as the device delivers it, bytes; `nil` where it is compressed, and nobody knows.
    var rawByteCount: Int? {
        guard !pixelFormat.isCompressed else { return nil }
        // Of formats without a layout here, such as Bayer's, the lines are known.
        return RawFrameLayout(self)?.byteCount ?? max(bytesPerLine, width) * height
    }
}
