import CaptureBase
import ClipScenery
import Glibc
import Testing

@testable import CaptureEncoding

/// Example of a failure that these find: a Matroska file that another program has emptied continues with zeros in front, and is
/// reported as complete.
@Suite("A partial file that another program cuts")
struct CutFileTests {
    static let formats: [ClipFormat] = [.wav, .flac, .opus, .matroska, .mp4, .y4m, .mjpeg, .raw]
    private static let sound = AudioFormat(sampleRate: 48_000, channels: 1, sampleFormat: .s16)

    enum Moment: CaseIterable, Sendable {
        case meanwhile, atTheEnd
    }

    enum Length: String, CaseIterable, Sendable {
        case nothing, half, allButOne
    }

    @Test("is told of, and is no clip, in every format", arguments: formats, Length.allCases)
    func cut(format: ClipFormat, to length: Length) throws {
        for moment in Moment.allCases {
            let scratch = try Scratch()
            let path = scratch.path("a." + (format.endings.first ?? ""))
            let writer = try writer(format, path)
            try write(to: writer, 0..<40)
            var status = stat()
            #expect(stat(path + ".partial", &status) == 0 && status.st_size > 1)
            let left = [Length.nothing: 0, .half: status.st_size / 2, .allButOne: status.st_size - 1][length] ?? 0
            truncate(path + ".partial", left)
            if moment == .meanwhile {
                let error = try #require(throws: CaptureError.self) { try write(to: writer, 40..<100) }
                #expect(error.kind == .inputOutput && error.message.contains("was cut to \(left) of"), "\(error)")
            }
            let error = try #require(throws: CaptureError.self) {
                _ = try writer.finish(ledger: LossLedger(), end: .complete)
            }
            #expect(error.kind == .inputOutput && error.message.contains("was cut to \(left) of"), "\(error)")
            #expect(
                scratch.names.filter { $0.hasPrefix("a.") } == [path.split(separator: "/").last.map { $0 + ".partial" }]
            )
            #expect(stat(path + ".partial", &status) == 0 && status.st_size == left)
        }
    }

    private func writer(_ format: ClipFormat, _ path: String) throws -> any ClipWriter {
        let track =
            format.kinds.contains(.video) && format != .raw
            ? Recording.track(Source.video(.yuyv, rate: 25)) : Recording.track(Self.sound)
        return try format.writer(on: ClipOutput(opening: .file(path: path)), tracks: [track])
    }

    /// A twenty-fifth of a second each.
    private func write(to writer: any ClipWriter, _ numbers: Range<Int>) throws {
        for number in numbers {
            let isVideo = writer.tracks[0].kind == .video
            let bytes =
                isVideo
                ? Source.picture(Source.video(.yuyv, rate: 25), number: number % 20)
                : Source.tones(Self.sound, frames: 1920)
            try writer.write(bytes.span.bytes, to: 0, at: Int64(number) * 40_000_000)
        }
    }
}
