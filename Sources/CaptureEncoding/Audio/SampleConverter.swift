import CaptureBase

/// Converter of audio to another sample format: rounded to the nearest, and limited to full scale where those are integers.
///
/// *session-bound*
// Unchecked: its owner uses its memory on one thread at a time.
package final class SampleConverter: @unchecked Sendable {
    /// Format of the result.
    package let target: AudioFormat
    private let chain: AudioChain
    private let codec: SampleCodec
    private var bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 16)

    /// - Parameters:
    ///   - source: format of the audio.
    ///   - format: of the result's samples.
    package init(_ source: AudioFormat, to format: SampleFormat) {
        target = AudioFormat(sampleRate: source.sampleRate, channels: source.channels, sampleFormat: format)
        chain = AudioChain(from: source, to: target, inputs: (0..<source.channels).map { [$0] }, factor: 1)
        codec = SampleCodec(format: format)
    }

    deinit { bytes.deallocate() }

    /// Converts whole frames.
    /// - Returns: the result, valid until the next call.
    package func convert(_ source: RawSpan) -> UnsafeRawBufferPointer {
        chain.removeSamples()
        source.withUnsafeBytes { chain.convert($0) }
        let count = chain.samples.count * target.sampleFormat.bytesPerSample
        if bytes.count < count {
            bytes.deallocate()
            bytes = .allocate(byteCount: count, alignment: 16)
        }
        chain.samples.withUnsafeBufferPointer { codec.encode($0, into: bytes) }
        return UnsafeRawBufferPointer(rebasing: bytes[..<count])
    }
}
