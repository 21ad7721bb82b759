import CaptureBase
import LinuxSystem

/// MP4 file (ISO/IEC 14496-12 and 14496-14) that can be read up to its last complete fragment at any moment.
///
/// While it grows it is a movie of fragments: `ftyp`, `free`, `moov`, then `moof` and `mdat` at least once a second (the first
/// after a quarter of one), each written at once. A clip that ends gets a `moov` with tables of all samples. It is in the `free`
/// box before everything else, so that a player that downloads the file can begin at once. That box has space for two minutes, and
/// is enlarged if the file system can insert blocks; otherwise the `moov` of a longer clip comes last. One write of four bytes
/// turns the file from one kind into the other: the size of a `free` box, after which either the movie of fragments follows, or
/// the final one and an `mdat` that contains all fragments. A failure before that write leaves the movie of fragments.
///
/// An output that can't be rewritten stays a movie of fragments.
///
/// *session-bound*
final class MP4Writer: TrackWriter {
    private let mp4Tracks: [MP4Track]
    /// Nanoseconds since 1970 in UTC.
    private let startedAt: Int64

    /// Box of the pending fragment, whose memory is reused, and the fragment's number from 1.
    private var fragment = GrowingBuffer(capacity: 1 << 14)
    private var sequence = 1
    /// Time of the pending fragment's first packet, and end of the last one, in nanoseconds.
    private var fragmentStart: Int64?
    private var fragmentEnd: Int64 = 0
    private var fragmentBytes = 0

    /// Boxes ahead of the first fragment.
    private var head: [UInt8]
    /// Bytes of the `free` box in them; 0 for an output that can't be rewritten.
    private let room: Int

    /// Bytes at which a fragment ends early.
    private static let usualLimit = 4 << 20

    /// Begins a clip's encoders; the head is written with the first fragment.
    /// - Throws: `.usage` for more than 100 tracks, or a codec or format that can't be stored.
    convenience init(
        output: consuming ClipOutput, tracks: [ClipTrack], labels: ClipLabels, settings: EncoderSettings
    ) throws(CaptureError) {
        let begun: [MP4Track] = try EncodedTrack.begin(tracks, settings) {
            (number, track, encoder) throws(CaptureError) in
            try MP4Track(number: number, track: track, encoder: encoder)
        }
        self.init(
            output: output, tracks: begun, labels: labels, startedAt: SystemClock.realtime.now,
            room: MP4Head.room(for: begun, labels))
    }

    /// Makes a writer of tracks whose encoders are begun.
    /// - Parameter room: bytes that are kept ahead for the final `moov`, at least ``MP4Head/leastRoom``.
    init(output: consuming ClipOutput, tracks: [MP4Track], labels: ClipLabels, startedAt: Int64, room: Int) {
        self.room = output.isSeekable ? room : 0
        self.startedAt = startedAt
        mp4Tracks = tracks
        head = MP4Head.growing(tracks, labels, startedAt, room: self.room)
        super.init(output: output, format: .mp4, tracks: tracks, labels: labels)
    }

    /// Head, pending fragment, encoder contents, and the final `moov` if it does not fit ahead.
    override var pendingBytes: Int64 {
        let head = output.bytesWritten == 0 ? self.head.count : 0
        let held = mp4Tracks.reduce(0) { $0 + $1.maxBufferedBytes + $1.fragmentByteCount }
        let movie = mp4Tracks.reduce(4096 + ClipTags.byteCount(tracks, labels, chapters)) { $0 + $1.table.byteCount }
        return Int64(head + fragmentBytes + held + MP4Head.fragmentHeadBytes + (movie > room ? movie : 0))
    }

    override func store(
        _ packet: UnsafeRawBufferPointer, of index: Int, at time: Int64, lasting duration: Int64, isKey: Bool,
        discard: Int64
    ) throws(CaptureError) {
        let track = mp4Tracks[index]
        let ticks = track.duration(of: packet, lasting: duration, discard: discard)
        try store(packet, for: track, at: track.nextStart(time), lasting: ticks, of: duration, isKey: isKey)
    }

    /// Puts a packet into the pending fragment.
    /// - Parameters:
    ///   - packet: its data.
    ///   - track: of the packet.
    ///   - start: tick of the track.
    ///   - ticks: duration of what a decoder plays of it.
    ///   - duration: nanoseconds of the recording in it.
    ///   - isKey: decoding can start here.
    func store(
        _ packet: UnsafeRawBufferPointer, for track: MP4Track, at start: Int64, lasting ticks: Int64,
        of duration: Int64, isKey: Bool
    ) throws(CaptureError) {
        let time = track.nanoseconds(start)
        if mustEnd(before: time, packet.count) || isKey && track.hasDependent {
            try flush(until: track.track.kind == .video ? time : 0)
        }
        track.append(packet, at: start, lasting: ticks, isKey: isKey)
        fragmentStart = min(fragmentStart ?? time, time)
        fragmentEnd = max(fragmentEnd, time + duration)
        fragmentBytes += packet.count
        track.note(until: time + duration, lasting: duration)
        // One more packet like this would exceed the limit.
        if let fragmentStart, time + 2 * duration - fragmentStart > limit { try flush() }
    }

