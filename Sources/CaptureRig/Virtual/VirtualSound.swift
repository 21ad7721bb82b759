import CaptureGate
import LinuxSystem

/// Sound before a virtual microphone: a tone at half of full scale, and a click of 2 ms at each whole second of CLOCK_MONOTONIC.
///
/// *session-bound*
struct VirtualSound: Sendable {
    private let format: AudioFormat
    private let faults: FaultPlan
    private var noise: TestNoise
    /// Audio frames that were made.
    private var position = 0
    /// One second of each channel: tones are whole numbers of Hz, so that it can be repeated.
    private let second: [[Double]]

    init(_ format: AudioFormat, _ faults: FaultPlan) {
        self.format = format
        self.faults = faults
        noise = TestNoise(seed: ~faults.seed)
        second = (0..<format.channels).map { channel in
            (0..<format.sampleRate).map { Self.sample($0, of: channel, format, faults) }
        }
    }

    /// Interleaved samples of a period in S16_LE.
    mutating func period(_ frames: Int, at time: Int64) -> [UInt8] {
        let rate = format.sampleRate
        // Samples since the last clap, whose click lasts 2 ms.
        let clap = Int((time % 1_000_000_000 * Int64(rate) + 500_000_000) / 1_000_000_000)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(frames * format.channels * 2)
        for frame in 0..<frames {
            let isClick = (clap + frame) % rate < rate / 500
            for channel in 0..<format.channels {
                let sample = isClick && faults.hasClaps ? 0.98 : second[channel][(position + frame) % rate]
                let value = Int16(max(-1, min(1, sample + grain())) * 32_767)
                bytes += [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
            }
        }
        position += frames
        return bytes
    }

    /// Each channel has a tone of its own: that of the plan, twice as high, three times as high.
    private static func sample(
        _ position: Int, of channel: Int, _ format: AudioFormat, _ faults: FaultPlan
    ) -> Double {
        if faults.muted.contains(channel) { return 0 }
        let swapped = faults.swapsChannels && channel < 2 ? 1 - channel : channel
        let factor = faults.isOneTone ? 1 : Double(swapped + 1)
        let wave = sine(2 * .pi * (faults.tone * factor * Double(position) / Double(format.sampleRate)))
        return max(-faults.clipping, min(faults.clipping, wave)) * 0.5 + faults.offset
    }

    /// Noise: the sum of twelve uniform numbers has nearly a normal distribution.
    private mutating func grain() -> Double {
        guard faults.noise > 0 else { return 0 }
        let sum = (0..<12).reduce(-6.0) { sum, _ in sum + Double(noise.next(below: 1 << 30)) / Double(1 << 30) }
        return sum * faults.noise
    }
}
