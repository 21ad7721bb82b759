import CaptureGate
import ClipScenery
import Foundation
import Testing

@testable import CaptureRecording

@Suite("Segments")
struct SegmentTests {
    private let sound = AudioFormat(sampleRate: 44_100, channels: 2, sampleFormat: .s16)
    private let video = Source.video(.yuyv)

    private func target(
        _ path: String, _ segment: Duration, maxBytes: Int64? = nil
    ) throws -> RecordingTarget {
        try RecordingTarget(.file(path: path), segment: segment, maxBytes: maxBytes)
    }

    private func writer(_ target: RecordingTarget, _ tracks: [ClipTrack]) throws -> any ClipWriter {
        try target.writer(tracks, ClipLabels(), EncoderSettings())
    }

    /// Writes audio in periods of uneven length, so that no cut is between two.
    private func write(_ frames: Int, to writer: any ClipWriter, track: Int = 0) throws {
        var first = 0
        while first < frames {
            let count = min(997 + first % 613, frames - first)
            let bytes = Source.sound(sound, frames: count, from: first)
            try writer.write(bytes.span.bytes, to: track, at: Recording.time(first, sound))
            first += count
        }
    }

    private func samples(_ path: String, in scratch: Scratch) throws -> [UInt8] {
        try Tool.output("ffmpeg", ["-v", "error", "-i", path, "-f", "s16le", "-"], in: scratch)
    }

    @Test("the samples of all files in turn are those that came, bit by bit", arguments: ["wav", "flac", "mka"])
    func lossless(ending: String) throws {
        let scratch = try Scratch()
        let writer = try writer(try target(scratch.path("a.\(ending)"), .milliseconds(310)), [Recording.track(sound)])
        try write(44_100, to: writer)
        let clip = try writer.finish(ledger: LossLedger(), end: .complete)
        #expect(clip.segments.map(\.path) == (1...4).map { scratch.path("a-000\($0).\(ending)") })
        #expect(scratch.names == (1...4).map { "a-000\($0).\(ending)" })
        let heard = try clip.segments.map { try samples($0.path, in: scratch) }
        #expect(heard.map { $0.count / 4 } == [13_671, 13_671, 13_671, 3_087])
        #expect(heard.flatMap { $0 } == Source.sound(sound, frames: 44_100))
        #expect(clip.duration == .nanoseconds(1_000_000_000))
        #expect(clip.segments.map(\.start) == [0, 310, 620, 930].map { .milliseconds($0) })
        #expect(clip.bytes == clip.segments.reduce(0) { $0 + $1.bytes })
    }

