import CaptureBase

/// Writer of a single-track stream, in which every packet is whole or absent.
///
/// After an output error the file ends with the last packet that fitted, and `finish` still makes a valid clip of it.
///
/// *session-bound*
final class StreamWriter<Stream: ClipStream>: ClipWriter {
    let format: ClipFormat
    let tracks: [ClipTrack]

    private var output: ClipOutput
    private let stream: Stream
    /// Packets gathered for the next write.
    private var packets = PacketBuffer()
    private var totals = StreamTotals()
    /// End of the last packet in the file, in nanoseconds from the clip's start.
    private var end: Int64 = 0
    /// Last packet in the file, if the stream may have to mark it.
    private var last: [UInt8] = []
    /// The three of them after each packet.
    private var marks = WrittenMarks<Written>()
    /// First output error; nothing is written after it.
    private(set) var failure: CaptureError?
    /// Repeats of a frame that the encoder skipped, which it counted only once.
    private var skippedAgain: UInt64 = 0

    private struct Written {
        let totals: StreamTotals
        let end: Int64
        /// `nil` if nothing waits to be written, so that no packet is dropped.
        let last: [UInt8]?
    }

    init(output: consuming ClipOutput, format: ClipFormat, tracks: [ClipTrack], stream: Stream) {
        self.output = output
        self.format = format
        self.tracks = tracks
        self.stream = stream
    }

    deinit {
        // Packets gathered by a recording that nobody finished.
        try? store()
    }

    var bytesWritten: Int64 { output.bytesWritten }

    /// Header, gathered packets, encoder contents and a padding byte.
    var pendingBytes: Int64 {
        let head = output.bytesWritten == 0 ? stream.head.count : 0
        return Int64(head + packets.storage.count + stream.maxBufferedBytes + 1)
    }

    func counts(of track: Int) -> EncoderCounts {
        var counts = stream.counts
        counts.skipped += skippedAgain
        return counts
    }

    func write(_ data: RawSpan, to track: Int, at nanoseconds: Int64) throws(CaptureError) {
        try checkTrack(track)
        if let failure { throw failure }
        try stream.encode(data, at: max(nanoseconds, 0), into: &packets)
        if packets.duration >= stream.gathered || !output.isSeekable { try store() }
    }

    /// Encodes the frame once and stores the packet `times` times.
    func fill(_ data: RawSpan, to track: Int, at nanoseconds: Int64, times: Int) throws(CaptureError) {
        try checkTrack(track)
        if let failure { throw failure }
        try store()
        defer { packets.removeAll() }
        try stream.encode(data, at: max(nanoseconds, 0), into: &packets)
        if packets.count == 0 { skippedAgain += UInt64(times - 1) }
        for time in 0..<times where packets.count > 0 {
            let frame = packets.duration(of: 0)
            packets.setTime(of: 0, nanoseconds + Int64(time) * frame, lasting: frame)
            try storePackets()
        }
    }

    private func store() throws(CaptureError) {
        guard packets.count > 0 else { return }
        defer { packets.removeAll() }
        try storePackets()
    }

    /// Writes the gathered packets.
    private func storePackets() throws(CaptureError) {
        try writeHead()
        // With a queue, as many packets as fit are written anyway.
        if output.hasQueue {
            try keepingWhole { () throws(CaptureError) in try write(0..<packets.count) }
        } else if (try? write(0..<packets.count)) == nil {
            // One write for all; if that does not fit, as many single packets as fit.
            for index in 0..<packets.count {
                try keepingWhole { () throws(CaptureError) in try write(index..<index + 1) }
            }
        }
        if stream.keepsHeaderCurrent { try patchHead() }
    }

    /// Writes packets, or none of them.
    private func write(_ range: Range<Int>) throws(CaptureError) {
        let before = output.bytesWritten
        do {
            try packets.withBytes(of: range) { (bytes) throws(CaptureError) in try output.write(bytes) }
        } catch {
            if !output.hasQueue { try output.rewind(to: before) }
            throw error
        }
        var written = before
        for index in range {
            totals.frames += tracks[0].frames(lasting: packets.duration(of: index))
            totals.bytes += Int64(packets.byteCount(of: index))
            end = max(end, packets.time(of: index) + packets.duration(of: index))
            keepLast(index)
            written += Int64(packets.byteCount(of: index))
            mark(written)
        }
    }

    /// Notes the totals of a file of this length.
    private func mark(_ bytes: Int64) {
        let written = Written(totals: totals, end: end, last: output.hasQueue ? last : nil)
        marks.note(written, at: bytes, stored: output.bytesStored)
    }

    /// Remembers the last packet for `patchLast`; a pipe can't be patched.
    private func keepLast(_ index: Int) {
        guard stream.marksLastPacket, output.isSeekable else { return }
        last.removeAll(keepingCapacity: true)
        packets.withBytes(of: index) { last.append(contentsOf: $0) }
    }

    /// Marks the last packet after an output error, since there was no space for the next one.
    private func patchLast() throws(CaptureError) {
        guard failure != nil, !last.isEmpty else { return }
        try output.patch(stream.last(last), at: output.bytesWritten - Int64(last.count))
    }

