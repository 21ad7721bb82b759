import CCodecs
import CaptureGate

extension OpusEncoder {
    /// The lowest of Opus' own rates that holds all of such sound; `nil` above 48 kHz.
    static func rate(for sampleRate: Int) -> Int? {
        [8000, 12_000, 16_000, 24_000, 48_000].first { $0 >= sampleRate }
    }

    func checkFormat() throws(CaptureError) {
        try format.checkValues()
        guard Self.rate(for: format.sampleRate) != nil else {
            throw CaptureError(
                .usage, "Opus holds sound of at most 48000 Hz, not \(format.sampleRate).",
                remedies: [Remedy("Choose --rate 48000, or record to a name that ends in .flac.")])
        }
        guard (0...10).contains(parameters.complexity) else {
            throw CaptureError(
                .usage, "Opus has no complexity \(parameters.complexity).",
                remedies: [Remedy("Choose 0 (fast) to 10 (best).")])
        }
        try checkBitrate()
    }

    private func checkBitrate() throws(CaptureError) {
        guard let bitrate = parameters.bitrate else { return }
        let range = 6000 * format.channels...510_000 * format.channels
        guard !range.contains(bitrate) else { return }
        throw CaptureError(
            .usage, "Opus can't code \(format.channels) channels with \(bitrate) bits a second.",
            remedies: [Remedy("Choose \(range.lowerBound) to \(range.upperBound).")])
    }
}

extension OpusParameters.Application {
    var libraryValue: Int32 {
        switch self {
        case .audio: Int32(CC_OPUS_AUDIO)
        case .voice: Int32(CC_OPUS_VOICE)
        case .lowDelay: Int32(CC_OPUS_LOW_DELAY)
        }
    }
}

extension OpusParameters.BitrateMode {
    var libraryValue: Int32 {
        switch self {
        case .variable: Int32(CC_OPUS_VBR)
        case .constrained: Int32(CC_OPUS_CVBR)
        case .constant: Int32(CC_OPUS_CBR)
        }
    }
}