    @Test("Opus files have every sample's place, too")
    func opus() throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 48_000, channels: 1, sampleFormat: .s16)
        let writer = try writer(try target(scratch.path("a.opus"), .milliseconds(250)), [Recording.track(format)])
        let tones = Source.tones(format, frames: 36_000)
        for first in stride(from: 0, to: 36_000, by: 1200) {
            let period = Array(tones[2 * first..<2 * (first + 1200)])
            try writer.write(period.span.bytes, to: 0, at: Recording.time(first, format))
        }
        let clip = try writer.finish(ledger: LossLedger(), end: .complete)
        #expect(try clip.segments.map { try samples($0.path, in: scratch).count / 2 } == [12_000, 12_000, 12_000])
    }

    @Test("picture and sound are cut at the same moment, however unevenly they come")
    func together() throws {
        let scratch = try Scratch()
        let tracks = [Recording.track(video), Recording.track(sound)]
        let writer = try writer(try target(scratch.path("a.mkv"), .milliseconds(500)), tracks)
        // All frames of a second before its audio, and then the audio of the next before its frames.
        func pictures(_ range: Range<Int>) throws {
            for number in range {
                let picture = Source.picture(video, number: number)
                try writer.write(picture.span.bytes, to: 0, at: Recording.time(number, video))
            }
        }
        try pictures(0..<30)
        try write(88_200, to: writer, track: 1)
        try pictures(30..<60)
        let clip = try writer.finish(ledger: LossLedger(), end: .complete)
        #expect(clip.segments.count == 4)
        for part in clip.segments {
            // The last ends with its last frame, the others at the cut.
            #expect((499_999_990...500_000_000).contains(part.duration.exactNanoseconds))
            #expect(try samples(part.path, in: scratch).count / 4 == 22_050)
            let entries = ["-count_packets", "-select_streams", "v", "-show_entries", "stream=nb_read_packets"]
            let count = try Tool.text(
                "ffprobe", ["-v", "error", "-of", "csv=p=0"] + entries + [part.path], in: scratch)
            #expect(count.trimmingCharacters(in: .whitespacesAndNewlines) == "15")
            #expect(try Tool.run("mkvinfo", ["-v", part.path], in: scratch).status == 0)
        }
        #expect(try clip.segments.flatMap { try samples($0.path, in: scratch) } == Source.sound(sound, frames: 88_200))
    }

    @Test("each file is whole and has its name while the next is being written, and its own ledger")
    func atOnce() throws {
        let scratch = try Scratch()
        let target = try target(scratch.path("a.mka"), .milliseconds(500))
        let writer = try writer(target, [Recording.track(sound)])
        var ledger = TrackLedger(kind: .audio, name: "", device: "")
        ledger.lost.xrun = 7
        ledger.filled = 5
        try write(44_100, to: writer)
        try writer.finishSegments { LossLedger(tracks: [ledger]) }
        target.finishing?.wait()
        #expect(target.finishing?.takeFinished().map(\.path) == [scratch.path("a-0001.mka")])
        #expect(scratch.names == ["a-0001.mka", "a-0002.mka.partial"])
        #expect(try samples(scratch.path("a-0001.mka"), in: scratch).count / 4 == 22_050)
        _ = try writer.finish(ledger: LossLedger(tracks: [ledger]), end: .interrupt)
        func tags(_ number: Int) throws -> String {
            let entries = ["-show_entries", "format_tags=LOSS_LEDGER,END_REASON"]
            return try Tool.text(
                "ffprobe", ["-v", "error", "-of", "json"] + entries + [scratch.path("a-000\(number).mka")], in: scratch)
        }
        let (first, second) = (try tags(1), try tags(2))
        #expect(first.contains(#"\"delivered\":22045"#) && first.contains(#"\"xrun\":7"#))
        #expect(first.contains(#"\"filled\":5"#) && first.contains("complete"))
        #expect(second.contains(#"\"delivered\":22050"#) && second.contains(#"\"xrun\":0"#))
        #expect(second.contains("interrupt"))
    }

    @Test("a file that becomes too large makes way for the next one sooner", arguments: ["wav", "mka"])
    func bySize(ending: String) throws {
        let scratch = try Scratch()
        let target = try target(scratch.path("a.\(ending)"), .seconds(60), maxBytes: 150_000)
        let writer = try writer(target, [Recording.track(sound)])
        try write(132_300, to: writer)
        let clip = try writer.finish(ledger: LossLedger(), end: .complete)
        #expect(clip.segments.count >= 4)
        for part in clip.segments {
            let size = try Scratch.read(part.path).count
            #expect(size == Int(part.bytes) && size <= 150_000)
            #expect(size > 45_000 || part == clip.segments.last, "\(part.path) is \(size)")
        }
        #expect(try clip.segments.flatMap { try samples($0.path, in: scratch) } == Source.sound(sound, frames: 132_300))
    }

    @Test("it does so, too, where the sound comes long after the pictures, as that of a microphone that was away")
    func bySizeLate() throws {
        let scratch = try Scratch()
        let target = try target(scratch.path("a.mkv"), .seconds(60), maxBytes: 400_000)
        let writer = try writer(target, [Recording.track(video), Recording.track(sound)])
        try write(4410, to: writer, track: 1)
        for number in 0..<120 {
            let picture = Source.picture(video, number: number % 40)
            try writer.write(picture.span.bytes, to: 0, at: Recording.time(number, video))
        }
        let late = Source.sound(sound, frames: 171_990, from: 4410)
        try writer.write(late.span.bytes, to: 1, at: Recording.time(4410, sound))
        let clip = try writer.finish(ledger: LossLedger(), end: .complete)
        #expect(clip.end == .complete && clip.segments.count > 2)
        for part in clip.segments { #expect(try Scratch.read(part.path).count <= 400_000) }
        #expect(try clip.segments.flatMap { try samples($0.path, in: scratch) } == Source.sound(sound, frames: 176_400))
    }

    @Test("a picture much larger than all before it makes a file larger, and ends nothing")
    func bySizeSurprise() throws {
        let scratch = try Scratch()
        let large = Source.video(.yuyv, 640, 480)
        let target = try target(scratch.path("a.mkv"), .seconds(60), maxBytes: 150_000)
        let writer = try writer(target, [Recording.track(large)])
        let flat = [UInt8](repeating: 128, count: 640 * 480 * 2)
        let noise = (0..<UInt32(flat.count)).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }
        for number in 0..<12 {
            let picture = number == 8 ? noise : flat
            try writer.write(picture.span.bytes, to: 0, at: Recording.time(number, large))
        }
        let clip = try writer.finish(ledger: LossLedger(), end: .complete)
        #expect(clip.end == .complete && clip.segments.count > 1)
        #expect(clip.segments.count { $0.bytes > 150_000 } == 1)
        #expect(clip.duration.exactNanoseconds >= 12 * large.frameRate.frameNanoseconds)
    }

    @Test("a size that not even the first picture has room in is refused, instead of a file for each picture")
    func bySizeTooSmall() throws {
        let scratch = try Scratch()
        let large = Source.video(.yuyv, 640, 480)
        let target = try target(scratch.path("a.mkv"), .seconds(60), maxBytes: 100_000)
        let writer = try writer(target, [Recording.track(large)])
        let noise = (0..<UInt32(640 * 480 * 2)).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }
        #expect(throws: CaptureError.sizeReached) { try writer.write(noise.span.bytes, to: 0, at: 0) }
        writer.discard()
        #expect(scratch.names.isEmpty)
    }

    @Test("a part that exists already is told before anything is recorded")
    func existing() throws {
        let scratch = try Scratch()
        try scratch.write([1], to: "a-0007.wav")
        let error = try #require(throws: CaptureError.self) {
            _ = try target(scratch.path("a.wav"), .seconds(1))
        }
        #expect(error.kind == .fileExists && error.message.contains("a-0007.wav"))
        #expect(scratch.names == ["a-0007.wav"])
    }

    @Test("one that appears meanwhile is kept, and so is the part")
    func appearing() throws {
        let scratch = try Scratch()
        let target = try target(scratch.path("a.wav"), .milliseconds(500))
        let writer = try writer(target, [Recording.track(sound)])
        try scratch.write([1], to: "a-0001.wav")
        try write(44_100, to: writer)
        let error = try #require(throws: CaptureError.self) {
            _ = try writer.finish(ledger: LossLedger(), end: .complete)
        }
        #expect(error.kind == .fileExists)
        #expect(try Scratch.read(scratch.path("a-0001.wav")) == [1])
        #expect(scratch.names == ["a-0001.wav", "a-0001.wav.partial", "a-0002.wav"])
    }

    @Test("once a part could not have its name, nothing more is taken")
    func unnamed() throws {
        let scratch = try Scratch()
        let target = try target(scratch.path("a.wav"), .milliseconds(500))
        let writer = try writer(target, [Recording.track(sound)])
        try scratch.write([1], to: "a-0001.wav")
        try write(33_075, to: writer)
        try writer.finishSegments { LossLedger() }
        target.finishing?.wait()
        let error = try #require(throws: CaptureError.self) { try write(100, to: writer) }
        #expect(error.kind == .fileExists && error.message.contains("a-0001.wav"))
        writer.discard()
        #expect(scratch.names == ["a-0001.wav", "a-0001.wav.partial"])
    }

    @Test("where the next file can't be opened, all that comes later is refused, and the file before is whole")
    func unopened() throws {
        let scratch = try Scratch()
        let tracks = [Recording.track(sound), Recording.track(sound)]
        let writer = try writer(try target(scratch.path("a.mka"), .milliseconds(500)), tracks)
        try write(22_050, to: writer)
        try write(11_025, to: writer, track: 1)
        try scratch.write([1], to: "a-0002.mka")
        // What a device still has inside is written when the recording has failed already.
        for track in [0, 0, 1] {
            let error = try #require(throws: CaptureError.self) { try write(22_050, to: writer, track: track) }
            #expect(error.kind == .fileExists && error.message.contains("a-0002.mka"))
        }
        let clip = try writer.finish(ledger: LossLedger(), end: .failure)
        #expect(clip.segments.map(\.path) == [scratch.path("a-0001.mka")])
        #expect(scratch.names == ["a-0001.mka", "a-0002.mka"])
        #expect(try Scratch.read(scratch.path("a-0002.mka")) == [1])
        #expect(try samples(scratch.path("a-0001.mka"), in: scratch).count / 4 == 22_050)
    }

    @Test("standard output can't be cut, and a segment has its least length")
    func usage() throws {
        let scratch = try Scratch()
        for (destination, segment) in [
            (ClipDestination.standardOutput, Duration.seconds(1)), (.file(path: scratch.path("a.mkv")), .zero),
        ] {
            let error = try #require(throws: CaptureError.self) {
                _ = try RecordingTarget(destination, segment: segment)
            }
            #expect(error.kind == .usage)
        }
        #expect(scratch.names.isEmpty)
    }
}
