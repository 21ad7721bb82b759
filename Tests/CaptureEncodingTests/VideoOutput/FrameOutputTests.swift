import CaptureBase
import ClipScenery
import Testing

@testable import CaptureEncoding

@Suite("pictures that an output shows")
struct FrameOutputTests {
    /// Start of the capture, nanoseconds.
    private static let start: Int64 = 1_000_000_000

    /// Shows frames of a format, each at its time.
    private func show(_ frames: [[UInt8]], _ format: VideoFormat, by output: MemoryOutput) throws -> Clip {
        let moments = CaptureMoments()
        let writer = try FrameOutputWriter(output, tracks: [Recording.track(format)], moments: moments)
        for (number, frame) in frames.enumerated() {
            let time = Recording.time(number, format)
            moments.note(time, at: Self.start + time)
            try writer.write(video: frame.span.bytes, at: time)
        }
        return writer.finish(ledger: LossLedger(), end: .complete)
    }

    @Test(
        "are the camera's own bytes with their moments where it takes its format",
        arguments: ["YUYV", "NV12", "YU12", "GREY", "RGB3"])
    func same(code: String) throws {
        let format = Source.video(try #require(PixelFormat(code)))
        let frames = (0..<5).map { Source.picture(format, number: $0) }
        let output = MemoryOutput(["UYVY", code])
        let clip = try show(frames, format, by: output)
        #expect(output.frames.map(\.bytes) == frames)
        #expect(output.frames.map(\.moment) == (0..<5).map { Self.start + Recording.time($0, format) })
        #expect(clip.path == "v4l2:/dev/video9")
        #expect(clip.bytes == Int64(frames.joined().count))
        #expect(output.ends == [true])
    }

    @Test("keep every sample where its rows are longer", arguments: ["YUYV", "NV12", "YU12"])
    func padded(code: String) throws {
        let format = Source.video(try #require(PixelFormat(code)))
        let frame = Source.picture(format)
        let output = MemoryOutput([code], padding: 32)
        _ = try show([frame], format, by: output)
        let target = try #require(output.format.flatMap { RawLayout($0) })
        let shown = try #require(output.frames.first?.bytes)
        let source = try #require(RawLayout(format))
        for (from, to) in zip(source.planes, target.planes) {
            for row in 0..<from.rows {
                let (own, other) = (from.start(of: row), to.start(of: row))
                #expect(shown[other..<other + to.rowBytes] == frame[own..<own + from.rowBytes])
            }
        }
    }

    /// Samples of a frame of 4:2:0 or packed 4:2:2, by place: Y, Cb, Cr.
    private func samples(_ bytes: [UInt8], _ code: String, _ x: Int, _ y: Int) -> [UInt8] {
        let (width, height) = (64, 48)
        let (luma, place) = (width * height, y / 2 * (width / 2) + x / 2)
        let pair = 4 * (y * width / 2 + x / 2)
        switch code {
        case "YU12": return [bytes[y * width + x], bytes[luma + place], bytes[luma + luma / 4 + place]]
        case "YV12": return [bytes[y * width + x], bytes[luma + luma / 4 + place], bytes[luma + place]]
        case "NV12": return [bytes[y * width + x], bytes[luma + 2 * place], bytes[luma + 2 * place + 1]]
        case "NV21": return [bytes[y * width + x], bytes[luma + 2 * place + 1], bytes[luma + 2 * place]]
        case "YUYV": return [bytes[pair + x % 2 * 2], bytes[pair + 1], bytes[pair + 3]]
        case "UYVY": return [bytes[pair + 1 + x % 2 * 2], bytes[pair], bytes[pair + 2]]
        case "YVYU": return [bytes[pair + x % 2 * 2], bytes[pair + 3], bytes[pair + 1]]
        default: return [bytes[pair + 1 + x % 2 * 2], bytes[pair + 2], bytes[pair]]
        }
    }

    @Test(
        "are the same picture where it takes another format",
        arguments: ["YU12", "YV12", "NV12", "NV21", "YUYV", "UYVY", "YVYU", "VYUY"])
    func converted(code: String) throws {
        let format = Source.video(code == "YUYV" ? .nv12 : .yuyv)
        let output = MemoryOutput(["Y444", code])
        _ = try show([Source.picture(format, number: 3)], format, by: output)
        let shown = try #require(output.frames.first?.bytes)
        for y in 0..<48 {
            for x in 0..<64 {
                let got = samples(shown, code, x, y)
                #expect(got[0] == Source.luma(x, y, 3))
                // Chroma of two rows is one value: that of the camera, or between theirs.
                let other = format.pixelFormat == .nv12 ? y & ~1 : y | 1
                let blue = (Int(Source.blue(x & ~1, y & ~1)) + Int(Source.blue(x & ~1, other))) / 2
                let red = (Int(Source.red(x & ~1, y & ~1)) + Int(Source.red(x & ~1, other))) / 2
                #expect(abs(Int(got[1]) - blue) <= 2)
                #expect(abs(Int(got[2]) - red) <= 2)
            }
        }
    }

    @Test("are decoded where a camera's JPEG is not taken, and encoded where nothing else is")
    func images() throws {
        let raw = Source.video(.yuyv)
        let output = MemoryOutput(["MJPG"])
        _ = try show([Source.picture(raw)], raw, by: output)
        let image = try #require(output.frames.first?.bytes)
        let planes = try #require(Decoded(image))
        #expect(planes.width == 64 && planes.height == 48)

        let compressed = Source.video(.mjpeg)
        let second = MemoryOutput(["JPEG"])
        _ = try show([image], compressed, by: second)
        #expect(second.frames.map(\.bytes) == [image])

        let third = MemoryOutput(["NV12"])
        _ = try show([image], compressed, by: third)
        let shown = try #require(third.frames.first?.bytes)
        // 16 to 235, as programs take it to be.
        let farthest = zip(shown, planes.planes[0]).map { abs(Double($0) - 16 - Double($1) * 219 / 255) }.max()
        #expect(try #require(farthest) < 1)
    }

    @Test("are refused with what it takes where nothing is made of them")
    func none() throws {
        let output = MemoryOutput(["Y444", "BGRH"])
        let format = Source.video(.yuyv)
        let error = try #require(throws: CaptureError.self) {
            try FrameOutputWriter(output, tracks: [Recording.track(format)], moments: CaptureMoments())
        }
        #expect(error.kind == .notAsAsked)
        #expect(error.message.contains("it takes Y444, BGRH"))
        #expect(output.ends == [false])
    }

    @Test("are left out and counted where it has no room, and the others come in order", arguments: 1...20)
    func slow(seed: Int) throws {
        var random = SystemRandomNumberGenerator.Seeded(UInt64(seed))
        let hasRoom = (0..<60).map { _ in Bool.random(using: &random) }
        let format = Source.video(seed.isMultiple(of: 2) ? .yuyv : .nv12)
        let output = MemoryOutput(["YUYV"], hasRoom: hasRoom)
        let writer = try FrameOutputWriter(output, tracks: [Recording.track(format)], moments: CaptureMoments())
        for number in 0..<60 {
            try writer.write(
                video: Source.picture(format, number: number).span.bytes, at: Recording.time(number, format))
        }
        let taken = UInt64(hasRoom.count { $0 })
        #expect(writer.counts(of: 0).frames == taken)
        #expect(writer.counts(of: 0).late == 60 - taken)
        #expect(writer.leftOut(of: 0) == 60 - taken)
        let expected = hasRoom.indices.filter { hasRoom[$0] }.map { Source.luma(0, 0, $0) }
        #expect(output.frames.map { $0.bytes[0] } == expected)
    }

    @Test("that are short count as broken, and those that stand for missing ones are shown once")
    func short() throws {
        let format = Source.video(.yuyv)
        let output = MemoryOutput(["YUYV"])
        let writer = try FrameOutputWriter(output, tracks: [Recording.track(format)], moments: CaptureMoments())
        let frame = Source.picture(format)
        try writer.write(video: Array(frame.dropLast()).span.bytes, at: 0)
        try writer.fill(frame.span.bytes, to: 0, at: 0, times: 7)
        #expect(writer.counts(of: 0).skipped == 1)
        #expect(output.frames.count == 1)
    }

    @Test("end with its error where it is gone, and it is not waited for then")
    func gone() throws {
        let format = Source.video(.yuyv)
        let output = MemoryOutput(["YUYV"], goneAfter: 3)
        let writer = try FrameOutputWriter(output, tracks: [Recording.track(format)], moments: CaptureMoments())
        let frame = Source.picture(format)
        for number in 0..<3 { try writer.write(video: frame.span.bytes, at: Int64(number)) }
        for number in 3..<5 {
            #expect(throws: MemoryOutput.gone) { try writer.write(video: frame.span.bytes, at: Int64(number)) }
        }
        let clip = writer.finish(ledger: LossLedger(), end: .interrupt)
        #expect(clip.end == .failure)
        #expect(output.frames.count == 3)
        #expect(output.ends == [false])
    }

    @Test("have no sound, and are of one camera")
    func tracks() throws {
        let (picture, sound) = (
            Recording.track(Source.video(.yuyv)), AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s16)
        )
        for tracks in [[Recording.track(sound)], [picture, Recording.track(sound)], [picture, picture], []] {
            let output = MemoryOutput(["YUYV"])
            let error = try #require(throws: CaptureError.self) {
                try FrameOutputWriter(output, tracks: tracks, moments: CaptureMoments())
            }
            #expect(error.kind == .usage)
            #expect(output.ends == [false])
        }
    }
}

