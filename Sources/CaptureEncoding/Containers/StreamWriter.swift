import CaptureGate

/// Writes a stream of one track: every packet whole, or not at all.
///
/// *session-bound*
final class StreamWriter<Stream: ClipStream>: FailableWriter {
    let format: ClipFormat
    let tracks: [ClipTrack]

    private var output: ClipOutput
    private let stream: Stream
    private var packets = PacketBuffer()
    private var totals = StreamTotals()
    private var end: Int64 = 0
    /// The bytes of the last packet in the file, where they may have to be changed.
    private var last: [UInt8] = []
    private(set) var failure: CaptureError?
    /// Repeats of pictures that the encoder has skipped.
    private var skippedAgain: UInt64 = 0

    init(output: consuming ClipOutput, format: ClipFormat, tracks: [ClipTrack], stream: Stream) {
        self.output = output
        self.format = format
        self.tracks = tracks
        self.stream = stream
    }

    deinit {
        // What was gathered of a recording that nobody finishes.
        try? store()
    }

    var bytesWritten: Int64 { output.bytesWritten }

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

    /// Encodes the picture once.
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

    private func storePackets() throws(CaptureError) {
        try writeHead()
        // Where there is no room for all, as much as there is room for.
        if (try? write(0..<packets.count)) == nil {
            for index in 0..<packets.count {
                try keepingWhole { () throws(CaptureError) in try write(index..<index + 1) }
            }
        }
        if stream.keepsHeaderCurrent { try patchHead() }
    }

    private func write(_ range: Range<Int>) throws(CaptureError) {
        let before = output.bytesWritten
        do {
            try packets.withBytes(of: range) { (bytes) throws(CaptureError) in try output.write(bytes) }
        } catch {
            try output.rewind(to: before)
            throw error
        }
        keepLast(range.upperBound - 1)
        for index in range {
            totals.frames += tracks[0].frames(lasting: packets.duration(of: index))
            totals.bytes += Int64(packets.byteCount(of: index))
            end = max(end, packets.time(of: index) + packets.duration(of: index))
        }
    }

    private func keepLast(_ index: Int) {
        guard stream.marksLastPacket, output.isSeekable else { return }
        last.removeAll(keepingCapacity: true)
        packets.withBytes(of: index) { last.append(contentsOf: $0) }
    }

    /// What was to come behind the last packet had no room.
    private func patchLast() throws(CaptureError) {
        guard failure != nil, !last.isEmpty else { return }
        try output.patch(stream.last(last), at: output.bytesWritten - Int64(last.count))
    }

    private func writeHead() throws(CaptureError) {
        guard output.bytesWritten == 0 else { return }
        if output.isSeekable { stream.setTotals(totals) }
        try keepingWhole { () throws(CaptureError) in try output.write(stream.head) }
    }

    private func patchHead() throws(CaptureError) {
        guard output.isSeekable, output.bytesWritten > 0 else { return }
        stream.setTotals(totals)
        try output.patch(stream.head, at: 0)
    }

    /// Cuts off what was half written, and remembers that the output is no longer usable.
    private func keepingWhole(_ body: () throws(CaptureError) -> Void) throws(CaptureError) {
        let before = output.bytesWritten
        do {
            try body()
        } catch {
            failure = error
            totals.isComplete = false
            try? output.rewind(to: before)
            throw error
        }
    }

    func finish(ledger: LossLedger, end reason: EndReason) throws(CaptureError) -> Clip {
        try? flush()
        var (ledger, reason) = (ledger, reason)
        if let failure {
            // Not even the first frame had room.
            guard totals.frames > 0 else {
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
            path: output.destination.description, format: format, durationNanoseconds: end,
            bytes: output.bytesWritten, tracks: tracks, ledger: ledger, end: reason)
    }

    private var kept: KeptFrames {
        let delay = tracks[0].frames(lasting: stream.delay)
        let frames = UInt64(max(0, totals.frames - delay))
        return KeptFrames(frames: frames, last: frames == 0 ? nil : end - tracks[0].nanoseconds(ofFrames: 1))
    }

    /// What fails here leaves the file as it was before; it is whole without.
    private func flush() throws(CaptureError) {
        try stream.finish(into: &packets)
        if let failure { throw failure }
        try store()
        try keepingWhole { () throws(CaptureError) in
            try writeHead()
            try output.write(stream.tail(totals))
        }
    }

    func discard() {
        packets.removeAll()
        output.discard()
    }
}

/// A format that is a head and then one packet after the other.
///
/// *session-bound*
protocol ClipStream: AnyObject {
    /// The bytes before the first packet; always as many.
    var head: [UInt8] { get }
    var counts: EncoderCounts { get }
    /// Whether the head must be right whenever something was written, not only at the end.
    var keepsHeaderCurrent: Bool { get }
    /// How much is gathered before it is written to a file, nanoseconds; a pipe gets everything at once.
    var gathered: Int64 { get }

    /// What a decoder leaves out at the start, nanoseconds.
    var delay: Int64 { get }
    /// The most bytes that wait in the encoder for more to come.
    var maxBufferedBytes: Int { get }

    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError)
    func finish(into packets: inout PacketBuffer) throws(CaptureError)

    /// Puts into the head what is known by now; called only where the head can be written again.
    func setTotals(_ totals: StreamTotals)
    /// Whether a file that ends early, on a full disk, needs its last packet changed.
    var marksLastPacket: Bool { get }
    /// The same packet, as long, as the file's last one.
    func last(_ packet: [UInt8]) -> [UInt8]
    /// The bytes behind the last packet.
    func tail(_ totals: StreamTotals) -> [UInt8]
}

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

/// What a stream's file holds by now.
struct StreamTotals: Hashable {
    var frames: Int64 = 0
    /// Behind the head.
    var bytes: Int64 = 0
    /// Whether all that went in is there; else the disk was full.
    var isComplete = true
}
