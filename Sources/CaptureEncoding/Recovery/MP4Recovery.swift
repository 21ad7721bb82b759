import CaptureBase

/// Recovery of MP4: every complete sample of a fragment is written to a new file, which is finished.
///
/// A fragment's samples are found by its `moof`, so if its `mdat` is torn, only the missing part is lost. After damage, reading
/// continues at the next fragment. A file that was finished except for its name still has its fragments, in an `mdat`.
///
/// *session-bound*
final class MP4Recovery: Recoverer {
    private let source: RecoverySource
    private var findings = RecoveryFindings()
    private let writer: MP4Writer
    private var head: RecoveredMP4Header
    /// End of all samples in nanoseconds.
    private var end: Int64 = 0
    private var hasSamples = false

    static func recover(
        _ source: RecoverySource, into output: consuming ClipOutput, noting findings: inout RecoveryFindings
    ) throws(CaptureError) -> Int64 {
        let recovery = try MP4Recovery(source, output)
        try recovery.copyFragments()
        let bytes = try recovery.finish()
        findings = recovery.findings
        return bytes
    }

    private init(_ source: RecoverySource, _ output: consuming ClipOutput) throws(CaptureError) {
        self.source = source
        head = try RecoveredMP4Header(source)
        let labels = ClipTags.recovered(head.tags, title: head.title)
        // Not more than the source has itself, however its head was damaged.
        let room = min(MP4Head.room(for: head.tracks, labels), max(Int(source.size / 2), MP4Head.leastRoom))
        writer = MP4Writer(
            output: output, tracks: head.tracks, labels: labels, startedAt: head.startedAt, room: room)
        findings.tracks = head.tracks.map {
            RecoveredTrack(kind: $0.track.kind, name: $0.track.name, frames: 0, duration: .zero)
        }
    }

    /// Reads the boxes after the movie of fragments.
    private func copyFragments() throws(CaptureError) {
        var at = head.end
        while at < source.size {
            guard let box = try source.box(at: at) else {
                at = try resynchronize(from: at)
                continue
            }
            switch box.type {
            case .fragment where box.end <= source.size: at = try copyFragment(box)
            case .free, .movie, .mediaData, .meta:
                // Tables and tags are created again, so a torn one is not a loss.
                guard box.end <= source.size else {
                    at = try nextFragment(from: at) == nil ? source.size : resynchronize(from: at)
                    continue
                }
                if box.type == .movie { try readTags(box) }
                at = box.end
            default: at = try resynchronize(from: at)
            }
        }
    }

    /// Reads the final movie of a file that was finished but for its name.
    private func readTags(_ box: MP4BoxHead) throws(CaptureError) {
        let content = try source.read(at: box.contentAt, Int(min(box.end - box.contentAt, Self.mostBytes)))
        head.readTags(ofMovie: content[...])
        writer.labels = ClipTags.recovered(head.tags, title: head.title)
    }

    /// Notes the bytes up to the next fragment as lost.
    /// - Returns: offset of the next fragment, or the file's end.
    private func resynchronize(from start: Int64) throws(CaptureError) -> Int64 {
        let next = try nextFragment(from: start + 1)
        findings.note(lost: start, (next ?? source.size) - start, next == nil ? .tornEnd : .damaged)
        return next ?? source.size
    }

    /// Finds a `moof` whose first box is its header; the type alone may occur in a packet.
    private func nextFragment(from start: Int64) throws(CaptureError) -> Int64? {
        var at = start + 4
        while let found = try source.find(MP4Type.fragment.bytes, from: at, before: source.size) {
            if try source.box(at: found - 4) != nil, try source.box(at: found + 4)?.type == .fragmentHeader {
                return found - 4
            }
            at = found + 1
        }
        return nil
    }

    /// Bytes beyond which no frame and no head of a fragment goes.
    private static let mostBytes: Int64 = 256 << 20

    /// Copies the samples of a fragment in the order of time.
    /// - Returns: the offset to continue at: after the last sample's data.
    private func copyFragment(_ box: MP4BoxHead) throws(CaptureError) -> Int64 {
        let content = try source.read(at: box.contentAt, Int(min(box.end - box.contentAt, Self.mostBytes)))
        var fragment = RecoveredFragment(start: box.start)
        for (type, traf) in MP4Children(content[...]) where type == .trackFragment {
            fragment.read(traf, of: head.tracks, until: end)
        }
        guard !fragment.isDamaged, !fragment.samples.isEmpty else {
            findings.note(lost: box.start, box.end - box.start, .damaged)
            return box.end
        }
        var torn: Int64?
        for sample in fragment.samples.sorted(by: { ($0.time, $0.offset) < ($1.time, $1.offset) }) {
            if sample.offset + Int64(sample.size) > source.size {
                torn = min(torn ?? .max, sample.offset)
            } else if try !take(sample) {
                findings.note(lost: sample.offset, Int64(sample.size), .damaged)
            }
        }
        if let torn {
            // If not even a part of a sample exists, only the fragment's head is left of it.
            let isEmpty = torn >= source.size
            findings.note(
                lost: isEmpty ? box.start : torn, isEmpty ? box.end - box.start : source.size - torn, .tornEnd)
        }
        return min(max(fragment.samples.map { $0.offset + Int64($0.size) }.max() ?? 0, box.end), source.size)
    }

