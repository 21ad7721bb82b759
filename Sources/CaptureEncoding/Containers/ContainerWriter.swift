import CaptureBase

/// Writer of a container of the program's own.
///
/// *session-bound*
final class ContainerWriter: TrackWriter {
    private let container: any ClipContainer
    /// Name of its format.
    private let name: String
    private let encodedTracks: [EncodedTrack]
    /// Bytes of the head in the file.
    private var headBytes = 0
    /// Packets that wait to be written, and the time of the first of them and of the end of the last, in nanoseconds.
    private var waiting: [UInt8] = []
    private var start: Int64 = 0
    private var packetsEnd: Int64 = 0

    /// Bytes that are written at once, whatever their time.
    private static let most = 1 << 20

    /// - Throws: `.usage` for tracks that the container or a codec can't hold.
    init(
        output: consuming ClipOutput, container: any ClipContainer, name: String, tracks: [ClipTrack],
        labels: ClipLabels,
        settings: EncoderSettings
    ) throws(CaptureError) {
        self.container = container
        self.name = name
        encodedTracks = try EncodedTrack.begin(tracks, settings) { (number, track, encoder) throws(CaptureError) in
            EncodedTrack(number: number, track: track, encoder: encoder)
        }
        super.init(output: output, format: .own, tracks: encodedTracks, labels: labels)
        // What it can't hold shows before anything is captured.
        _ = try container.head(of: file())
    }

    private func file(_ result: ContainerFile.Result? = nil) -> ContainerFile {
        ContainerFile(
            tracks: encodedTracks.map { ContainerFile.Track(track: $0.track, codec: $0.encoder.description) },
            labels: labels, chapters: chapters, duration: .nanoseconds(end),
            packetBytes: max(0, output.bytesWritten - Int64(headBytes)), result: result)
    }

    override var pendingBytes: Int64 {
        Int64(waiting.count + encodedTracks.reduce(0) { $0 + $1.maxBufferedBytes })
    }

    override func store(
        _ packet: UnsafeRawBufferPointer, of index: Int, at time: Int64, lasting duration: Int64, isKey: Bool,
        discard: Int64
    ) throws(CaptureError) {
        if waiting.isEmpty { start = time }
        let description = ContainerPacket(
            track: index, time: .nanoseconds(time), duration: .nanoseconds(duration), isKey: isKey,
            discard: .nanoseconds(discard))
        let whole = waiting.count
        do throws(CaptureError) {
            try container.store(description, packet.bytes, in: &waiting)
        } catch {
            waiting.removeSubrange(min(whole, waiting.count)...)
            try? flush()
            throw giveUp(error, output.bytesWritten)
        }
        packetsEnd = max(packetsEnd, time + duration)
        encodedTracks[index].note(until: time + duration, lasting: duration)
        if !output.isSeekable || packetsEnd - start >= limit || waiting.count >= Self.most { try flush() }
    }

    /// Time of the packets that are written in one piece.
    private var limit: Int64 { output.bytesWritten == 0 ? WriteInterval.first : WriteInterval.longest }

    override func flush() throws(CaptureError) {
        guard !waiting.isEmpty else { return }
        let before = output.bytesWritten
        do throws(CaptureError) {
            try writeHead()
            try output.write(waiting)
        } catch {
            throw giveUp(error, before)
        }
        keep(until: packetsEnd)
        waiting.removeAll(keepingCapacity: true)
    }

    override func writeHead() throws(CaptureError) {
        guard output.bytesWritten == 0 else { return }
        let head = try container.head(of: file())
        headBytes = head.count
        try output.write(head)
        mark()
    }

    override func complete(_ ledger: LossLedger?, _ reason: EndReason) throws(CaptureError) {
        let file = file(ledger.map { ContainerFile.Result(ledger: $0, end: reason) })
        let tail = container.tail(of: file)
        if failure == nil, !tail.isEmpty {
            // A file without it is what a full disk leaves.
            try? keepingWhole { () throws(CaptureError) in try output.write(tail) }
        }
        guard output.isSeekable else { return }
        let head = try container.head(of: file)
        guard head.count == headBytes else {
            throw CaptureError(
                .usage,
                "The header of \(name) changed its size from \(headBytes) to \(head.count) bytes.")
        }
        try output.patch(head, at: 0)
    }
}
