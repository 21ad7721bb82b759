import CaptureBase
import ClipScenery

@testable import CaptureEncoding

/// Encoder whose packets another program has made: each call hands out the next.
final class PreparedEncoder: TrackEncoder {
    let description: CodecDescription
    private(set) var counts = EncoderCounts()
    private let prepared: [(bytes: [UInt8], isKey: Bool)]
    private let duration: Int64

    init(_ description: CodecDescription, _ prepared: [(bytes: [UInt8], isKey: Bool)], lasting duration: Int64) {
        self.description = description
        self.prepared = prepared
        self.duration = duration
    }

    var count: Int { prepared.count }
    /// All packets from one on, one after another.
    func bytes(from first: Int = 0) -> [UInt8] { prepared.dropFirst(first).flatMap(\.bytes) }

    func begin() {}
    func finish(into packets: inout PacketBuffer) {}

    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError) {
        let next = prepared[Int(counts.packets)]
        try packets.append(capacity: next.bytes.count, at: nanoseconds, lasting: duration, isKey: next.isKey) { room in
            room.copyBytes(from: next.bytes)
            return next.bytes.count
        }
        counts.packets += 1
        counts.frames += 1
    }
}

/// Tracks of streams that ffmpeg made.
enum PreparedTrack {
    /// H.264 or H.265 without reordering.
    /// - Parameters:
    ///   - keyInterval: frames from one key frame to the next.
    ///   - library: `libx264` or `libx265`.
    static func video(
        _ rate: FrameRate, frames: Int, keyInterval: Int, library: String = "libx264",
        size: (Int, Int) = (160, 120), in scratch: Scratch
    ) throws -> (track: ClipTrack, encoder: PreparedEncoder) {
        let isHEVC = library == "libx265"
        let own = isHEVC ? ["-x265-params", "aud=1:repeat-headers=1:log-level=none"] : ["-x264-params", "aud=1"]
        let stream = try Tool.output(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i",
                "testsrc2=size=\(size.0)x\(size.1):rate=\(rate.numerator)/\(rate.denominator)",
                "-frames:v", "\(frames)", "-pix_fmt", "yuv420p", "-c:v", library, "-preset", "ultrafast", "-bf", "0",
                "-g", "\(keyInterval)", "-keyint_min", "\(keyInterval)", "-sc_threshold", "0",
            ] + own + ["-f", isHEVC ? "hevc" : "h264", "-"], in: scratch)
        let units = AnnexB.units(stream)
        let description = CodecDescription(
            matroskaID: isHEVC ? "V_MPEGH/ISO/HEVC" : "V_MPEG4/ISO/AVC",
            privateBytes: isHEVC ? AnnexB.hevcRecord(units) : AnnexB.avcRecord(units),
            colorimetry: Colorimetry(primaries: .bt709, transfer: .bt709, matrix: .bt709, range: .limited))
        let format = VideoFormat(
            width: size.0, height: size.1, pixelFormat: .yuv420, frameRate: rate, bytesPerLine: size.0)
        let encoder = PreparedEncoder(
            description, AnnexB.packets(units, isHEVC: isHEVC), lasting: rate.frameNanoseconds)
        return (Recording.track(format), encoder)
    }

    /// AAC-LC of a tone in two channels at 48 kHz.
    static func aac(seconds: Int, in scratch: Scratch) throws -> (track: ClipTrack, encoder: PreparedEncoder) {
        let stream = try Tool.output(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "sine=frequency=1000:sample_rate=48000:duration=\(seconds)", "-ac",
                "2",
                "-c:a", "aac", "-f", "adts", "-",
            ], in: scratch)
        var frames: [(bytes: [UInt8], isKey: Bool)] = []
        var at = 0
        while at + 7 <= stream.count {
            // The length of a frame of ADTS (ISO/IEC 13818-7, 6.2), whose header has seven bytes.
            let size = Int(stream[at + 3] & 3) << 11 | Int(stream[at + 4]) << 3 | Int(stream[at + 5]) >> 5
            frames.append((Array(stream[at + 7..<at + size]), true))
            at += size
        }
        let format = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s16)
        // AudioSpecificConfig: AAC-LC, 48 kHz, two channels. ffmpeg's encoder begins with a packet of silence.
        let description = CodecDescription(
            matroskaID: "A_AAC", privateBytes: [0x11, 0x90], delay: format.nanoseconds(ofFrames: 1024))
        let encoder = PreparedEncoder(description, frames, lasting: format.nanoseconds(ofFrames: 1024))
        return (Recording.track(format), encoder)
    }

    /// Writes packets of all tracks in the order of time.
    /// - Parameter offset: of each track's first packet, nanoseconds.
    static func writer(
        to output: consuming ClipOutput, _ tracks: [(track: ClipTrack, encoder: PreparedEncoder)],
        at offset: [Int64] = [0, 0], room: Int? = nil, time: (Int, Int) -> Int64
    ) throws -> MP4Writer {
        let made = try tracks.enumerated().map { index, track in
            try MP4Track(number: index + 1, track: track.track, encoder: track.encoder)
        }
        let writer = MP4Writer(
            output: output, tracks: made, labels: ClipLabels(title: "Prepared", extra: ["GRANT": "17"]),
            startedAt: 1_700_000_000_000_000_000, room: room ?? MP4Head.room(for: made, ClipLabels()))
        let packets = tracks.enumerated().flatMap { index, track in
            (0..<track.encoder.count).map { (time: offset[index] + time(index, $0), track: index) }
        }
        let data: [UInt8] = [0]
        for packet in packets.sorted(by: { ($0.time, $0.track) < ($1.time, $1.track) }) {
            try writer.write(data.span.bytes, to: packet.track, at: packet.time)
        }
        return writer
    }
}

