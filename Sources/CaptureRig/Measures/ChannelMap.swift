/// Map of a recording's channels to tones.
///
/// Each channel of the source plays its own tone. A channel is correct if it contains its tone, and all others are at least 40 dB
/// below. *thread-safe*
package struct ChannelMap: Hashable, Sendable {
    /// Level in dB below which a tone of another channel counts as absent, relative to the channel's own.
    private static let absentBelow = -40.0
    /// Level in dBFS below which a channel's own tone counts as absent.
    private static let audibleFrom = -80.0

    /// Level of each tone in each channel, in dBFS: `levels[channel][tone]`.
    package let levels: [[Double]]
    /// Frequencies of the tones in Hz, by channel.
    package let tones: [Double]

    /// Measures tones.
    ///
    /// - Parameters:
    ///   - channels: samples by channel, −1...1; 100 ms at least, for tones that are 100 Hz apart.
    ///   - rate: samples a second.
    ///   - tones: Hz by channel, each from 20 Hz to half the rate. A tone is looked for within 1 %: clocks differ.
    /// - Returns: `nil` for no tones, for a tone that the rate can't have, and for samples that can't be measured.
    package init?(_ channels: [[Float]], rate: Double, tones: [Double]) {
        guard !tones.isEmpty, tones.allSatisfy({ $0 >= 20 && $0 < rate / 2 }) else { return nil }
        let spectra = channels.compactMap { SoundSpectrum($0, rate: rate) }
        guard spectra.count == channels.count, !spectra.isEmpty else { return nil }
        self.tones = tones
        levels = spectra.map { spectrum in
            tones.map { tone in
                // The nearest bin of a tone at the edge may lie beyond it.
                let reach = tone / 100 + spectrum.binWidth
                return spectrum.peak(in: tone - reach...tone + reach)?.level ?? Decibel.silence
            }
        }
    }

    /// Numbers, from 0, of the channels that are wrong: missing, silent, without their tone, or with that of another one.
    package var wrong: [Int] {
        tones.indices.filter { channel in
            guard channel < levels.count, levels[channel][channel] >= Self.audibleFrom else { return true }
            return crosstalk(channel) ?? Decibel.silence >= Self.absentBelow
        }
    }

    /// Level of the strongest tone of another channel relative to the channel's own, in dB; `nil` for a single tone. Channels
    /// that share a tone don't hear each other.
    private func crosstalk(_ channel: Int) -> Double? {
        let own = levels[channel][channel]
        return tones.indices.filter { abs(tones[$0] - tones[channel]) > tones[channel] / 50 }
            .map { levels[channel][$0] - own }.max()
    }

    /// Measures `channels_wrong` (channels) and `crosstalk` (dB, of the worst channel), without limits and without values if there
    /// is no map.
    ///
    /// A single channel has no `crosstalk`.
    package static func measures(of map: ChannelMap?) -> [Measure] {
        let wrong = Measure("channels_wrong", map.map { Double($0.wrong.count) }, "channels", .lower)
        guard let map else { return [wrong, Measure("crosstalk", nil, "dB", .lower)] }
        let worst = map.tones.indices.prefix(map.levels.count).compactMap(map.crosstalk).max()
        return worst.map { [wrong, Measure("crosstalk", $0, "dB", .lower)] } ?? [wrong]
    }
}
