import CaptureBase
import CaptureEncoding
import ClipScenery
import Testing

@Suite("Notes in stills")
struct StillNotesTests {
    /// 2026-02-03 04:05:06.007 UTC.
    private let time = Duration.milliseconds(1_770_091_506_007)

    private func picture(_ still: StillFormat) throws -> [UInt8] {
        let video = Source.video(.yuyv)
        return try StillEncoder(video, as: still).encode(Source.picture(video).span.bytes)
    }

    private func decoded(_ file: [UInt8], _ name: String, _ scratch: Scratch) throws -> [UInt8] {
        try scratch.write(file, to: name)
        return try Tool.output(
            "ffmpeg", ["-v", "error", "-i", scratch.path(name), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
            in: scratch)
    }

    @Test("ffprobe reads title, device, software and time as Exif, and the picture is the same")
    func exif() throws {
        let scratch = try Scratch()
        let plain = try picture(.jpeg)
        let noted = StillMetadata(title: "Überblick", device: "Cam 7", time: time).added(to: plain, .jpeg)
        #expect(try decoded(noted, "a.jpg", scratch) == decoded(plain, "b.jpg", scratch))
        let found = try Tool.text(
            "ffprobe", ["-v", "error", "-show_frames", "-show_entries", "frame_tags", scratch.path("a.jpg")],
            in: scratch)
        for tag in [
            "ImageDescription=Überblick", "Model=Cam 7", "Software=CaptureGate", "DateTime=2026:02:03 04:05:06",
            "DateTimeOriginal=2026:02:03 04:05:06", "SubSecTimeOriginal=007",
        ] {
            #expect(found.contains("TAG:" + tag + "\n"), "\(tag) in \(found)")
        }
        // After JFIF's segment, and not twice.
        #expect(noted[2..<4] == [0xFF, 0xE0])
        #expect(StillMetadata(title: "other", time: time).added(to: noted, .jpeg) == noted)
    }

    @Test("pngcheck finds the texts before the picture and no fault")
    func png() throws {
        let scratch = try Scratch()
        let plain = try picture(.png)
        let noted = StillMetadata(title: "Überblick", device: "Cam 7", time: time).added(to: plain, .png)
        #expect(try decoded(noted, "a.png", scratch) == decoded(plain, "b.png", scratch))
        let judged = try Tool.run("pngcheck", ["-vt", scratch.path("a.png")], in: scratch)
        #expect(judged.status == 0 && judged.text.contains("No errors detected"), "\(judged.text)")
        let text = String(decoding: noted, as: UTF8.self)
        for pair in [
            "Title\0\0\0\0\0Überblick", "Source\0\0\0\0\0Cam 7", "Software\0\0\0\0\0CaptureGate",
            "Creation Time\0\0\0\0\02026-02-03T04:05:06.007Z",
        ] {
            #expect(text.contains(pair), "\(pair)")
        }
    }

    @Test("What a device calls itself is cut to 255 bytes of whole characters, without control characters")
    func hostile() throws {
        let scratch = try Scratch()
        let name = "\u{1B}[2J\0" + String(repeating: "é", count: 5000)
        for still in [StillFormat.jpeg, .png] {
            let plain = try picture(still)
            let noted = StillMetadata(title: "\u{7}\n", device: name, time: .nanoseconds(-1)).added(to: plain, still)
            #expect(noted.count < plain.count + 600)
            let text = String(decoding: noted, as: UTF8.self)
            #expect(text.contains("[2J" + String(repeating: "é", count: 126) + "\0") || still == .png)
            #expect(!text.contains(String(repeating: "é", count: 127)))
            #expect(try decoded(noted, "a." + still.rawValue, scratch).count == 64 * 48 * 3)
        }
    }

    @Test("QOI has no place for notes, and what is no picture stays as it is")
    func none() throws {
        let notes = StillMetadata(title: "A", time: time)
        let qoi = try picture(.qoi)
        #expect(notes.added(to: qoi, .qoi) == qoi)
        for still in StillFormat.allCases {
            for bytes in [[], [0xFF], [1, 2, 3, 4]] as [[UInt8]] { #expect(notes.added(to: bytes, still) == bytes) }
        }
        let torn: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF]
        #expect(notes.added(to: torn, .jpeg).starts(with: torn))
    }
}