    /// Writes the header ahead of the first packet, with the totals of an empty file.
    private func writeHead() throws(CaptureError) {
        guard output.bytesWritten == 0 else { return }
        if output.isSeekable { stream.setTotals(totals) }
        try keepingWhole { () throws(CaptureError) in try output.write(stream.head) }
        mark(output.bytesWritten)
    }

    /// Rewrites the header with the totals so far.
    private func patchHead() throws(CaptureError) {
        guard output.isSeekable, output.bytesWritten > 0 else { return }
        stream.setTotals(totals)
        try output.patch(stream.head, at: 0)
    }

    /// Cuts off a partly written packet, and remembers that the output accepts no more.
    private func keepingWhole(_ body: () throws(CaptureError) -> Void) throws(CaptureError) {
        let before = output.bytesWritten
        do {
            try body()
        } catch {
            failure = failure ?? error
            cutBack(to: before)
            throw error
        }
    }

    /// Cuts the file back to its last whole packet, and the totals with it: what waited to be written is lost, too.
    /// - Parameter before: bytes that were whole, or waited.
    private func cutBack(to before: Int64) {
        try? output.settle()
        let whole = marks.last(within: min(before, output.bytesWritten))
        if let written = whole?.value { (totals, end, last) = (written.totals, written.end, written.last ?? last) }
        totals.isComplete = false
        try? output.rewind(to: whole?.end ?? 0)
    }

    func finish(ledger: LossLedger, end reason: EndReason) throws(CaptureError) -> Clip {
        try? flush()
        var (ledger, reason) = (ledger, reason)
        if let failure {
            // Not even the first frame fitted: there is no clip to keep.
            guard totals.frames > 0 || failure.isOfGoneReader else {
                output.discard()
                throw failure
            }
            ledger = ledger.fitted(to: [kept])
            reason = EndReason(ofOutput: failure)
        }
        try patchHead()
        try patchLast()
        try output.finish()
        return Clip(
            path: output.destination.description, format: format, duration: .nanoseconds(end),
            bytes: output.bytesWritten, tracks: tracks, ledger: ledger, end: reason)
    }

    /// Frames of the recording in the file, without the codec's delay.
    private var kept: KeptFrames {
        let delay = tracks[0].frames(lasting: stream.delay)
        let frames = UInt64(max(0, totals.frames - delay))
        return KeptFrames(frames: frames, last: frames == 0 ? nil : end - tracks[0].nanoseconds(ofFrames: 1))
    }

    /// Writes what the encoder holds and what follows the last packet. If that fails, the file is
    /// valid without it.
    private func flush() throws(CaptureError) {
        try stream.finish(into: &packets)
        if let failure { throw failure }
        try store()
        try keepingWhole { () throws(CaptureError) in
            try writeHead()
            try output.write(stream.tail(totals))
            try output.settleToFinish()
        }
    }

    func discard() {
        packets.removeAll()
        output.discard()
    }
}

/// Container that is a header followed by packets: one track, no index.
///
/// ``StreamWriter`` does what all of them share; a stream supplies the bytes.
///
/// *session-bound*
protocol ClipStream: AnyObject {
    /// Bytes ahead of the first packet. Their number never changes, so that the header can be
    /// rewritten in place.
    var head: [UInt8] { get }
    /// Totals of the stream's encoder.
    var counts: EncoderCounts { get }
    /// Rewrites the header after every write, not only at the end, so that a file is valid if the
    /// recorder is killed.
    var keepsHeaderCurrent: Bool { get }
    /// Nanoseconds of packets gathered for one write to a file. A pipe gets every packet at once:
    /// its reader waits for it.
    var gathered: Int64 { get }

    /// Decoder output at the start that is not part of the recording, in nanoseconds.
    var delay: Int64 { get }
    /// Upper bound of the bytes that the encoder holds back.
    var maxBufferedBytes: Int { get }

    /// As ``TrackEncoder/encode(_:at:into:)``.
    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError)
    /// As ``TrackEncoder/finish(into:)``.
    func finish(into packets: inout PacketBuffer) throws(CaptureError)

    /// Puts the totals into the header; called only if the output can be rewritten.
    func setTotals(_ totals: StreamTotals)
    /// The last packet must say that it is the last, which has to be patched in if the disk fills
    /// up early.
    var marksLastPacket: Bool { get }
    /// Marks a packet as the file's last, without changing its size.
    func last(_ packet: [UInt8]) -> [UInt8]
    /// Bytes after the last packet.
    func tail(_ totals: StreamTotals) -> [UInt8]
}

/// Defaults of a stream that is nothing but packets.
extension ClipStream {
    var keepsHeaderCurrent: Bool { false }
    var gathered: Int64 { 0 }
    var delay: Int64 { 0 }
    var maxBufferedBytes: Int { 0 }
    func finish(into packets: inout PacketBuffer) throws(CaptureError) {}
    func setTotals(_ totals: StreamTotals) {}
    func tail(_ totals: StreamTotals) -> [UInt8] { [] }
    var marksLastPacket: Bool { false }
    func last(_ packet: [UInt8]) -> [UInt8] { packet }
}

/// Totals of a stream's file so far.
struct StreamTotals: Hashable {
    /// Video frames, or samples per channel.
    var frames: Int64 = 0
    /// Bytes after the header.
    var bytes: Int64 = 0
    /// All input is in the file; false if the disk was full.
    var isComplete = true
}