    /// Nanoseconds of the pending fragment.
    private var limit: Int64 { output.bytesWritten == 0 ? WriteInterval.first : WriteInterval.longest }

    private func mustEnd(before time: Int64, _ size: Int) -> Bool {
        guard let fragmentStart else { return false }
        return time - fragmentStart >= limit || fragmentBytes + size > Self.usualLimit
    }

    override func flush() throws(CaptureError) { try flush(until: 0) }

    /// Writes the pending fragment.
    /// - Parameter time: minimum end of its last video frame, in nanoseconds.
    private func flush(until time: Int64) throws(CaptureError) {
        guard fragmentStart != nil else { return }
        let before = output.bytesWritten
        let dataAt: Int64
        // Not by keepingWhole, whose closure would be an allocation.
        do throws(CaptureError) {
            try writeHead()
            buildFragment(until: time)
            dataAt = output.bytesWritten + Int64(fragment.count)
            try output.write(fragment.bytes)
            for index in 0..<mp4Tracks.count { try output.write(mp4Tracks[index].data.bytes) }
        } catch {
            throw giveUp(error, before)
        }
        keepFragment(dataAt)
    }

    /// Adds the fragment to the tables: only now do its packets count as kept.
    private func keepFragment(_ dataAt: Int64) {
        keep(until: fragmentEnd)
        var at = dataAt
        for index in 0..<mp4Tracks.count {
            let count = Int64(mp4Tracks[index].data.count)
            mp4Tracks[index].store(at: at)
            at += count
        }
        fragmentStart = nil
        fragmentBytes = 0
        sequence += 1
    }

    /// MovieFragmentBox (ISO/IEC 14496-12, 8.8.4), and the header of its MediaDataBox.
    private func buildFragment(until time: Int64) {
        // By index: iterating allocates in a debug build.
        var size = MP4Head.fragmentHeadBytes - 8
        for index in 0..<mp4Tracks.count { size += mp4Tracks[index].fragmentByteCount }
        fragment.count = 0
        fragment.reserve(size + 8)
        fragment.put(size, width: 4)
        fragment.put(Int(MP4Type.fragment.rawValue), width: 4)
        fragment.put(16, width: 4)
        fragment.put(Int(MP4Type.fragmentHeader.rawValue), width: 4)
        // Version and flags, then the number.
        fragment.put(0, width: 4)
        fragment.put(sequence, width: 4)
        var dataAt = size + 8
        for index in 0..<mp4Tracks.count {
            let track = mp4Tracks[index]
            let end = track.track.kind == .video ? track.ticks(time) : 0
            track.appendFragment(to: &fragment, dataAt: dataAt, until: end)
            dataAt += track.data.count
        }
        fragment.put(8 + fragmentBytes, width: 4)
        fragment.put(Int(MP4Type.mediaData.rawValue), width: 4)
    }

    override func describe() { head = MP4Head.growing(mp4Tracks, labels, startedAt, room: room) }

    /// Writes the head ahead of the first fragment.
    override func writeHead() throws(CaptureError) {
        guard output.bytesWritten == 0 else { return }
        try output.write(head)
        mark()
    }

    /// Makes the file one with tables of all samples, if there is room for them, or leaves it a movie of fragments.
    override func complete(_ ledger: LossLedger?, _ reason: EndReason) throws(CaptureError) {
        let tags = ClipTags(tracks: tracks, labels: labels, ledger: ledger, end: reason, set: chapters)
        if ledger == nil, let failure { throw failure }
        guard output.isSeekable else { return }
        let movie = MP4Movie(
            tracks: mp4Tracks, tags: tags, startedAt: startedAt, end: failure == nil ? clipEnd : 0)
        do throws(CaptureError) {
            let dataEnd = output.bytesWritten
            let inserted = failure == nil ? widenRoom(for: movie) : 0
            let bytes = movie.bytes(shiftedBy: inserted)
            let isAhead = bytes.count + MP4Head.leastRoom <= room + Int(inserted)
            if !isAhead { try keepingWhole { () throws(CaptureError) in try output.write(bytes) } }
            try fillRoom(with: isAhead ? bytes : [], of: room + Int(inserted), until: dataEnd + inserted)
        } catch {
            // The fragments are a whole file, and keep its name; a recovery still has its source.
            failure = failure ?? error
            if ledger == nil { throw error }
        }
    }
}

