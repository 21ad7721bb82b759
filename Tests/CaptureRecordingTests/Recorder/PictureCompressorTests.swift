import CaptureGate
import ClipScenery
import Testing

@testable import CaptureRecording

@Suite("Pictures that wait as JPEG images")
struct FrameCompressorTests {
    private let format = Source.video(.yuyv)

    /// More than the sixteen after which the codes are fitted again; one is short.
    private var pictures: [[UInt8]] {
        var pictures = (0..<40).map { Source.picture(format, number: $0) }
        pictures[5].removeLast()
        return pictures
    }

    private func writer(_ path: String, _ track: VideoFormat) throws -> any ClipWriter {
        let destination = ClipDestination(path)
        return try ClipFormat(for: destination).writer(
            on: ClipOutput(opening: destination), tracks: [Recording.track(track)])
    }

    /// Holds all of them first, then writes them.
    private func writeHeld(to path: String) throws -> EncoderCounts {
        let compressor = try FrameCompressor(format, MJPEGParameters())
        let held = PreRollBuffer()
        for (number, picture) in pictures.enumerated() {
            let header = FrameHeader(
                sequence: UInt64(number), timestamp: Recording.time(number, format), byteCount: picture.count,
                frameCount: 1)
            try compressor.withImage(of: picture.span.bytes) { held.append(header, $0) }
        }
        let writer = try writer(path, compressor.format)
        while !held.isEmpty {
            try held.takeFirst { (header, image) throws(CaptureError) in
                try writer.write(video: image, at: header.timestamp)
            }
        }
        _ = try writer.finish(ledger: Recording.ledger, end: .complete)
        return writer.counts(of: 0)
    }

    private func writeAtOnce(to path: String) throws -> EncoderCounts {
        let writer = try writer(path, format)
        for (number, picture) in pictures.enumerated() {
            try writer.write(video: picture.span.bytes, at: Recording.time(number, format))
        }
        _ = try writer.finish(ledger: Recording.ledger, end: .complete)
        return writer.counts(of: 0)
    }

    @Test("are the clip's packets, bit by bit, and what is broken is counted the same", arguments: ["mjpeg", "mkv"])
    func packets(ending: String) throws {
        let scratch = try Scratch()
        let held = try writeHeld(to: scratch.path("held.\(ending)"))
        #expect(try held == writeAtOnce(to: scratch.path("direct.\(ending)")))
        #expect(held.skipped == 1 && held.repaired == 0 && held.frames == 39)
        let packets = try ["held", "direct"].map { name in
            try Tool.text(
                "ffprobe",
                [
                    "-v", "error", "-show_data_hash", "md5", "-show_entries", "packet=pts,size,data_hash", "-of", "csv",
                    scratch.path("\(name).\(ending)"),
                ], in: scratch)
        }
        #expect(packets[0] == packets[1] && packets[0].split(separator: "\n").count == 39)
    }

    @Test("need a small part of the room")
    func room() throws {
        let compressor = try FrameCompressor(format, MJPEGParameters())
        for picture in pictures {
            try compressor.withImage(of: picture.span.bytes) { (image) throws(CaptureError) in
                #expect(image.byteCount < picture.count / 2)
            }
        }
    }

    @Test("are told as MJPEG of the camera's size and rate")
    func told() throws {
        let image = try FrameCompressor(Source.video(.nv12, 128, 96, rate: 25), MJPEGParameters()).format
        #expect(image == Source.video(.mjpeg, 128, 96, rate: 25))
    }

    @Test("can't be made of what the encoder does not take")
    func refused() {
        #expect(throws: CaptureError.self) { try FrameCompressor(format, MJPEGParameters(quality: 0)) }
        #expect(throws: CaptureError.self) { try FrameCompressor(Source.video(.mjpeg), MJPEGParameters()) }
    }

    @Test("are for clips that keep JPEG images, beside sound")
    func formats() {
        func keeping(_ codec: VideoCodec) -> Set<ClipFormat> {
            var settings = EncoderSettings()
            settings.videoCodec = codec
            return Set(ClipFormat.allCases.filter { $0.keepsJPEG(settings) })
        }
        #expect(keeping(.automatic) == [.matroska, .mjpeg, .wav, .flac, .opus])
        #expect(keeping(.mjpeg) == [.matroska, .mp4, .webm, .mjpeg, .wav, .flac, .opus])
        #expect(keeping(.raw) == [.mjpeg, .wav, .flac, .opus])
    }
}
