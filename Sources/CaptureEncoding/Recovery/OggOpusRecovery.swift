import CaptureBase

/// Recovery of Ogg Opus: packets of whole pages are put on new pages, the last of which ends the
/// stream. Concealed silence replaces damaged packets (RFC 7845, 4.1).
///
/// *session-bound*
final class OggOpusRecovery: Recoverer {
    private let reader: OggPageReader
    private var output: ClipOutput
    private let head: OpusHead
    private let pages: OggOpusMuxer
    private var packets = PacketBuffer()
    private var findings = RecoveryFindings()

    /// Samples at 48 kHz up to the end of the last packet, pre-skip included.
    private var position: Int64 = 0
    /// Packet not yet on a page, because it may be the last one.
    private var waiting: (packet: [UInt8], samples: Int64)?
    /// Beginning of a packet that the next page continues.
    private var begun: [UInt8] = []
    /// Bytes were skipped ahead of the current page.
    private var isBroken = false
    /// Converts samples at 48 kHz to nanoseconds.
    private static let coded = AudioFormat(sampleRate: OpusHead.rate, channels: 1, sampleFormat: .float32)

    static func recover(
        _ source: RecoverySource, into output: consuming ClipOutput, noting findings: inout RecoveryFindings
    ) throws(CaptureError) -> Int64 {
        let recovery = try OggOpusRecovery(source, output)
        try recovery.copyPackets()
        let bytes = try recovery.finish()
        findings = recovery.findings
        return bytes
    }

    /// Reads both headers. A damaged comment header is replaced by an empty one; without the first
    /// header nothing can be decoded.
    private init(_ source: RecoverySource, _ output: consuming ClipOutput) throws(CaptureError) {
        self.output = output
        reader = try OggPageReader(source)
        guard let first = try reader.next(), let head = first.page.pieces.first.flatMap({ OpusHead($0) }) else {
            throw source.broken("its audio header is damaged")
        }
        findings.note(lost: 0, first.skipped, .damaged)
        self.head = head
        let second = reader.at
        var comments = OggOpusMuxer.tags([])
        if let (page, _, skipped) = try reader.next(), let tags = page.pieces.first,
            tags.starts(with: Array("OpusTags".utf8)), page.pieces.count == 1, !page.isOpen
        {
            comments = tags
            findings.note(lost: second, skipped, .damaged)
        } else {
            reader.move(to: second)
        }
        // A new serial number, since the new file is another stream.
        pages = try OggOpusMuxer(head.bytes, comments: comments, serial: Int32.random(in: 1...Int32.max))
    }

    /// Copies the packets page by page.
    private func copyPackets() throws(CaptureError) {
        try output.write(pages.head)
        while let (page, offset, skipped) = try reader.next() {
            // Granule positions after the gap show how much is missing.
            if skipped > 0 { isBroken = true }
            let missing = try take(page, skipped: skipped)
            findings.note(
                lost: offset - skipped, skipped, .damaged, silenced: Self.coded.nanoseconds(ofFrames: missing))
        }
        findings.note(lost: reader.at, reader.source.size - reader.at, .tornEnd)
    }

    /// Stores the packets of a page.
    /// - Returns: samples that had to be concealed ahead of it.
    private func take(_ page: OggPage, skipped: Int64) throws(CaptureError) -> Int64 {
        var pieces = page.pieces
        if page.isContinued, !pieces.isEmpty {
            // Without its beginning it is no packet.
            if isBroken || begun.isEmpty { pieces.removeFirst() } else { pieces[0] = begun + pieces[0] }
        }
        begun = page.isOpen ? pieces.popLast() ?? [] : []
        // A packet whose duration is unknown is damaged, even on a page with a correct checksum.
        let known = pieces.compactMap { piece in OpusPacket.samples(piece[...]).map { (piece, $0) } }
        let samples = known.reduce(0) { $0 + $1.1 }
        var missing: Int64 = 0
        // The page's granule position tells where its packets end, and so how many samples are missing ahead of them.
        if isBroken, let first = known.first, !page.isLast {
            let gap = page.granule.map { $0 - samples - position } ?? 0
            missing = try conceal(gap, like: first.0, within: skipped)
            isBroken = false
        }
        for (packet, samples) in known { try put(packet, samples) }
        // The last page's packets may be played in part: end trimming (RFC 7845, 4.4).
        if page.isLast, var last = waiting, let end = page.granule, (0..<last.samples).contains(position - end) {
            last.samples -= position - end
            position = end
            waiting = last
        }
        return missing
    }

    /// Stores packets without data in place of those that are missing.
    /// - Returns: samples concealed.
    private func conceal(_ gap: Int64, like packet: [UInt8], within skipped: Int64) throws(CaptureError) -> Int64 {
        let silence = OpusPacket.missing(like: packet[...], streams: head.streams)
        guard let length = OpusPacket.samples(silence[...]), gap > 0 else { return 0 }
        // A missing packet took two bytes at least, one of them its lacing value: a larger gap is damage.
        let count = min(gap / length, skipped / 2)
        for _ in 0..<count { try put(silence, length) }
        return count * length
    }

    /// Stores a packet once another follows it.
    private func put(_ packet: [UInt8], _ samples: Int64) throws(CaptureError) {
        try putWaiting(isLast: false)
        waiting = (packet, samples)
        position += samples
    }

    /// Puts the waiting packet on a page.
    private func putWaiting(isLast: Bool) throws(CaptureError) {
        guard let (packet, samples) = waiting else { return }
        waiting = nil
        packets.removeAll()
        let duration = Self.coded.nanoseconds(ofFrames: samples)
        try packet.span.bytes.withUnsafeBytes { (bytes) throws(CaptureError) in
            try pages.put(bytes, samples: samples, at: 0, lasting: duration, isLast: isLast, into: &packets)
        }
        guard packets.count > 0 else { return }
        try packets.withBytes(of: 0..<packets.count) { (bytes) throws(CaptureError) in try output.write(bytes) }
    }

    /// Ends the stream with the waiting packet.
    private func finish() throws(CaptureError) -> Int64 {
        guard waiting != nil else { throw reader.source.broken("it has no complete page of audio") }
        try putWaiting(isLast: true)
        try output.finish()
        // Pre-skip is decoded and not played.
        let samples = max(position - Int64(head.preSkip), 0)
        findings.tracks = [
            RecoveredTrack(
                kind: .audio, name: "", frames: samples,
                duration: .nanoseconds(Self.coded.nanoseconds(ofFrames: samples)))
        ]
        return output.bytesWritten
    }
}
