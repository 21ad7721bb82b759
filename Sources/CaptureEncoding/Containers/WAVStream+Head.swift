import CaptureGate

extension WAVStream {
    /// The head, with the sizes of a stream without an end.
    static func head(_ format: AudioFormat) -> [UInt8] {
        let form = Form(format)
        var bytes = Array("RIFF".utf8) + little(0xFFFF_FFFF, 4) + Array("WAVE".utf8)
        bytes += Array("JUNK".utf8) + little(28, 4) + [UInt8](repeating: 0, count: 28)
        let description = description(format, form)
        bytes += Array("fmt ".utf8) + little(description.count, 4) + description
        // Every format but PCM has to have one.
        if form != .plain { bytes += Array("fact".utf8) + little(4, 4) + little(0xFFFF_FFFF, 4) }
        return bytes + Array("data".utf8) + little(0xFFFF_FFFF, 4)
    }

    /// Which of the structures of mmreg.h describes the samples.
    private enum Form {
        /// PCMWAVEFORMAT, for one or two channels of integers.
        case plain
        /// WAVEFORMATEX without an extension, for floating point. So sox has it for any number of channels, and nothing
        /// would be won by the extensible form with no bit in its mask, in which sox 14.4.2 misses an extension.
        case extended
        /// WAVEFORMATEXTENSIBLE, for more channels.
        case extensible

        init(_ format: AudioFormat) {
            self = format.sampleFormat == .float32 ? .extended : format.channels > 2 ? .extensible : .plain
        }
    }

    private static func description(_ format: AudioFormat, _ form: Form) -> [UInt8] {
        let tag = format.sampleFormat == .float32 ? 3 : 1
        let frameBytes = PCMEncoder.storedBytesPerFrame(format)
        var bytes = little(form == .extensible ? 0xFFFE : tag, 2) + little(format.channels, 2)
        bytes += little(format.sampleRate, 4) + little(format.sampleRate * frameBytes, 4)
        bytes += little(frameBytes, 2) + little(8 * frameBytes / format.channels, 2)
        switch form {
        case .plain: return bytes
        case .extended: return bytes + little(0, 2)
        case .extensible:
            // Which loudspeaker a channel is for is not known of a microphone: no bit of the mask is set, which is
            // KSAUDIO_SPEAKER_DIRECTOUT.
            bytes += little(22, 2) + little(format.sampleFormat.significantBits, 2) + little(0, 4)
            return bytes + little(tag, 4) + subFormat
        }
    }

    /// The rest of KSDATAFORMAT_SUBTYPE_PCM behind the tag.
    private static let subFormat: [UInt8] = [
        0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71,
    ]

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
