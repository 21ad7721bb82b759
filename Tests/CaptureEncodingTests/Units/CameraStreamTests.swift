import CaptureBase
import ClipScenery
import Testing

@testable import CaptureEncoding

extension PixelFormat {
    /// Formats of a camera's own streams.
    static let streams = [PixelFormat.h264, .hevc]
}

@Suite("A camera's own H.264 and H.265")
struct CameraStreamTests {
    /// Packets that an encoder makes of frames, and its counts.
    private func encode(
        _ footage: CameraFootage
    ) throws -> (packets: [[UInt8]], keys: [Int], encoder: CameraStreamEncoder) {
        let encoder = CameraStreamEncoder(format: footage.format)
        try encoder.begin()
        var packets = PacketBuffer()
        for (number, frame) in footage.frames.enumerated() {
            try encoder.encode(frame.span.bytes, at: Recording.time(number, footage.format), into: &packets)
        }
        encoder.finish(into: &packets)
        return (
            (0..<packets.count).map { packets.withBytes(of: $0) { Array($0) } },
            (0..<packets.count).filter { packets.isKey($0) }, encoder
        )
    }

    /// Only units after their lengths.
    private func isWhole(_ packet: [UInt8]) -> Bool {
        var bytes = 0
        for unit in UnitCodec.units(behindLengths: packet) { bytes += 4 + unit.count }
        return bytes == packet.count
    }

