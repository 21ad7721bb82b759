import CaptureBase
import CaptureEncoding
import ClipScenery
import Testing

@Suite("Encoders that a build may lack")
struct CodecLibraryTests {
    @Test("One that is missing is told before anybody is asked, with a pipe that makes the file")
    func told() throws {
        for codec in VideoCodec.allCases {
            var settings = EncoderSettings()
            settings.videoCodec = codec
            let error: CaptureError?
            do throws(CaptureError) {
                try settings.check(for: .matroska, [.video], to: .file(path: "a.mkv"))
                error = nil
            } catch let found {
                error = found
            }
            #expect((error == nil) == codec.isAvailable, "\(codec)")
            guard let error else { continue }
            #expect(error.kind == .unavailable)
            #expect(error.remedies.first?.action == .transcode(path: "a.mkv", sound: false, picture: true))
        }
    }

    @Test("A clip of a format has the codecs that its players know")
    func chosen() {
        let mp4 = EncoderSettings().chosen(for: .mp4)
        #expect(mp4.videoCodec == .h264 && mp4.audioCodec == .aac)
        let webm = EncoderSettings().chosen(for: .webm)
        #expect(webm.videoCodec == .vp8 && webm.audioCodec == .opus)
        #expect(EncoderSettings().chosen(for: .matroska) == EncoderSettings())
        var said = EncoderSettings()
        (said.videoCodec, said.audioCodec) = (.mjpeg, .flac)
        #expect(said.chosen(for: .mp4) == said)
    }

    @Test(
        "An ending of another program's format comes with the pipe that makes it",
        arguments: [("a.avi", true, true), ("b/c.MOV", true, true), ("d.mp3", true, false), ("e.gif", false, true)])
    func elsewhere(path: String, sound: Bool, picture: Bool) throws {
        let error = try #require(throws: CaptureError.self) { try ClipFormat(for: .file(path: path)) }
        #expect(error.kind == .usage)
        #expect(error.remedies.first?.action == .transcode(path: path, sound: sound, picture: picture))
    }
}