extension MP4Writer {
    /// Inserts as many blocks into the `free` box as the final movie needs more, where the file system can. Its size is wrong
    /// until it is filled in the next moment: a reader that comes between finds an end of the file there, and a recovery all.
    /// - Returns: bytes inserted.
    private func widenRoom(for movie: MP4Movie) -> Int64 {
        let block = ClipOutput.insertedBlock
        guard Int64(MP4Head.fileType.count + room) > block else { return 0 }
        var missing: Int64 = 0
        // Offsets may need 64 bits only when all has moved on.
        for _ in 0..<2 {
            let needed = Int64(movie.bytes(shiftedBy: missing).count + MP4Head.leastRoom - room)
            missing = max(needed + block - 1, 0) / block * block
        }
        return missing > 0 && output.insertZeros(missing, at: block) ? missing : 0
    }

    /// Overwrites the `free` box with the final movie, and the header of an `mdat` that has all up to `dataEnd`.
    private func fillRoom(with movie: [UInt8], of room: Int, until dataEnd: Int64) throws(CaptureError) {
        let freeAt = Int64(MP4Head.fileType.count)
        let rest = room - 8 - movie.count - MP4Head.mediaHeadBytes
        let media = MP4Head.media(Int(dataEnd - freeAt) - room + MP4Head.mediaHeadBytes)
        // Readers ignore the bytes after the first eight until those are written.
        try output.patch(movie + MP4Head.free(rest) + media, at: freeAt + 8)
        try output.patch(MP4Head.free(8), at: freeAt)
    }
}

/// Boxes ahead of a file's fragments.
enum MP4Head {
    /// All of them.
    /// - Parameters:
    ///   - tracks: with what their encoders know so far.
    ///   - labels: of the clip.
    ///   - startedAt: nanoseconds since 1970 in UTC.
    ///   - room: bytes of the `free` box.
    static func growing(_ tracks: [MP4Track], _ labels: ClipLabels, _ startedAt: Int64, room: Int) -> [UInt8] {
        let tags = ClipTags(tracks: tracks.map(\.track), labels: labels)
        let movie = MP4Movie(tracks: tracks, tags: tags, startedAt: startedAt, end: nil)
        return fileType + free(room) + movie.bytes()
    }

    /// FileTypeBox (ISO/IEC 14496-12, 4.3): `iso6` has fragments whose offsets count from their start, and their times in 64
    /// bits; `mp41` has descriptors of MPEG-4.
    static var fileType: [UInt8] {
        var boxes = MP4Boxes()
        boxes.box(.fileType) { box in
            box.put(MP4Type("isom"))
            box.put(0x200, 4)
            for brand in [MP4Type("isom"), MP4Type("iso2"), MP4Type("iso6"), MP4Type("mp41"), MP4Type("mp42")] {
                box.put(brand)
            }
        }
        return boxes.bytes
    }

    /// FreeSpaceBox (ISO/IEC 14496-12, 8.1.2) of a size, its header included; nothing for 0.
    static func free(_ size: Int) -> [UInt8] {
        guard size >= 8 else { return [] }
        var boxes = MP4Boxes()
        boxes.box(.free) { $0.zeros(size - 8) }
        return boxes.bytes
    }

    /// Header of a MediaDataBox in 64 bits.
    static func media(_ size: Int) -> [UInt8] {
        var boxes = MP4Boxes()
        boxes.put(1, 4)
        boxes.put(.mediaData)
        boxes.put(size, 8)
        return boxes.bytes
    }

    /// Bytes of such a header.
    static let mediaHeadBytes = 16
    /// Bytes of `moof` and `mdat` beside those of tracks: two headers and `mfhd`.
    static let fragmentHeadBytes = 8 + 16 + 8
    /// Bytes of the room beside the final `moov`: two `free` boxes and the header of the `mdat`.
    static let leastRoom = 8 + 8 + mediaHeadBytes

    /// Bytes to keep for the final `moov`: enough for two minutes, whose file is large beside it.
    static func room(for tracks: [MP4Track], _ labels: ClipLabels) -> Int {
        let tables = tracks.reduce(0) { sum, track in
            // Twelve bytes per frame, for at most a second; for audio, about 50 packets of four bytes.
            let rate = track.track.video.map { 12 * Int($0.frameRate.framesPerSecond.rounded(.up)) } ?? 200
            return sum + 120 * min(rate, 3000) + 1024
        }
        let most = tables + ClipTags.byteCount(tracks.map(\.track), labels) + leastRoom
        return (most + 4095) / 4096 * 4096
    }
}
