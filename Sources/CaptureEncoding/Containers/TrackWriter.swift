import CaptureBase

/// Writer of a file with several tracks: encodes frames, and gathers packets that are written together.
///
/// A container, which is a subclass, stores packets; encoders, the first error, and the account at the end are the same for all.
/// The properties that each packet touches are final: an accessor that could be overridden allocates in a debug build.
///
/// *session-bound*
class TrackWriter: ClipWriter {
    final let format: ClipFormat
    /// Tracks in the order of the file.
    final let tracks: [ClipTrack]
    /// The same, each with its encoder.
    private let encodedTracks: [EncodedTrack]
    /// The file or pipe.
    final var output: ClipOutput
    final var labels: ClipLabels
    /// Packets of one call, on their way into the file.
    final var packets = PacketBuffer()
    /// End of the packets in the file, in nanoseconds.
    final var end: Int64 = 0
    /// Announced end of the clip, in nanoseconds.
    final var clipEnd: Int64 = 0
    /// First output error; nothing is written after it.
    final var failure: CaptureError?
    /// Chapters that a person set.
    private(set) final var chapters: [ClipChapter] = []
    /// `end` after each piece of the file.
    private var marks = WrittenMarks<Int64>()
    /// Packets that wait for the first key frame of each camera's own stream, which the header describes; `nil` once it can be
    /// written.
    private var early: EarlyPackets?

    /// Makes a writer of tracks whose encoders are begun.
    init(output: consuming ClipOutput, format: ClipFormat, tracks: [EncodedTrack], labels: ClipLabels) {
        self.output = output
        self.format = format
        self.tracks = tracks.map(\.track)
        self.labels = labels
        encodedTracks = tracks
        early = tracks.allSatisfy(\.encoder.isDescribed) ? nil : EarlyPackets()
    }

    // MARK: For containers

    /// Maximum bytes that finishing now would add.
    var pendingBytes: Int64 { 0 }

    /// Stores a packet, or keeps it until more are written with it.
    /// - Parameters:
    ///   - packet: its data, valid during the call.
    ///   - index: of its track.
    ///   - time: presentation time, nanoseconds from the clip's start.
    ///   - duration: nanoseconds.
    ///   - isKey: decoding can start here.
    ///   - discard: nanoseconds at its end that are not to be played.
    func store(
        _ packet: UnsafeRawBufferPointer, of index: Int, at time: Int64, lasting duration: Int64, isKey: Bool,
        discard: Int64
    ) throws(CaptureError) {}

    /// Writes the packets that wait.
    func flush() throws(CaptureError) {}

    /// Writes everything that comes before the packets, unless it is written.
    func writeHead() throws(CaptureError) {}

    /// Describes the tracks again in the part before the packets, which is not written yet: their encoders know more now.
    func describe() {}

    /// Forgets pieces that are not in the file.
    /// - Parameter bytes: of the file.
    func cutBack(to bytes: Int64) {}

    /// Writes values that are only known at the end, as far as there is space for them.
    /// - Parameters:
    ///   - ledger: ledger to store; `nil` for a recovery, whose tags already contain one.
    ///   - reason: reason why the recording ended.
    func complete(_ ledger: LossLedger?, _ reason: EndReason) throws(CaptureError) {}

    /// Notes that a piece is in the file, or waits to be written: only now do its packets count as kept.
    /// - Parameter end: of the packets so far, in nanoseconds.
    final func keep(until end: Int64) {
        self.end = end
        mark()
        for index in 0..<encodedTracks.count {
            encodedTracks[index].keep(output.bytesWritten, stored: output.bytesStored)
        }
    }

    /// Notes that the file is whole up to here.
    final func mark() { marks.note(end, at: output.bytesWritten, stored: output.bytesStored) }

    /// Cuts off a partly written packet, and remembers that the output accepts no more.
    final func keepingWhole(_ body: () throws(CaptureError) -> Void) throws(CaptureError) {
        let before = output.bytesWritten
        do {
            try body()
        } catch {
            throw giveUp(error, before)
        }
    }

