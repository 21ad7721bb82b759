import CaptureBase
import CaptureEncoding
import Testing

@Suite("Clip formats")
struct ClipFormatTests {
    @Test(
        "The ending of a name decides, in any case of letters",
        arguments: [
            ("a.wav", ClipFormat.wav), ("dir.x/b.FLAC", .flac), ("c.mkv", .matroska), ("c.mka", .matroska),
            ("d.y4m", .y4m), ("f.opus", .opus), ("g.OGG", .opus), ("h.mjpeg", .mjpeg), ("e.raw", .raw),
            ("i.mp4", .mp4), ("j.M4A", .mp4),
            ("-", .matroska), ("null:", .nothing),
        ])
    func endings(argument: String, format: ClipFormat) throws {
        #expect(try ClipFormat(for: ClipDestination(argument)) == format)
    }

    @Test("A name that is given outweighs the ending")
    func named() throws {
        #expect(try ClipFormat(for: .standardOutput, named: "wav") == .wav)
        #expect(try ClipFormat(for: ClipDestination("x.dat"), named: "MKV") == .matroska)
    }

    @Test(
        "An unknown ending or name is a usage error that lists the known ones",
        arguments: ["memo", "a.avi", ".wav/x", "mkv"])
    func unknown(path: String) throws {
        let error = try #require(throws: CaptureError.self) { try ClipFormat(for: ClipDestination(path)) }
        #expect(error.kind == .usage)
        #expect(error.remedies.contains { $0.text.contains(".wav, .flac, .mkv") })
        #expect(throws: CaptureError.self) { try ClipFormat(for: .standardOutput, named: "avi") }
    }

    @Test("Tracks that a format can't hold are refused, naming what can")
    func tracks() throws {
        try ClipFormat.matroska.check([.audio, .video, .video])
        try ClipFormat.wav.check([.audio])
        for (format, kinds) in [
            (ClipFormat.wav, [MediaKind.audio, .video]), (.flac, [.video]), (.y4m, [.audio]), (.wav, [.audio, .audio]),
            (.raw, [.audio, .video]), (.matroska, []), (.mp4, []),
        ] {
            let error = try #require(throws: CaptureError.self) { try format.check(kinds) }
            #expect(error.kind == .usage && !error.remedies.isEmpty, "\(format) \(kinds)")
        }
    }
}
