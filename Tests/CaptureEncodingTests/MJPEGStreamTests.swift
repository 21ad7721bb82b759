import CaptureBase
import CaptureEncoding
import ClipScenery
import Testing

@Suite("MJPEG streams")
struct MJPEGStreamTests {
    @Test("ffprobe counts the pictures, and they are those of a Matroska file")
    func pictures() throws {
        let scratch = try Scratch()
        let video = Source.video(.yuyv)
        let frames = (0..<5).map { Source.picture(video, number: $0) }
        try Recording.pictures(frames, video, to: scratch.path("a.mjpeg"))
        try Recording.pictures(frames, video, to: scratch.path("a.mkv"))
        let decoded = try ["a.mjpeg", "a.mkv"].map { name in
            let found = try Tool.run(
                "ffmpeg",
                ["-v", "error", "-i", scratch.path(name), "-fps_mode", "passthrough", "-f", "rawvideo", "-"],
                in: scratch)
            #expect(found.status == 0 && found.errors.isEmpty, "\(found.errors)")
            return found.output
        }
        #expect(decoded[0] == decoded[1] && decoded[0].count == 5 * 64 * 48 * 2)
    }

    @Test("A camera's own images are passed through, bit by bit")
    func passed() throws {
        let scratch = try Scratch()
        let raw = Source.video(.yuyv)
        let image = try StillEncoder(raw, as: .jpeg).encode(Source.picture(raw).span.bytes)
        try Recording.pictures([image, image], Source.video(.mjpeg), to: scratch.path("a.mjpeg"))
        #expect(try Scratch.read(scratch.path("a.mjpeg")) == image + image)
    }
}
