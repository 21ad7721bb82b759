import CaptureGate

/// RIFF WAVE, and RF64 (EBU Tech 3306) past 4 GiB: a place for the long sizes is kept from the start.
///
/// One or two channels get the plain head that every reader knows, more the extensible one, floating point that of
/// every format but PCM. A file's head is right after every write. In a pipe the sizes say "as long as it goes on", as
/// sox and ffmpeg write it too.
///
/// *session-bound*
final class WAVStream: ClipStream {
    private(set) var head: [UInt8]
    let keepsHeaderCurrent = true
    /// Two calls of the kernel for each period would cost more than recording it.
    let gathered: Int64 = 250_000_000
    private let encoder: PCMEncoder

    init(_ track: ClipTrack) throws(CaptureError) {
        guard let format = track.audio else { throw CaptureError(.usage, "WAV holds sound alone.") }
        encoder = PCMEncoder(format: format)
        try encoder.begin()
        head = Self.head(format)
    }

    var counts: EncoderCounts { encoder.counts }

    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError) {
        try encoder.encode(data, at: nanoseconds, into: &packets)
    }

    func setTotals(_ totals: StreamTotals) {
        let whole = Int64(head.count) - 8 + totals.bytes + totals.bytes % 2
        let isLong = whole > Self.longest || totals.bytes > Self.longest
        setName(at: 0, isLong ? "RF64" : "RIFF")
        set(at: 4, isLong ? Self.longest : whole, bytes: 4)
        setName(at: 12, isLong ? "ds64" : "JUNK")
        set(at: 20, isLong ? whole : 0, bytes: 8)
        set(at: 28, isLong ? totals.bytes : 0, bytes: 8)
        set(at: 36, isLong ? totals.frames : 0, bytes: 8)
        set(at: head.count - 12, min(totals.frames, Self.longest), bytes: 4, if: hasFact)
        set(at: head.count - 4, isLong ? Self.longest : totals.bytes, bytes: 4)
    }

    /// Chunks have an even length.
    func tail(_ totals: StreamTotals) -> [UInt8] { totals.bytes.isMultiple(of: 2) ? [] : [0] }

    private static let longest: Int64 = 0xFFFF_FFFF

    private var hasFact: Bool { head.count > 80 }

    private func set(at offset: Int, _ value: Int64, bytes: Int, if wanted: Bool = true) {
        guard wanted else { return }
        for byte in 0..<bytes { head[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
    }

    private func setName(at offset: Int, _ name: StaticString) {
        for byte in 0..<4 { head[offset + byte] = name.utf8Start[byte] }
    }
}

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
