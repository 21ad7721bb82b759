import CaptureGate

extension WAVStream {
    /// The head, with the sizes of a stream without an end.
    static func head(_ format: AudioFormat) -> [UInt8] {
        let isPlain = format.channels <= 2 && format.sampleFormat != .float32
        var bytes = Array("RIFF".utf8) + little(0xFFFF_FFFF, 4) + Array("WAVE".utf8)
        bytes += Array("JUNK".utf8) + little(28, 4) + [UInt8](repeating: 0, count: 28)
        bytes += Array("fmt ".utf8) + description(format)
        if !isPlain { bytes += Array("fact".utf8) + little(4, 4) + little(0xFFFF_FFFF, 4) }
        return bytes + Array("data".utf8) + little(0xFFFF_FFFF, 4)
    }

    /// WAVEFORMAT, or WAVEFORMATEXTENSIBLE for more than two channels.
    private static func description(_ format: AudioFormat) -> [UInt8] {
        let isExtensible = format.channels > 2
        let tag = format.sampleFormat == .float32 ? 3 : 1
        let frameBytes = PCMEncoder.storedBytesPerFrame(format)
        var bytes = little(isExtensible ? 40 : 16, 4) + little(isExtensible ? 0xFFFE : tag, 2)
        bytes += little(format.channels, 2) + little(format.sampleRate, 4) + little(format.sampleRate * frameBytes, 4)
        bytes += little(frameBytes, 2) + little(8 * frameBytes / format.channels, 2)
        guard isExtensible else { return bytes }
        // Which loudspeaker a channel is for is not known of a microphone: no bit of the mask is set.
        bytes += little(22, 2) + little(format.sampleFormat.significantBits, 2) + little(0, 4)
        return bytes + little(tag, 4) + subFormat
    }

    /// The rest of KSDATAFORMAT_SUBTYPE_PCM and _IEEE_FLOAT behind the tag.
    private static let subFormat: [UInt8] = [
        0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71,
    ]

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