@Suite("moments of a capture")
struct CaptureMomentsTests {
    @Test("are the clip's times with the pauses put back, also of frames that are shown late")
    func pauses() {
        let moments = CaptureMoments()
        #expect(moments.moment(of: 5) == 0)
        moments.note(0, at: 1_000_000_000)
        moments.note(33_000_000, at: 1_033_000_400)
        // A pause of a second.
        moments.note(66_000_000, at: 2_066_000_400)
        #expect(moments.moment(of: 33_000_000) == 1_033_000_400)
        #expect(moments.moment(of: 66_000_000) == 2_066_000_400)
        #expect(moments.moment(of: 99_000_000) == 2_099_000_400)
    }
}

@Suite("names of outputs")
struct OutputNameTests {
    @Test("a node that takes pictures is named by v4l2: and its path or its kernel name; other names are files")
    func names() throws {
        #expect(ClipDestination("v4l2:/dev/video9") == .videoOutput(path: "/dev/video9"))
        #expect(ClipDestination("v4l2:video9") == .videoOutput(path: "/dev/video9"))
        #expect(ClipDestination("v4l2:/dev/v4l/by-id/x").description == "v4l2:/dev/v4l/by-id/x")
        #expect(ClipDestination("./v4l2:video9") == .file(path: "./v4l2:video9"))
        #expect(ClipDestination("/dev/video9.mkv") == .file(path: "/dev/video9.mkv"))
        #expect(try ClipFormat(for: .videoOutput(path: "/dev/video9")) == .v4l2)
    }

    @Test("a format of files can't be chosen for it, nor its own for a file")
    func formats() {
        #expect(throws: CaptureError.self) { try ClipFormat(for: .videoOutput(path: "/dev/video9"), named: "mkv") }
        #expect(throws: CaptureError.self) { try ClipFormat(for: .file(path: "a.mkv"), named: "v4l2") }
        #expect(!ClipFormat.allCases.contains(.v4l2))
    }

    @Test("nothing of files is done with it: it has no partial name, and is not opened as one")
    func noFile() {
        let error = #expect(throws: CaptureError.self) {
            _ = try ClipOutput(opening: .videoOutput(path: "/dev/video9"))
        }
        #expect(error?.kind == .usage)
        #expect(throws: CaptureError.self) { try PartNames(.videoOutput(path: "/dev/video9")) }
    }
}