/// NAL units after start codes (ITU-T H.264, annex B), and the form that MP4 stores.
enum AnnexB {
    static func units(_ stream: [UInt8]) -> [ArraySlice<UInt8>] {
        let codes = stream.places(of: [0, 0, 1])
        return zip(codes, codes.dropFirst().map { stream[$0 - 1] == 0 ? $0 - 1 : $0 } + [stream.count]).map {
            stream[$0 + 3..<$1]
        }
    }

    private static func kind(_ unit: ArraySlice<UInt8>, isHEVC: Bool) -> UInt8 {
        isHEVC ? unit[unit.startIndex] >> 1 & 0x3F : unit[unit.startIndex] & 0x1F
    }

    /// Access units, each after a delimiter, without delimiters and parameter sets: those are in the record.
    static func packets(_ units: [ArraySlice<UInt8>], isHEVC: Bool) -> [(bytes: [UInt8], isKey: Bool)] {
        let (delimiter, sets) = isHEVC ? (35, [32, 33, 34]) : (9, [7, 8] as [UInt8])
        var packets: [(bytes: [UInt8], isKey: Bool)] = []
        for unit in units {
            let kind = kind(unit, isHEVC: isHEVC)
            if kind == delimiter {
                packets.append(([], false))
            } else if !sets.contains(kind) {
                packets[packets.count - 1].bytes += bigEndian(unit.count, 4) + unit
                if isHEVC ? (16...21).contains(kind) : kind == 5 { packets[packets.count - 1].isKey = true }
            }
        }
        return packets
    }

    private static func bigEndian(_ value: Int, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * (width - 1 - $0))) }
    }

    private static func first(_ wanted: UInt8, _ units: [ArraySlice<UInt8>], isHEVC: Bool) -> [UInt8] {
        units.first { kind($0, isHEVC: isHEVC) == wanted }.map { Array($0) } ?? []
    }

    /// AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1).
    static func avcRecord(_ units: [ArraySlice<UInt8>]) -> [UInt8] {
        let (sequence, picture) = (first(7, units, isHEVC: false), first(8, units, isHEVC: false))
        return [1, sequence[1], sequence[2], sequence[3], 0xFF, 0xE1] + bigEndian(sequence.count, 2) + sequence + [1]
            + bigEndian(picture.count, 2) + picture
    }

    /// HEVCDecoderConfigurationRecord (ISO/IEC 14496-15, 8.3.3.1) of 4:2:0 in 8 bits.
    static func hevcRecord(_ units: [ArraySlice<UInt8>]) -> [UInt8] {
        let sequence = first(33, units, isHEVC: true)
        // profile_tier_level without the bytes that only keep it from looking like a start code.
        var plain: [UInt8] = []
        for byte in sequence where !(byte == 3 && plain.suffix(2) == [0, 0]) { plain.append(byte) }
        let head: [UInt8] = [1] + plain[3..<15] + [0xF0, 0, 0xFC, 0xFD, 0xF8, 0xF8, 0, 0, 0x0F, 3]
        return ([32, 33, 34] as [UInt8]).reduce(head) { record, kind in
            let unit = first(kind, units, isHEVC: true)
            return record + [0x80 | kind, 0, 1] + bigEndian(unit.count, 2) + unit
        }
    }
}
