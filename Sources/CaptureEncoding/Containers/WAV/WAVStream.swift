import CaptureBase

/// RIFF WAVE; RF64 (EBU Tech 3306) beyond 4 GiB, for whose long sizes a chunk is reserved from the start.
///
/// One or two channels get the plain header that every reader supports, more channels the extensible one, floating point that of
/// every format but PCM. A file's header is correct after every write. In a pipe the sizes mean "until the end", as sox and ffmpeg
/// write it, too.
///
/// *session-bound*
final class WAVStream: ClipStream {
    private(set) var head: [UInt8]
    /// WAV has no framing: a reader believes the sizes, so a killed recorder must leave right ones.
    let keepsHeaderCurrent = true
    /// A quarter of a second: two system calls per period (data and header) would cost more than
    /// recording it.
    let gathered: Int64 = 250_000_000
    private let encoder: PCMEncoder

    init(_ track: ClipTrack) throws(CaptureError) {
        guard let format = track.audio else { throw CaptureError(.usage, "WAV can contain only audio.") }
        encoder = PCMEncoder(format: format)
        try encoder.begin()
        head = Self.head(format)
    }

    var counts: EncoderCounts { encoder.counts }

    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError) {
        try encoder.encode(data, at: nanoseconds, into: &packets)
    }

    /// Puts the sizes into the header: RIFF's, `fact` and `data`, or those of ds64 past 4 GiB.
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

    /// Padding byte: RIFF chunks have an even length.
    func tail(_ totals: StreamTotals) -> [UInt8] { totals.bytes.isMultiple(of: 2) ? [] : [0] }

    /// Largest 32-bit size; in RF64 it means "see ds64".
    private static let longest: Int64 = 0xFFFF_FFFF

    /// Only headers with `fact` are longer than 80 bytes.
    private var hasFact: Bool { head.count > 80 }

    /// Overwrites a little-endian number.
    private func set(at offset: Int, _ value: Int64, bytes: Int, if wanted: Bool = true) {
        guard wanted else { return }
        for byte in 0..<bytes { head[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
    }

    /// Overwrites a chunk's name, without allocating: this runs for every write.
    private func setName(at offset: Int, _ name: StaticString) {
        for byte in 0..<4 { head[offset + byte] = name.utf8Start[byte] }
    }
}

extension WAVStream {
    /// Header whose sizes mean "until the end" (0xFFFFFFFF), which is all that a pipe ever gets.
    static func head(_ format: AudioFormat) -> [UInt8] {
        let form = Form(format)
        var bytes = Array("RIFF".utf8) + LittleEndian.bytes(0xFFFF_FFFF, 4) + Array("WAVE".utf8)
        bytes += Array("JUNK".utf8) + LittleEndian.bytes(28, 4) + [UInt8](repeating: 0, count: 28)
        let description = description(format, form)
        bytes += Array("fmt ".utf8) + LittleEndian.bytes(description.count, 4) + description
        // Every format but PCM has to have one.
        if form != .plain {
            bytes += Array("fact".utf8) + LittleEndian.bytes(4, 4) + LittleEndian.bytes(0xFFFF_FFFF, 4)
        }
        return bytes + Array("data".utf8) + LittleEndian.bytes(0xFFFF_FFFF, 4)
    }

    /// Structure of mmreg.h that describes the samples.
    private enum Form {
        /// PCMWAVEFORMAT, for one or two channels of integers.
        case plain
        /// WAVEFORMATEX without an extension, for floating point of any number of channels, as sox
        /// writes it.
        ///
        /// The extensible form would gain nothing with an empty channel mask, and sox 14.4.2 then
        /// misses an extension.
        case extended
        /// WAVEFORMATEXTENSIBLE, for more than two channels of integers.
        case extensible

        init(_ format: AudioFormat) {
            self = format.sampleFormat == .float32 ? .extended : format.channels > 2 ? .extensible : .plain
        }
    }

    /// Body of the `fmt ` chunk.
    private static func description(_ format: AudioFormat, _ form: Form) -> [UInt8] {
        // WAVE_FORMAT_IEEE_FLOAT and WAVE_FORMAT_PCM.
        let tag = format.sampleFormat == .float32 ? 3 : 1
        let frameBytes = PCMEncoder.storedBytesPerFrame(format)
        var bytes = LittleEndian.bytes(form == .extensible ? 0xFFFE : tag, 2) + LittleEndian.bytes(format.channels, 2)
        bytes += LittleEndian.bytes(format.sampleRate, 4) + LittleEndian.bytes(format.sampleRate * frameBytes, 4)
        bytes += LittleEndian.bytes(frameBytes, 2) + LittleEndian.bytes(8 * frameBytes / format.channels, 2)
        switch form {
        case .plain: return bytes
        case .extended: return bytes + LittleEndian.bytes(0, 2)
        case .extensible:
            // The loudspeaker of a microphone's channel is unknown: no bit of the mask is set, which is
            // KSAUDIO_SPEAKER_DIRECTOUT.
            bytes +=
                LittleEndian.bytes(22, 2) + LittleEndian.bytes(format.sampleFormat.significantBits, 2)
                + LittleEndian.bytes(0, 4)
            return bytes + LittleEndian.bytes(tag, 4) + subFormat
        }
    }

    /// KSDATAFORMAT_SUBTYPE_PCM after its first four bytes, which are the tag.
    private static let subFormat: [UInt8] = [
        0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71,
    ]

}