    /// Cuts the file back to its last whole element; what waited to be written is lost, too.
    /// - Parameters:
    ///   - error: of the output; kept if it is the first.
    ///   - before: bytes that were whole, or waited.
    /// - Returns: the error.
    final func giveUp(_ error: CaptureError, _ before: Int64) -> CaptureError {
        failure = failure ?? error
        try? output.settle()
        let stored = output.bytesWritten
        guard stored < before else {
            try? output.rewind(to: before)
            return error
        }
        let whole = marks.last(within: stored)
        end = whole?.value ?? 0
        for index in 0..<encodedTracks.count { encodedTracks[index].cutBack(to: whole?.end ?? 0) }
        cutBack(to: whole?.end ?? 0)
        try? output.rewind(to: whole?.end ?? 0)
        return error
    }

    // MARK: ClipWriter

    final var bytesWritten: Int64 { output.bytesWritten }

    final func counts(of track: Int) -> EncoderCounts { encodedTracks[track].encoder.counts }

    final func write(_ data: RawSpan, to track: Int, at nanoseconds: Int64) throws(CaptureError) {
        try checkTrack(track)
        if let failure { throw failure }
        if early == nil, try pass(data, of: track, at: max(nanoseconds, 0)) { return }
        packets.removeAll()
        try encodedTracks[track].encoder.encode(data, at: max(nanoseconds, 0), into: &packets)
        try store(of: track)
    }

    /// Stores a frame from the driver's buffer.
    /// - Returns: false for a frame that must be encoded.
    private func pass(_ data: RawSpan, of track: Int, at time: Int64) throws(CaptureError) -> Bool {
        guard let encoder = encodedTracks[track].passing, let place = encoder.pass(data) else { return false }
        let duration = encoder.format.frameRate.frameNanoseconds
        try data.extracting(place).withUnsafeBytes { (picture) throws(CaptureError) in
            try store(picture, of: track, at: time, lasting: duration, isKey: true, discard: 0)
        }
        return true
    }

    /// Stores the packets of a track's encoder.
    final func store(of track: Int) throws(CaptureError) {
        if let early {
            early.keep(packets, of: track)
            if early.isFull || isDescribed { try storeEarly() }
            return
        }
        for index in 0..<packets.count {
            try packets.withBytes(of: index) { (packet) throws(CaptureError) in
                try store(
                    packet, of: track, at: packets.time(of: index), lasting: packets.duration(of: index),
                    isKey: packets.isKey(index), discard: packets.discard(of: index))
            }
        }
    }

    private var isDescribed: Bool { encodedTracks.allSatisfy(\.encoder.isDescribed) }

    /// Stores the packets that waited: all encoders know what the header says of them, or one never will.
    private func storeEarly() throws(CaptureError) {
        guard let waiting = early else { return }
        early = nil
        describe()
        try waiting.replay { (packet, early) throws(CaptureError) in
            try store(
                packet, of: early.track, at: early.time, lasting: early.duration, isKey: early.isKey,
                discard: early.discard)
        }
    }

    /// Leaves no file behind.
    final func discard() { output.discard() }

    /// Minimum duration of the clip, even if nothing more is stored: its last frame lasts until then.
    final func extend(to nanoseconds: Int64) { clipEnd = max(clipEnd, nanoseconds) }

    final func add(_ chapter: ClipChapter) { chapters.append(chapter) }

    final func finish(ledger: LossLedger, end reason: EndReason) throws(CaptureError) -> Clip {
        try finish(ledger: ledger, tagged: ledger, end: reason)
    }

