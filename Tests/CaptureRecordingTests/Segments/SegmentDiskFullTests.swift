import CaptureGate
import ClipScenery
import Testing

@testable import CaptureRecording

@Suite("A disk that is full at a file's end")
struct SegmentDiskFullTests {
    private static let sound = AudioFormat(sampleRate: 8000, channels: 1, sampleFormat: .s16)

    /// Nothing waits in memory: a write that is over the limit fails at once.
    private static func writer(_ path: String, segment: Duration?) throws -> any ClipWriter {
        var settings = EncoderSettings()
        settings.audioCodec = .pcm
        return try RecordingTarget(.file(path: path), segment: segment, buffer: 0)
            .writer([Recording.track(sound)], ClipLabels(), settings)
    }

    /// Tenths of a second: the first 250 ms are written at once, and the rest of a second together.
    private static func write(_ tenths: Range<Int>, to writer: any ClipWriter) throws {
        for tenth in tenths {
            let period = Source.sound(sound, frames: 800, from: 800 * tenth)
            try writer.write(period.span.bytes, to: 0, at: Int64(tenth) * 100_000_000)
        }
    }

    private static func ledger(_ frames: UInt64) -> LossLedger {
        var track = TrackLedger(kind: .audio, name: Recording.microphone, device: "mic-1")
        (track.asked, track.delivered) = (frames, frames)
        return LossLedger(tracks: [track])
    }

    private static func frames(_ path: String, _ scratch: Scratch) throws -> Int {
        try Tool.output("ffmpeg", ["-v", "error", "-i", path, "-f", "s16le", "-"], in: scratch).count / 2
    }

    @Test("ends a recording in several files, which counts what they hold")
    func last() async {
        await #expect(processExitsWith: .success) {
            let scratch = try Scratch()
            let writer = try Self.writer(scratch.path("a.mka"), segment: .seconds(10))
            try Self.write(0..<8, to: writer)
            let clip = try FullDisk.during(bytes: Int(writer.bytesWritten) + 100) {
                try writer.finish(ledger: Self.ledger(6400), end: .complete)
            }
            #expect(clip.end == .diskFull && clip.segments.count == 1)
            let kept = try Self.frames(scratch.path("a-0001.mka"), scratch)
            #expect(kept > 0 && kept < 6400)
            #expect(clip.ledger.tracks[0].delivered == UInt64(kept))
            #expect(clip.duration.exactNanoseconds == Int64(kept) * 125_000)
        }
    }

    @Test("ends it also where another file is being written already")
    func before() async {
        await #expect(processExitsWith: .success) {
            let scratch = try Scratch()
            let writer = try Self.writer(scratch.path("a.mka"), segment: .seconds(1))
            try Self.write(0..<9, to: writer)
            try FullDisk.during(bytes: Int(writer.bytesWritten) + 100) {
                try Self.write(9..<12, to: writer)
                try writer.finishSegments { Self.ledger(9600) }
            }
            let error = #expect(throws: CaptureError.self) { try Self.write(12..<13, to: writer) }
            #expect(error?.kind == .diskFull)
            let clip = try writer.finish(ledger: Self.ledger(9600), end: .diskFull)
            #expect(clip.end == .diskFull && clip.segments.count == 2)
            let kept = try clip.segments.reduce(0) { try $0 + Self.frames($1.path, scratch) }
            #expect(kept > 1600 && kept < 9600)
            #expect(clip.ledger.tracks[0].delivered == UInt64(kept))
        }
    }

    @Test("is told of one of several outputs, and the others are complete", arguments: [nil, 10])
    func tee(segment: Int?) async {
        await #expect(processExitsWith: .success) { [segment] in
            let scratch = try Scratch()
            let tracks = [Recording.track(Self.sound)]
            let well = TeeBranch(
                path: "null:", writer: try ClipFormat.nothing.writer(on: ClipOutput(opening: .nothing), tracks: tracks),
                tracks: [0])
            let segment = segment.map { Duration.seconds($0) }
            let full = TeeBranch(
                path: "full", writer: try Self.writer(scratch.path("a.mka"), segment: segment), tracks: [0])
            let tee = TeeWriter(tracks, branches: [well, full])
            try Self.write(0..<8, to: tee)
            full.wait()
            let clip = try FullDisk.during(bytes: Int(full.bytesWritten) + 100) {
                try tee.finish(ledger: Self.ledger(6400), end: .complete)
            }
            #expect(clip.end == .complete && clip.ledger.tracks[0].delivered == 6400)
            let other = try #require(clip.tees.first)
            #expect(other.end == .diskFull && other.error?.kind == .diskFull)
            #expect(other.ledger.tracks[0].delivered * 125_000 == UInt64(other.duration.exactNanoseconds))
        }
    }
}
