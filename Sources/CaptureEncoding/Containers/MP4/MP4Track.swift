import CaptureBase

/// Track of an MP4 file: its encoder, the samples that wait for the next fragment, and the table of those in the file.
///
/// *session-bound*
final class MP4Track: EncodedTrack {
    /// Ticks per second, in which the media's times are exact.
    let timescale: Int64
    /// Samples of the pending fragment, and their data one after another.
    private(set) var pending: [MP4Sample] = []
    var data = GrowingBuffer(capacity: 1 << 16)
    /// Samples in the file.
    private(set) var table = MP4SampleTable()
    /// Tick of the last sample, and the one at which the next begins if nothing is missing between.
    private var lastStart: Int64 = -1
    private var expected: Int64 = 0

    /// Codec of the samples.
    private let codec: MP4SampleEntry

    /// - Throws: `.usage` for a codec that MP4 does not hold.
    init(number: Int, track: ClipTrack, encoder: any TrackEncoder, timescale: Int64? = nil) throws(CaptureError) {
        guard let codec = MP4SampleEntry(track, encoder.description) else {
            throw CaptureError(
                .usage, "MP4 can't contain \(track.kind == .video ? "uncompressed video" : "this audio format").",
                remedies: [
                    Remedy(
                        "Record to a name that ends in .mkv, or choose another codec"
                            + (track.kind == .video ? "." : ", such as --audio-codec opus."))
                ])
        }
        self.codec = codec
        self.timescale = timescale ?? Self.timescale(of: track, encoder.description)
        super.init(number: number, track: track, encoder: encoder)
        pending.reserveCapacity(512)
    }

    /// Audio counts its samples. Video uses a multiple of the rate's numerator, so that 1001/30000 s is a whole number of ticks,
    /// and large enough to keep a camera's own times to 12 µs.
    private static func timescale(of track: ClipTrack, _ codec: CodecDescription) -> Int64 {
        guard let format = track.video else { return Int64(codec.decodedRate ?? track.audio?.sampleRate ?? 1) }
        let rate = Int64(format.frameRate.numerator)
        return rate > leastVideoScale * 100 ? leastVideoScale : (leastVideoScale + rate - 1) / rate * rate
    }

    /// Ticks per second of 24, 25, 30, 50 and 60 frames a second.
    private static let leastVideoScale: Int64 = 90_000

    /// Parameters of the packets at present: some encoders know them only at the end.
    var entry: MP4SampleEntry? { MP4SampleEntry(track, encoder.description) }

    /// Nearest tick of a time in nanoseconds.
    func ticks(_ nanoseconds: Int64) -> Int64 {
        // In two steps: the product would overflow within a day.
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return seconds * timescale + (rest * timescale + 500_000_000) / 1_000_000_000
    }

