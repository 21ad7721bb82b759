import CaptureGate

/// An encoder whose packets may be stored from the device's own buffer, where nothing in them has to be changed.
///
/// *session-bound*
protocol PassthroughEncoder: Encoder {
    var format: VideoFormat { get }

    /// Counts a picture that is stored as it lies in its buffer.
    /// - Returns: where in the buffer it is; `nil`, and nothing is counted, where it has to be encoded.
    func pass(_ data: RawSpan) -> Range<Int>?
}
