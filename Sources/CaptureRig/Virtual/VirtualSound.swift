import CaptureGate
import LinuxSystem

/// Sound that a virtual microphone hears: a tone at half of full scale, or the sound that its bench plays, and a click of 2 ms at
/// each whole second of CLOCK_MONOTONIC.
///
/// *session-bound*
struct VirtualSound: Sendable {
    private let format: AudioFormat
    private let faults: FaultPlan
    private var noise: TestNoise
    /// Number of the next audio frame in ``table``.
    private var position: Int
    /// Interleaved frames that are repeated: a second of tones, which are whole numbers of Hz, or the played sound.
    private let table: [Int16]

    /// - Parameter bench: present state; the gain and the played sound stay the same in a capture.
    init(_ format: AudioFormat, _ faults: FaultPlan, _ bench: VirtualBench) {
        self.format = format
        self.faults = faults
        noise = TestNoise(seed: ~faults.seed)
        let (played, gain) = (bench.played, bench.gain(faults))
        let waves = (0..<format.channels).map { channel -> [Double] in
            if faults.muted.contains(channel) || gain == 0 { return [] }
            let source = faults.swapsChannels && channel < 2 ? 1 - channel : channel
            return played.map { Self.wave($0, source) } ?? Self.tone(source, format, faults)
        }
        let count = played?.frames ?? format.sampleRate
        table = (0..<count).flatMap { frame in
            waves.map { wave in Self.sample(wave.isEmpty ? nil : wave[frame], gain, faults) }
        }
        let lead = (faults.startDelay - faults.roundTrip).nanoseconds * Int64(format.sampleRate) / 1_000_000_000
        position = played == nil ? 0 : (Int(lead) % count + count) % count
    }

    /// Interleaved samples of a period in S16_LE.
    mutating func period(_ frames: Int, at time: Int64) -> [UInt8] {
        let (channels, count) = (format.channels, table.count / format.channels)
        var samples: [Int16] = []
        samples.reserveCapacity(frames * channels)
        while samples.count < frames * channels {
            let end = min(position + frames - samples.count / channels, count)
            samples += table[position * channels..<end * channels]
            position = end % count
        }
        if faults.hasClaps { clap(&samples, at: time) }
        if faults.noise > 0 {
            for index in samples.indices {
                samples[index] = Self.value(Double(samples[index]) / 32_767 + noise.normal() * faults.noise)
            }
        }
        return samples.withUnsafeBytes { Array($0) }
    }

    /// Puts the click over what a period has of the 2 ms after a whole second.
    private func clap(_ samples: inout [Int16], at time: Int64) {
        let (channels, rate) = (format.channels, format.sampleRate)
        let since = Int((time % 1_000_000_000 * Int64(rate) + 500_000_000) / 1_000_000_000) % rate
        let frames = samples.count / channels
        // The second that has begun, and the one that begins within the period.
        for begin in [-since, rate - since] where begin < frames {
            for frame in max(begin, 0)..<max(min(begin + rate / 500, frames), max(begin, 0)) {
                for channel in 0..<channels where !faults.muted.contains(channel) {
                    samples[frame * channels + channel] = Self.value(0.98)
                }
            }
        }
    }

    /// Each channel has its own tone: that of the plan, twice as high, three times as high.
    private static func tone(_ channel: Int, _ format: AudioFormat, _ faults: FaultPlan) -> [Double] {
        let factor = faults.isOneTone ? 1 : Double(channel + 1)
        let step = 2 * .pi * faults.tone * factor / Double(format.sampleRate)
        return (0..<format.sampleRate).map { sine(step * Double($0)) }
    }

    /// One channel of a played sound, whose half of full scale is 1.
    private static func wave(_ played: PlayedSound, _ channel: Int) -> [Double] {
        (0..<played.frames).map {
            Double(played.samples[$0 * played.channels + channel % played.channels]) / 16_384
        }
    }

    /// - Parameter wave: −1...1; `nil` for a channel that hears nothing, not even its offset.
    private static func sample(_ wave: Double?, _ gain: Double, _ faults: FaultPlan) -> Int16 {
        guard let wave else { return 0 }
        let clipped = max(-faults.clipping, min(faults.clipping, wave))
        return value(clipped * gain * (faults.hasClaps ? 0.05 : 0.5) + faults.offset)
    }

    private static func value(_ sample: Double) -> Int16 { Int16(max(-1, min(1, sample)) * 32_767) }
}