    /// Writes the end of the file, and gives the file its name.
    /// - Parameters:
    ///   - ledger: ledger of the clip.
    ///   - tagged: the ledger to store; `nil` for a recovery, whose tags already contain one.
    ///   - reason: reason why the recording ended.
    /// - Throws: as ``ClipWriter/finish(ledger:end:)``. A recovery throws an earlier output error, too, since its source still
    ///   exists.
    final func finish(ledger: LossLedger, tagged: LossLedger?, end reason: EndReason) throws(CaptureError) -> Clip {
        // An error is in `failure`, and decided on below.
        try? flushEncoders()
        var (ledger, tagged, reason) = (ledger, tagged, reason)
        if let failure {
            let kept = encodedTracks.map(\.keptFrames)
            // Not even one frame fitted: there is no clip to keep.
            guard kept.contains(where: { $0.frames > 0 }) || failure.isOfGoneReader else {
                output.discard()
                throw failure
            }
            ledger = ledger.fitted(to: kept)
            tagged = tagged?.fitted(to: kept)
            reason = EndReason(ofOutput: failure)
        } else {
            // Only of a whole file: frames that are missing at the end are not to be waited for.
            end = max(end, clipEnd)
        }
        // A clip without a single frame still gets its header.
        try keepingWhole { () throws(CaptureError) in try writeHead() }
        try complete(tagged, reason)
        try output.finish()
        return Clip(
            path: output.destination.description, format: format, duration: .nanoseconds(end),
            bytes: output.bytesWritten, tracks: tracks, ledger: ledger, end: reason)
    }

    /// Stores what the encoders hold. If that fails, the file is valid without it.
    private func flushEncoders() throws(CaptureError) {
        for index in 0..<encodedTracks.count {
            packets.removeAll()
            try encodedTracks[index].encoder.finish(into: &packets)
            if failure == nil { try store(of: index) }
        }
        if failure == nil { try storeEarly() }
        if failure == nil { try flush() }
        if failure == nil { try keepingWhole { () throws(CaptureError) in try output.settleToFinish() } }
    }
}

/// Packets ahead of a file's header, in memory.
///
/// *session-bound*
private final class EarlyPackets {
    /// Packet of a track, as the container gets it.
    struct Packet {
        let track: Int
        let time: Int64
        let duration: Int64
        let isKey: Bool
        let discard: Int64
        let end: Int
    }

    private var packets: [Packet] = []
    /// Data of all of them, one after another.
    private var bytes: [UInt8] = []

    /// Maximum bytes that wait: a minute and a half of stereo at 48 kHz, or about a hundred of another camera's frames.
    private static let most = 32 << 20

    /// True once no more should wait: the header then lacks a stream that has not begun.
    var isFull: Bool { bytes.count > Self.most }

    func keep(_ buffer: borrowing PacketBuffer, of track: Int) {
        for index in 0..<buffer.count {
            buffer.withBytes(of: index) { bytes.append(contentsOf: $0) }
            packets.append(
                Packet(
                    track: track, time: buffer.time(of: index), duration: buffer.duration(of: index),
                    isKey: buffer.isKey(index), discard: buffer.discard(of: index), end: bytes.count))
        }
    }

    /// Lends each of them, in the order in which they came.
    func replay(
        _ body: (UnsafeRawBufferPointer, Packet) throws(CaptureError) -> Void
    ) throws(CaptureError) {
        var start = 0
        for packet in packets {
            try bytes[start..<packet.end].withContiguousBytes { (data) throws(CaptureError) in try body(data, packet) }
            start = packet.end
        }
    }
}

extension EncodedTrack {
    /// Begins the encoders of a clip's tracks.
    /// - Parameters:
    ///   - tracks: of the clip.
    ///   - settings: of the encoders.
    ///   - make: makes the container's track of a number from 1 upwards.
    /// - Throws: `.usage` for more than 100 tracks, or a format that a codec can't hold.
    static func begin<Track: EncodedTrack>(
        _ tracks: [ClipTrack], _ settings: EncoderSettings,
        _ make: (Int, ClipTrack, any TrackEncoder) throws(CaptureError) -> Track
    ) throws(CaptureError) -> [Track] {
        // The number of a track then fits into the one byte of Matroska's blocks.
        guard tracks.count <= 100 else { throw CaptureError(.usage, "A clip can have up to 100 tracks.") }
        var begun: [Track] = []
        for (index, track) in tracks.enumerated() {
            let encoder = settings.encoder(for: track)
            try encoder.begin()
            begun.append(try make(index + 1, track, encoder))
        }
        return begun
    }
}
