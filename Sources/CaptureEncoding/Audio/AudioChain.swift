import CaptureBase
import LinuxSystem

/// Conversion of one microphone's samples, in this order: channels and gain, then the sample rate, then rounding.
///
/// Between the steps samples are double precision in the units of the output's integers, so that whole numbers stay exact. It
/// allocates nothing once its buffers have grown to size.
///
/// *session-bound*
final class AudioChain {
    let source: AudioFormat
    let target: AudioFormat
    /// Converted samples that were not taken yet, interleaved.
    private(set) var samples: [Double] = []

    /// Input channels of each output channel, one after the other; where those of each begin; and the factor of their sum.
    private let inputs: [Int]
    private let starts: [Int]
    private let factors: [Double]
    private let codec: SampleCodec
    private var decoded: [Double] = []
    private var mixed: [Double] = []
    /// `nil` if the rate stays.
    private var converter: RateConverter?

    /// - Parameters:
    ///   - source: format of the microphone.
    ///   - target: format that it becomes, with one channel for each entry of `inputs`.
    ///   - inputs: channels of the microphone whose mean each channel is, 0 upwards.
    ///   - factor: of each sample.
    init(from source: AudioFormat, to target: AudioFormat, inputs: [[Int]], factor: Double) {
        (self.source, self.target) = (source, target)
        self.inputs = inputs.flatMap(\.self)
        starts = inputs.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
        let unit = target.sampleFormat.fullScale / source.sampleFormat.fullScale
        factors = inputs.map { factor * unit / Double(max($0.count, 1)) }
        codec = SampleCodec(format: source.sampleFormat)
        if source.sampleRate != target.sampleRate {
            converter = RateConverter(from: source.sampleRate, to: target.sampleRate, channels: target.channels)
        }
    }

    /// Frames that are still to come of the audio so far.
    var pending: Int { converter?.pending ?? 0 }

    /// Converts a piece; `samples` has what came of it.
    /// - Parameter piece: whole frames, few enough for buffers of that size.
    func convert(_ piece: UnsafeRawBufferPointer) {
        decoded.removeAll(keepingCapacity: true)
        codec.decode(piece, into: &decoded)
        if source.sampleFormat == .float32 { silenceNonsense() }
        guard converter != nil else { return mix(into: &samples) }
        mixed.removeAll(keepingCapacity: true)
        mix(into: &mixed)
        mixed.withUnsafeBufferPointer { converter?.push($0) }
        converter?.pull(into: &samples)
    }

    /// Ends the audio: `samples` has the rest of it.
    func finish() {
        converter?.pushEnd()
        converter?.pull(into: &samples)
    }

    /// Forgets the samples that were taken.
    func removeSamples() { samples.removeAll(keepingCapacity: true) }

    /// Replaces infinities and NaN with silence: a filter would spread them.
    private func silenceNonsense() {
        for index in decoded.indices where !decoded[index].isFinite { decoded[index] = 0 }
    }

    private func mix(into output: inout [Double]) {
        for first in stride(from: 0, to: decoded.count, by: source.channels) {
            for channel in factors.indices {
                var sum = 0.0
                for index in starts[channel]..<starts[channel + 1] { sum += decoded[first + inputs[index]] }
                output.append(sum * factors[channel])
            }
        }
    }
}

extension SampleFormat {
    /// Value of full scale, in the units of a sample.
    var fullScale: Double {
        switch self {
        case .s16: 32_768
        case .s24Packed, .s24: 8_388_608
        case .s32: 2_147_483_648
        case .float32: 1
        }
    }
}

/// Samples as bytes of a format, for a writer.
struct EncodedSamples {
    private let format: AudioFormat
    private let codec: SampleCodec
    /// Bytes of the samples, and of longer ones before them.
    private(set) var bytes: [UInt8] = []

    init(_ format: AudioFormat) {
        self.format = format
        codec = SampleCodec(format: format.sampleFormat)
    }

    /// Rounds samples to the nearest and limits them to full scale; the result is at the beginning of `bytes`.
    /// - Returns: number of frames.
    mutating func set(_ samples: [Double]) -> Int {
        let count = samples.count * format.sampleFormat.bytesPerSample
        // With some to spare: the number of frames that a converter gives differs by one.
        if bytes.count < count { bytes = [UInt8](repeating: 0, count: count + count / 4) }
        samples.withUnsafeBufferPointer { samples in
            bytes.withUnsafeMutableBytes { codec.encode(samples, into: $0) }
        }
        return samples.count / format.channels
    }
}