    func nanoseconds(_ ticks: Int64) -> Int64 {
        let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: timescale)
        return seconds * 1_000_000_000 + (rest * 1_000_000_000 + timescale / 2) / timescale
    }

    /// Decoder output ahead of the recording's first sample, in ticks.
    var delay: Int64 { ticks(encoder.description.delay) }

    /// Duration of a packet in ticks: its decoded length, less the part that is not played.
    func duration(of packet: UnsafeRawBufferPointer, lasting nanoseconds: Int64, discard: Int64) -> Int64 {
        max((codec.audioFrames(in: packet) ?? ticks(nanoseconds)) - ticks(discard), 0)
    }

    /// Tick of the next sample, later than that of the previous one.
    ///
    /// Packets of audio follow one another by their number of samples, not by the clock that timed them: a difference of a few
    /// milliseconds is not a gap. Differences do not add up, because a larger one is applied.
    func nextStart(_ nanoseconds: Int64) -> Int64 {
        let time = ticks(nanoseconds)
        let isNext = track.kind == .audio && lastStart >= 0 && abs(time - expected) <= timescale / 200
        return start(from: isNext ? expected : time)
    }

    /// Tick, or a later one if the track has gone so far.
    func start(from tick: Int64) -> Int64 { max(tick, lastStart + 1) }

    /// Nominal duration of a video frame in ticks; 1 for audio, whose packets differ.
    var nominalTicks: Int64 {
        guard let rate = track.video?.frameRate else { return 1 }
        return max(timescale * Int64(rate.denominator) / Int64(rate.numerator), 1)
    }

    /// Adds a sample to the pending fragment.
    func append(_ packet: UnsafeRawBufferPointer, at start: Int64, lasting duration: Int64, isKey: Bool) {
        data.append(packet)
        pending.append(MP4Sample(start: start, duration: duration, size: packet.count, isKey: isKey))
        hasDependent = hasDependent || !isKey
        lastStart = start
        expected = start + duration
    }

    /// The pending fragment has a sample that decoding can't start at: the next key frame begins a new one.
    private(set) var hasDependent = false

    /// Adds the pending samples to the table: they are in the file, or wait to be written.
    /// - Parameter offset: of the first one's data.
    func store(at offset: Int64) {
        table.add(pending, at: offset)
        pending.removeAll(keepingCapacity: true)
        hasDependent = false
        data.count = 0
    }

    override func cutBack(to bytes: Int64) {
        super.cutBack(to: bytes)
        table.cut(to: bytes)
    }
}

extension MP4Track {
    /// Bytes of TrackFragmentBox: its head, `tfhd`, `tfdt` and `trun`, of which each sample takes some.
    var fragmentByteCount: Int { pending.count == 0 ? 0 : 8 + 16 + 20 + 20 + pending.count * sampleByteCount }

    /// Bytes of a sample in `trun`: duration, size, and flags where samples differ in them.
    private var sampleByteCount: Int { track.kind == .video ? 12 : 8 }

    /// Writes TrackFragmentBox (ISO/IEC 14496-12, 8.8.6).
    /// - Parameters:
    ///   - buffer: with room for ``fragmentByteCount`` bytes.
    ///   - offset: of the first sample's data from the start of `moof`.
    ///   - end: tick to which the last sample lasts at least.
    func appendFragment(to buffer: inout GrowingBuffer, dataAt offset: Int, until end: Int64) {
        guard pending.count > 0 else { return }
        // By index: iterating allocates in a debug build.
        let last = pending[pending.count - 1]
        Self.begin(.trackFragment, fragmentByteCount, &buffer)
        // Offsets count from the start of `moof`: default-base-is-moof.
        Self.begin(.trackFragmentHeader, 16, &buffer)
        buffer.put(0x02_0000, width: 4)
        buffer.put(number, width: 4)
        // Version 1: 64 bits.
        Self.begin(.decodeTime, 20, &buffer)
        buffer.put(0x0100_0000, width: 4)
        buffer.put(Int(pending[0].start), width: 8)
        Self.begin(.trackRun, 20 + pending.count * sampleByteCount, &buffer)
        // Data offset, durations and sizes; of video the flags, too.
        buffer.put(track.kind == .video ? 0x701 : 0x301, width: 4)
        buffer.put(pending.count, width: 4)
        buffer.put(offset, width: 4)
        for index in 0..<pending.count {
            let sample = pending[index]
            let next = index + 1 < pending.count ? pending[index + 1].start : max(last.start + last.duration, end)
            buffer.put(Int(UInt32(clamping: next - sample.start)), width: 4)
            buffer.put(sample.size, width: 4)
            if track.kind == .video { buffer.put(sample.isKey ? Self.keyFlags : Self.dependentFlags, width: 4) }
        }
    }

    private static func begin(_ type: MP4Type, _ size: Int, _ buffer: inout GrowingBuffer) {
        buffer.put(size, width: 4)
        buffer.put(Int(type.rawValue), width: 4)
    }

    /// Flags of a sample (ISO/IEC 14496-12, 8.8.3.1): depends on no other; and one that does and is no sync sample.
    static let keyFlags = 0x0200_0000
    static let dependentFlags = 0x0101_0000
}