    @Test(
        "Every picture is in a .mkv and a .mp4 as the camera coded it, at its time, and each key frame is marked",
        arguments: PixelFormat.streams, ["mkv", "mp4"])
    func stored(pixels: PixelFormat, ending: String) throws {
        let scratch = try Scratch()
        let footage = try CameraFootage(pixels, 45, scratch)
        let path = scratch.path("a.\(ending)")
        let clip = try Recording.pictures(footage.frames, footage.format, to: path)
        #expect(clip.duration == .milliseconds(1800))
        #expect(try CameraFootage.pictures(path, scratch) == footage.pictures(scratch))
        #expect(try MovingPicture.keys(path, scratch) == [0, 10, 20, 30, 40])
        let times = try Tool.text(
            "ffprobe",
            ["-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time", "-of", "csv=p=0", path],
            in: scratch
        ).split(separator: "\n").compactMap { Double($0.prefix { $0 != "," }) }
        #expect(times.count == 45 && zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 0.04) < 0.0011 })
        let found = try Tool.text(
            "ffprobe",
            [
                "-v", "error", "-show_entries", "stream=codec_name,codec_tag_string,width,height", "-of", "csv=p=0",
                path,
            ],
            in: scratch)
        #expect(found.hasPrefix(pixels == .h264 ? "h264," : "hevc,") && found.contains("320,240"))
        if ending == "mp4" { #expect(found.contains(pixels == .h264 ? "avc1" : "hvc1")) }
        if ending == "mkv" { #expect(try Tool.run("mkvinfo", ["-v", path], in: scratch).status == 0) }
    }

    @Test("The record in avcC and hvcC is that of ffmpeg's own .mp4, byte by byte", arguments: PixelFormat.streams)
    func record(pixels: PixelFormat) throws {
        let scratch = try Scratch()
        let footage = try CameraFootage(pixels, 12, scratch)
        let name = pixels == .h264 ? "s.h264" : "s.hevc"
        try scratch.write(footage.stream, to: name)
        _ = try Tool.output(
            "ffmpeg",
            [
                "-v", "error", "-i", scratch.path(name), "-c", "copy", "-tag:v", pixels == .h264 ? "avc1" : "hvc1",
                scratch.path("s.mp4"),
            ],
            in: scratch)
        let file = try Scratch.read(scratch.path("s.mp4"))
        let box = Array((pixels == .h264 ? "avcC" : "hvcC").utf8)
        let at = try #require(file.indices.dropLast(4).first { file[$0..<$0 + 4].elementsEqual(box) })
        let size = file[at - 4..<at].reduce(0) { $0 << 8 | Int($1) }
        #expect(try encode(footage).encoder.description.privateBytes == Array(file[at + 4..<at - 4 + size]))
    }

    @Test(
        "A sequence parameter set tells profile, level, sampling, depth and the size without what is cropped",
        arguments: [
            (PixelFormat.h264, "yuv420p", 1920, 1080, 1, 8), (.h264, "yuv420p", 322, 182, 1, 8),
            (.h264, "yuv422p", 640, 360, 2, 8), (.h264, "yuv444p", 64, 50, 3, 8),
            (.h264, "yuv420p10le", 320, 240, 1, 10),
            (.hevc, "yuv420p", 1920, 1080, 1, 8), (.hevc, "yuv420p", 322, 182, 1, 8),
            (.hevc, "yuv420p10le", 64, 64, 1, 10),
            (.hevc, "yuv422p", 640, 360, 2, 8), (.hevc, "yuv444p", 66, 66, 3, 8),
        ])
    func sequence(_ pixels: PixelFormat, _ planes: String, _ width: Int, _ height: Int, chroma: Int, depth: Int) throws
    {
        let scratch = try Scratch()
        let isAVC = pixels == .h264
        let stream = try Tool.output(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=\(width)x\(height)", "-frames:v", "1", "-pix_fmt",
                planes,
                "-c:v", isAVC ? "libx264" : "libx265", isAVC ? "-x264-params" : "-x265-params",
                isAVC ? "aud=1" : "log-level=none:pools=1", "-f", isAVC ? "h264" : "hevc", "-",
            ], in: scratch)
        var sets = ParameterSets(isAVC ? .avc : .hevc)
        #expect(stream.withUnsafeBytes { sets.take(from: $0) })
        #expect(stream.withUnsafeBytes { sets.take(from: $0) } == false)
        let found = try #require(sets.sequence)
        #expect(found.width == width && found.height == height && found.chroma == UInt32(chroma))
        #expect(found.codedWidth >= width && found.codedHeight >= height && found.codedHeight < height + 16)
        #expect(found.lumaBits == UInt32(depth) && found.chromaBits == UInt32(depth) && sets.isComplete)
        let record = try #require(sets.record)
        // Profile of H.264, general_profile_idc of H.265, as ffprobe shows them.
        let profile = isAVC ? Int(record[1]) : Int(record[1] & 31)
        #expect(isAVC ? [66, 100, 110, 122, 244].contains(profile) : (1...4).contains(profile), "\(profile)")
    }

    @Test(
        "A stream that is joined in mid-course begins with its next key frame; what comes before is counted",
        arguments: PixelFormat.streams)
    func joined(pixels: PixelFormat) throws {
        let scratch = try Scratch()
        let footage = try CameraFootage(pixels, 30, scratch)
        let late = footage.with(Array(footage.frames[4...]))
        let (packets, keys, encoder) = try encode(late)
        #expect(encoder.counts.skipped == 6 && encoder.counts.frames == 20 && packets.count == 20)
        #expect(keys == [0, 10] && encoder.isDescribed)
        // Sets are in the record alone.
        let sets: Set<UInt8> = pixels == .h264 ? [7, 8] : [32, 33, 34]
        let codec = try #require(UnitCodec(pixels))
        for packet in packets {
            let units = UnitCodec.units(behindLengths: packet)
            #expect(isWhole(packet))
            let types = units.map { codec.type($0.first ?? 0) }
            #expect(sets.isDisjoint(with: types))
        }
    }

    @Test(
        "Parameter sets that are not repeated go ahead of each key frame on its way to a file",
        arguments: PixelFormat.streams)
    func unrepeated(pixels: PixelFormat) throws {
        let scratch = try Scratch()
        let footage = try CameraFootage(pixels, 25, scratch)
        let (bare, stream) = (footage.unrepeated, try #require(CameraStream(footage.format)))
        var whole: [[UInt8]] = []
        var kinds: [CameraStream.Frame] = []
        for frame in bare.frames {
            kinds.append(stream.look(at: frame.span.bytes))
            try stream.withFrame(frame.span.bytes) { bytes in whole.append(bytes.withUnsafeBytes { Array($0) }) }
        }
        #expect(kinds.indices.filter { kinds[$0] == .key } == [0, 10, 20] && !kinds.contains(.broken))
        #expect(whole[10].count > bare.frames[10].count && whole[11] == bare.frames[11])
        // A file can begin with the second of them.
        let path = scratch.path("a.mp4")
        try Recording.pictures(Array(whole[10...]), footage.format, to: path)
        #expect(try CameraFootage.pictures(path, scratch) == Array(footage.pictures(scratch)[10...]))
        // Without the first frame nothing can begin.
        let blind = try #require(CameraStream(footage.format))
        #expect(!bare.frames[1...].contains { blind.look(at: $0.span.bytes) == .key })
    }

    @Test("Frames that are no picture are skipped and counted, and all others decode", arguments: PixelFormat.streams)
    func broken(pixels: PixelFormat) throws {
        let scratch = try Scratch()
        let footage = try CameraFootage(pixels, 30, scratch)
        let good = footage.frames
        // A slice that is not the first of its frame.
        var second = try #require(footage.units(good[9]).last?.bytes)
        second[pixels == .h264 ? 5 : 6] &= 0x7F
        var forbidden = good[9]
        forbidden[4] |= 0x80
        let damaged: [[UInt8]] = [
            [], [0], [0, 0, 1], [0, 0, 0, 1], [UInt8](repeating: 0, count: 4096), [UInt8](repeating: 0x55, count: 4096),
            // Without its start code, without its start, only a delimiter, a forbidden bit, an empty unit ahead of it.
            Array(good[9][5...]), Array(good[9][(good[9].count / 2)...]), Array(good[9].prefix(6)), forbidden,
            [0, 0, 1] + good[9], second,
        ]
        let frames = good.prefix(10) + damaged + good.dropFirst(10)
        let (packets, keys, encoder) = try encode(footage.with(Array(frames)))
        #expect(packets.count == 30 && encoder.counts.skipped == UInt64(damaged.count) && keys == [0, 10, 20])
        let path = scratch.path("a.mkv")
        try Recording.pictures(Array(frames), footage.format, to: path)
        #expect(try CameraFootage.pictures(path, scratch) == footage.pictures(scratch))
        let stream = try #require(CameraStream(footage.format))
        #expect(damaged.allSatisfy { stream.look(at: $0.span.bytes) == .broken })
    }

    @Test("Whatever is changed in it, nothing crashes, and every packet is whole units", arguments: PixelFormat.streams)
    func fuzzed(pixels: PixelFormat) throws {
        let scratch = try Scratch()
        let footage = try CameraFootage(pixels, 12, scratch)
        var random = SplitMix(seed: 20)
        for _ in 0..<400 {
            var frames = footage.frames
            for _ in 0..<(1 + random.next() % 12) {
                let which = Int(random.next() % UInt64(frames.count))
                guard !frames[which].isEmpty else { continue }
                // Most of the decisive data is in the first bytes.
                let at = Int(random.next() % UInt64(min(frames[which].count, random.next() % 3 == 0 ? 4096 : 96)))
                switch random.next() % 4 {
                case 0: frames[which].removeSubrange(at...)
                case 1: frames[which].removeSubrange(at..<min(at + 3, frames[which].count))
                default: frames[which][at] = UInt8(truncatingIfNeeded: random.next())
                }
            }
            let encoder = CameraStreamEncoder(format: footage.format)
            let stream = try #require(CameraStream(footage.format))
            var packets = PacketBuffer()
            for frame in frames {
                _ = stream.look(at: frame.span.bytes)
                try? stream.withFrame(frame.span.bytes) { bytes in #expect(bytes.byteCount >= frame.count) }
                // A stream whose order is broken may be refused.
                try? encoder.encode(frame.span.bytes, at: 0, into: &packets)
            }
            for index in 0..<packets.count {
                let packet = packets.withBytes(of: index) { Array($0) }
                #expect(isWhole(packet))
            }
        }
    }

    @Test("Bits are read over the bytes that keep start codes out, and never past the end")
    func bits() {
        let bytes: [UInt8] = [0xA5, 0, 0, 3, 1, 0x80]
        bytes.withUnsafeBytes { bytes in
            var bits = UnitBits(bytes, from: 0, to: bytes.count)
            #expect(bits.bits(8) == 0xA5 && bits.bits(24) == 1 && bits.unsigned() == 0 && !bits.isOver)
            #expect(bits.bits(7) == 0 && !bits.isOver && bits.bit() == 0 && bits.isOver)
            var codes = UnitBits(bytes, from: 0, to: 1)
            // 1, 010, 010 and 1.
            #expect(codes.unsigned() == 0 && codes.signed() == 1 && codes.unsigned() == 1 && codes.unsigned() == 0)
            #expect(!codes.isOver && codes.unsigned() == 0 && codes.isOver)
        }
        let zeros = [UInt8](repeating: 0, count: 64)
        zeros.withUnsafeBytes { zeros in
            var bits = UnitBits(zeros, from: 0, to: 64)
            #expect(bits.unsigned() == 0 && bits.isOver)
        }
    }

    @Test("A stream with B-frames is refused, and one without is not", arguments: PixelFormat.streams)
    func order(pixels: PixelFormat) throws {
        let scratch = try Scratch()
        let footage = try CameraFootage(pixels, 40, scratch, extra: "bframes=3:b-adapt=0")
        let error = #expect(throws: CaptureError.self) { try encode(footage) }
        #expect(error?.kind == .unavailable && error?.message.contains("B-frames") == true)
        #expect(try encode(CameraFootage(pixels, 300, scratch)).packets.count == 300)
    }

    @Test("A later set that is another stays in the stream, and its pictures decode")
    func changed() throws {
        let scratch = try Scratch()
        let first = try CameraFootage(.h264, 20, scratch)
        let second = try CameraFootage(.h264, 20, scratch, extra: "bframes=0:ref=3:qp=20")
        let both = first.with(first.frames + second.frames)
        let path = scratch.path("a.mkv")
        try Recording.pictures(both.frames, both.format, to: path)
        #expect(try CameraFootage.pictures(path, scratch) == first.pictures(scratch) + second.pictures(scratch))
    }

    @Test("A stream of another size than the driver promised has no key frame to begin with")
    func otherSize() throws {
        let scratch = try Scratch()
        let footage = try CameraFootage(.h264, 12, scratch)
        for (width, height, fits) in [(320, 240, true), (640, 480, false), (304, 240, false), (320, 224, false)] {
            let format = Source.video(.h264, width, height, rate: 25)
            let encoder = CameraStreamEncoder(format: format)
            var packets = PacketBuffer()
            for frame in footage.frames { try encoder.encode(frame.span.bytes, at: 0, into: &packets) }
            #expect((packets.count > 0) == fits && encoder.isDescribed == fits)
        }
    }

    @Test("What holds no such stream says so, and what to do")
    func refused() throws {
        let scratch = try Scratch()
        let track = Recording.track(Source.video(.h264, 320, 240))
        for (name, codec) in [
            ("a.y4m", VideoCodec.automatic), ("a.mjpeg", .automatic), ("a.webm", .automatic), ("a.mkv", .mjpeg),
            ("a.mkv", .raw),
            ("a.mp4", .mjpeg),
        ] {
            var settings = EncoderSettings()
            settings.videoCodec = codec
            let error = #expect(throws: CaptureError.self) {
                _ = try ClipFormat(for: .file(path: name)).writer(
                    on: ClipOutput(opening: .file(path: scratch.path(name))), tracks: [track], settings: settings)
            }
            #expect(error?.kind == .usage && error?.remedies.isEmpty == false, "\(name)")
        }
        #expect(throws: CaptureError.self) { try CameraStreamEncoder(format: Source.video(.yuyv)).begin() }
        #expect(ClipFormat.mp4.passes(.hevc, as: .automatic) && !ClipFormat.mp4.passes(.hevc, as: .h264))
        #expect(ClipFormat.matroska.passes(.h264, as: .h264) && !ClipFormat.webm.passes(.h264, as: .automatic))
    }
}

/// Pseudo-random numbers, the same in each run.
private struct SplitMix {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
