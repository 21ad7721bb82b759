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