    /// Checks a sample and stores its packet.
    /// - Returns: false for a damaged one, as far as its codec shows it.
    private func take(_ sample: RecoveredSample) throws(CaptureError) -> Bool {
        let track = head.tracks[sample.track]
        let packet = try source.read(at: sample.offset, sample.size)[...]
        guard let codec = track.encoder as? RecoveredCodec, let frames = codec.frames(in: packet, of: track.track)
        else { return false }
        let duration = track.nanoseconds(sample.duration)
        let start = track.start(from: sample.start)
        try packet.withContiguousBytes { (bytes) throws(CaptureError) in
            try writer.store(
                bytes, for: track, at: start, lasting: sample.duration, of: duration, isKey: sample.isKey)
        }
        hasSamples = true
        findings.tracks[sample.track].frames += frames
        let time = track.nanoseconds(start + sample.duration)
        end = max(end, time)
        findings.tracks[sample.track].duration = max(
            findings.tracks[sample.track].duration, .nanoseconds(max(time - codec.description.delay, 0)))
        return true
    }

    /// Finishes the new file; a recording that was killed ended with a failure.
    private func finish() throws(CaptureError) -> Int64 {
        guard hasSamples || findings.lostBytes == 0 else { throw source.broken("it has no complete fragment") }
        let end = EndReason(rawValue: head.tags[ClipTags.endReason] ?? "") ?? .failure
        return try writer.finish(ledger: LossLedger(), tagged: nil, end: end).bytes
    }
}

/// Sample as described by the head of its fragment.
struct RecoveredSample {
    /// Index of the track.
    let track: Int
    let offset: Int64
    let size: Int
    /// Ticks of the track.
    let start: Int64
    let duration: Int64
    /// Start in nanoseconds.
    let time: Int64
    let isKey: Bool
}

/// Samples of a fragment, read without trust.
struct RecoveredFragment {
    /// Offset of the `moof`, from which those of the data count.
    let start: Int64
    private(set) var samples: [RecoveredSample] = []
    /// Some contents can't be from this package.
    private(set) var isDamaged = false

    /// Longest gap in nanoseconds; a recording without data for longer would have ended.
    private static let longestPause: Int64 = 3_600_000_000_000
    /// Longest fragment in nanoseconds, its last sample apart.
    private static let longest: Int64 = 1_000_000_000

    init(start: Int64) { self.start = start }

    /// Reads TrackFragmentBox (ISO/IEC 14496-12, 8.8.6).
    /// - Parameters:
    ///   - traf: its content.
    ///   - tracks: of the movie.
    ///   - end: of all samples ahead of the fragment, nanoseconds.
    mutating func read(_ traf: ArraySlice<UInt8>, of tracks: [MP4Track], until end: Int64) {
        let boxes = MP4Children(traf)
        let (header, time, run) = (boxes.first(.trackFragmentHeader), boxes.first(.decodeTime), boxes.first(.trackRun))
        guard header.number(at: 0, 4) == 0x02_0000, time.number(at: 0, 4) == 0x0100_0000, time.count == 12,
            let index = tracks.firstIndex(where: { $0.number == header.number(at: 4, 4) })
        else {
            isDamaged = true
            return
        }
        let track = tracks[index]
        // A time that can't be is replaced by the one at which the track ended.
        let told = Int64(clamping: time.dropFirst(4).unsigned)
        let latest = track.ticks(min(end, Int64.max / 4) + Self.longestPause)
        let isPossible = told >= track.start(from: 0) && told <= latest
        appendRun(run, of: track, index, from: isPossible ? told : track.start(from: track.ticks(end)))
    }

    /// Reads TrackRunBox (ISO/IEC 14496-12, 8.8.8) of the two kinds that are written.
    private mutating func appendRun(_ run: ArraySlice<UInt8>, of track: MP4Track, _ index: Int, from base: Int64) {
        let hasFlags = run.number(at: 0, 4) == 0x701
        let (width, count) = (hasFlags ? 12 : 8, run.number(at: 4, 4))
        guard hasFlags || run.number(at: 0, 4) == 0x301, run.count == 12 + count * width else {
            isDamaged = true
            return
        }
        var (offset, at) = (start + Int64(run.number(at: 8, 4)), base)
        for number in 0..<count {
            let entry = 12 + number * width
            var duration = Int64(run.number(at: entry, 4))
            let size = run.number(at: entry + 4, 4)
            if track.nanoseconds(duration) > Self.longestPause { duration = track.nominalTicks }
            guard track.nanoseconds(at - base) < Self.longest, size > 0 else {
                isDamaged = true
                return
            }
            samples.append(
                RecoveredSample(
                    track: index, offset: offset, size: size, start: at, duration: duration,
                    time: track.nanoseconds(at),
                    isKey: !hasFlags || run.number(at: entry + 8, 4) & 0x1_0000 == 0))
            offset += Int64(size)
            at += duration
        }
    }
}
