import CaptureBase
import CaptureEncoding
import ClipScenery
import Foundation
import Testing

@Suite("Matroska files")
struct MatroskaTests {
    private let video = Source.video(.yuyv, rate: 25)
    private let audio = AudioFormat(sampleRate: 48000, channels: 2, sampleFormat: .s16)

    /// Audio and video in the order in which devices deliver them, in turns.
    private func fill(_ writer: any ClipWriter, seconds: Int) throws {
        for frame in 0..<25 * seconds {
            let time = Int64(frame) * 40_000_000
            try writer.write(video: Source.picture(video, number: frame % 20).span.bytes, at: time)
            for period in 0..<4 {
                let sound = Source.sound(audio, frames: 480, from: 480 * (4 * frame + period))
                try writer.write(audio: sound.span.bytes, at: time + Int64(period) * 10_000_000)
            }
        }
    }

    private func record(_ path: String, seconds: Int, settings: EncoderSettings = EncoderSettings()) throws -> Clip {
        let writer = try ClipFormat.matroska.writer(
            on: ClipOutput(opening: .file(path: path)), tracks: [Recording.track(video), Recording.track(audio)],
            labels: ClipLabels(title: "A \"title\"", extra: ["GRANT": "17"]), settings: settings)
        try fill(writer, seconds: seconds)
        return try writer.finish(ledger: Recording.ledger, end: .complete)
    }

    private func probe(_ entries: String, _ path: String, _ scratch: Scratch) throws -> [String] {
        let found = try Tool.run(
            "ffprobe", ["-v", "warning", "-count_frames", "-show_entries", entries, "-of", "default=nw=1", path],
            in: scratch)
        // While it looks for streams, ffprobe misses the end of each JPEG in which it removed one stuffed byte and no more.
        let faults = found.errors.split(separator: "\n").filter { !$0.contains("EOI missing, emulating") }
        #expect(found.status == 0 && faults.isEmpty, "\(found.errors)")
        return found.text.split(separator: "\n").map(String.init)
    }

    @Test("ffprobe finds the frames, the durations and the names", arguments: [AudioCodec.pcm, .flac])
    func probed(codec: AudioCodec) throws {
        let scratch = try Scratch()
        var settings = EncoderSettings()
        settings.audioCodec = codec
        let clip = try record(scratch.path("a.mkv"), seconds: 3, settings: settings)
        #expect(clip.duration == .nanoseconds(3_000_000_000))
        let streams = try probe(
            "stream=codec_name,nb_read_frames,r_frame_rate,avg_frame_rate:stream_tags=title", scratch.path("a.mkv"),
            scratch)
        #expect(
            streams.starts(with: [
                "codec_name=mjpeg", "r_frame_rate=25/1", "avg_frame_rate=25/1", "nb_read_frames=75",
                "TAG:title=Test camera",
            ]))
        #expect(streams.contains("codec_name=" + (codec == .pcm ? "pcm_s16le" : "flac")))
        #expect(streams.last == "TAG:title=Test microphone")
        #expect(try probe("format=duration", scratch.path("a.mkv"), scratch) == ["duration=3.000000"])
    }

    @Test("mkvinfo and mkvmerge find no fault, and clusters are of 900 ms at most, the first of 250")
    func judged() throws {
        let scratch = try Scratch()
        _ = try record(scratch.path("a.mkv"), seconds: 3)
        let info = try Tool.run("mkvinfo", ["-v", "-v", scratch.path("a.mkv")], in: scratch)
        #expect(info.status == 0 && info.errors.isEmpty)
        #expect(!info.text.lowercased().contains("warning") && !info.text.lowercased().contains("error"))
        #expect(!info.text.contains("unknown"), "\(info.text)")
        // "| + Cluster timestamp: 00:00:00.240000000 at 442"
        let starts = info.text.split(separator: "\n").filter { $0.contains("Cluster timestamp") }
            .compactMap { $0.split(separator: ":").last?.split(separator: " ").first.flatMap { Double($0) } }
        let lengths = zip(starts.dropFirst(), starts).map { $0 - $1 }
        #expect(starts.count == 5 && lengths.dropFirst().allSatisfy { $0 > 0.7 && $0 <= 0.9 }, "\(starts)")
        #expect((0.15...0.25).contains(lengths.first ?? 0))
        for entry in ["Seek head", "Cues", "Tags"] { #expect(info.text.contains(entry)) }
        let merged = try Tool.run("mkvmerge", ["-o", scratch.path("b.mkv"), scratch.path("a.mkv")], in: scratch)
        #expect(merged.status == 0, "\(merged.text)")
    }

    @Test("Title, grant, devices and ledger are tags")
    func tags() throws {
        let scratch = try Scratch()
        _ = try record(scratch.path("a.mkv"), seconds: 1)
        let tags = try probe("format_tags:stream_tags", scratch.path("a.mkv"), scratch)
        for tag in [
            "TAG:TITLE=A \"title\"", "TAG:GRANT=17", "TAG:END_REASON=complete", "TAG:DEVICE_ID=cam-1",
            "TAG:DEVICE_ID=mic-1", "TAG:LOSS_LEDGER=" + Recording.ledger.json,
        ] { #expect(tags.contains(tag), "\(tag)") }
    }

    @Test("A clip whose last pictures were lost lasts as long as it was said to")
    func extended() throws {
        let scratch = try Scratch()
        let writer = try ClipFormat.matroska.writer(
            on: ClipOutput(opening: .file(path: scratch.path("a.mkv"))), tracks: [Recording.track(video)])
        for number in 0..<3 {
            let picture = Source.picture(video, number: number)
            try writer.write(video: picture.span.bytes, at: Recording.time(number, video))
        }
        writer.extend(to: 2_000_000_000)
        let clip = try writer.finish(ledger: Recording.ledger, end: .complete)
        #expect(clip.duration == .nanoseconds(2_000_000_000))
        #expect(try probe("format=duration", scratch.path("a.mkv"), scratch).contains("duration=2.000000"))
    }

    @Test("ffmpeg seeks by the index")
    func seek() throws {
        let scratch = try Scratch()
        _ = try record(scratch.path("a.mkv"), seconds: 4)
        let found = try Tool.text(
            "ffprobe",
            [
                "-v", "error", "-read_intervals", "2.5%+#1", "-select_streams", "v", "-show_entries",
                "packet=pts_time,flags", "-of", "csv=p=0", scratch.path("a.mkv"),
            ], in: scratch)
        // The start of the cluster that it is in.
        let start = try #require(Double(found.prefix { $0 != "," }))
        #expect(start > 1.5 && start <= 2.5 && found.contains(",K"), "\(found)")
    }

    @Test("Cut anywhere behind the first cluster, it plays up to its last whole cluster", arguments: 0..<8)
    func cut(number: Int) throws {
        let scratch = try Scratch()
        let writer = try ClipFormat.matroska.writer(
            on: ClipOutput(opening: .file(path: scratch.path("a.mkv"))),
            tracks: [Recording.track(video), Recording.track(audio)])
        try fill(writer, seconds: 3)
        let whole = try Scratch.read(scratch.path("a.mkv.partial"))
        writer.discard()
        let first = try #require(secondCluster(whole))
        let length = first + (whole.count - first) * number / 7
        try scratch.write(Array(whole[..<length]), to: "cut.mkv")
        let found = try Tool.text(
            "ffprobe",
            [
                "-v", "quiet", "-count_frames", "-select_streams", "v", "-show_entries", "stream=nb_read_frames", "-of",
                "csv=p=0", scratch.path("cut.mkv"),
            ], in: scratch)
        let frames = try #require(Int(found.prefix { $0.isNumber }))
        // At least 5 in the first quarter of a second, then 20 a cluster.
        let clusters = clusterStarts(whole).filter { $0 <= length }.count
        let wholeOnes = number == 7 ? clusters : clusters - 1
        #expect(frames >= 5 + 20 * (wholeOnes - 1))
    }

    private func clusterStarts(_ bytes: [UInt8]) -> [Int] {
        (0..<bytes.count - 4).filter {
            bytes[$0] == 0x1F && bytes[$0 + 1] == 0x43 && bytes[$0 + 2] == 0xB6 && bytes[$0 + 3] == 0x75
        }
    }

    private func secondCluster(_ bytes: [UInt8]) -> Int? { clusterStarts(bytes).dropFirst().first }

    @Test("A pipe gets a file that plays without index and duration")
    func pipe() throws {
        let scratch = try Scratch()
        let bytes = try Pipe.write(.matroska, [Recording.track(video), Recording.track(audio)]) {
            try fill($0, seconds: 2)
        }
        try scratch.write(bytes, to: "piped.mkv")
        // Its duration can only be guessed, which is no error.
        let frames = try Tool.run(
            "ffprobe",
            [
                "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0",
                scratch.path("piped.mkv"),
            ], in: scratch)
        #expect(frames.text.hasPrefix("50\n") && frames.errors.isEmpty, "\(frames.text) \(frames.errors)")
        #expect(try Tool.run("mkvinfo", ["-v", scratch.path("piped.mkv")], in: scratch).status == 0)
    }

    @Test("Times that stand still or go back are made to rise by a tick")
    func rising() throws {
        let scratch = try Scratch()
        let writer = try ClipFormat.matroska.writer(
            on: ClipOutput(opening: .file(path: scratch.path("a.mkv"))), tracks: [Recording.track(video)])
        for time in [-5, 0, 0, 40_000_000, 20_000_000, 80_000_000] as [Int64] {
            try writer.write(video: Source.picture(video).span.bytes, at: time)
        }
        _ = try writer.finish(ledger: LossLedger(), end: .complete)
        let found = try Tool.text(
            "ffprobe", ["-v", "error", "-show_entries", "packet=pts", "-of", "csv=p=0", scratch.path("a.mkv")],
            in: scratch)
        #expect(found.split(whereSeparator: { $0 == "\n" || $0 == "," }) == ["0", "1", "2", "1280", "1281", "2560"])
    }

    @Test("A pause longer than a cluster, and a lone frame, are stored at their times")
    func pause() throws {
        let scratch = try Scratch()
        let writer = try ClipFormat.matroska.writer(
            on: ClipOutput(opening: .file(path: scratch.path("a.mkv"))), tracks: [Recording.track(video)])
        for time in [0, 70_000_000_000] as [Int64] {
            try writer.write(video: Source.picture(video).span.bytes, at: time)
        }
        #expect(try writer.finish(ledger: LossLedger(), end: .complete).duration == .nanoseconds(70_040_000_000))
        #expect(
            try probe("packet=pts_time", scratch.path("a.mkv"), scratch) == ["pts_time=0.000000", "pts_time=70.000000"])
    }

    @Test("Minutes of sound handed in at once are stored in short packets")
    func atOnce() throws {
        let scratch = try Scratch()
        let format = AudioFormat(sampleRate: 8000, channels: 1, sampleFormat: .s16)
        var settings = EncoderSettings()
        settings.audioCodec = .pcm
        let writer = try ClipFormat.matroska.writer(
            on: ClipOutput(opening: .file(path: scratch.path("a.mka"))), tracks: [Recording.track(format)],
            settings: settings)
        try writer.write(audio: Source.sound(format, frames: 8000 * 100 + 1).span.bytes, at: 0)
        #expect(writer.counts(of: 0).packets == 401)
        #expect(try writer.finish(ledger: LossLedger(), end: .complete).duration == .nanoseconds(100_000_125_000))
        let packets = try probe("packet=pts_time", scratch.path("a.mka"), scratch)
        #expect(packets.count == 401 && packets.last == "pts_time=100.000000")
    }

    @Test("A clip without a frame is a whole file too")
    func empty() throws {
        let scratch = try Scratch()
        let writer = try ClipFormat.matroska.writer(
            on: ClipOutput(opening: .file(path: scratch.path("a.mkv"))), tracks: [Recording.track(audio)])
        #expect(try writer.finish(ledger: LossLedger(), end: .deviceGone).duration == .zero)
        #expect(try Tool.run("mkvinfo", ["-v", scratch.path("a.mkv")], in: scratch).status == 0)
    }

    @Test(
        "Uncompressed pictures come back bit by bit",
        arguments: [
            (PixelFormat.yuyv, "yuyv422"), (.uyvy, "uyvy422"), (.nv12, "nv12"), (.yuv420, "yuv420p"), (.grey, "gray"),
        ])
    func uncompressed(format: PixelFormat, name: String) throws {
        let scratch = try Scratch()
        let padded = Source.video(format, bytesPerLine: 192)
        var settings = EncoderSettings()
        settings.videoCodec = .raw
        try Recording.pictures(
            (0..<3).map { Source.picture(padded, number: $0) }, padded, to: scratch.path("a.mkv"), settings: settings)
        let tight = Source.video(format)
        let decoded = try Tool.output(
            "ffmpeg", ["-v", "error", "-i", scratch.path("a.mkv"), "-f", "rawvideo", "-pix_fmt", name, "-"], in: scratch
        )
        #expect(decoded == Array((0..<3).map { Source.picture(tight, number: $0) }.joined()))
    }

    @Test(
        "Pictures larger than a cluster are those of the buffer, with sound between them, padded or not",
        arguments: [(PixelFormat.yuyv, "yuyv422", 0), (.yuyv, "yuyv422", 2112), (.yuv420, "yuv420p", 0)])
    func large(format: PixelFormat, name: String, bytesPerLine: Int) throws {
        let scratch = try Scratch()
        let path = scratch.path("a.mkv")
        let picture = Source.video(format, 1024, 768, bytesPerLine: bytesPerLine, rate: 25)
        let count = 3
        let frames = (0..<count).map { Source.picture(picture, number: $0) }
        var settings = EncoderSettings()
        settings.videoCodec = .raw
        let writer = try ClipFormat.matroska.writer(
            on: ClipOutput(opening: .file(path: path)), tracks: [Recording.track(picture), Recording.track(audio)],
            settings: settings)
        let sound = Source.sound(audio, frames: count * 1920)
        for (number, frame) in frames.enumerated() {
            try writer.write(video: frame.span.bytes, at: Recording.time(number, picture))
            let size = 1920 * audio.bytesPerFrame
            let period = Array(sound[number * size..<(number + 1) * size])
            try writer.write(audio: period.span.bytes, at: Recording.time(number * 1920, audio))
        }
        #expect(writer.counts(of: 0).packets == UInt64(count))
        let clip = try writer.finish(ledger: LossLedger(), end: .complete)
        #expect(clip.duration == .nanoseconds(Int64(count) * 40_000_000))
        let decoded = try Tool.output(
            "ffmpeg", ["-v", "error", "-i", path, "-map", "0:v", "-f", "rawvideo", "-pix_fmt", name, "-"], in: scratch)
        let tight = Source.video(format, 1024, 768, rate: 25)
        let expected = (bytesPerLine == 0 ? frames : (0..<count).map { Source.picture(tight, number: $0) })
            .reduce(into: [UInt8]()) { $0 += $1 }
        // Outside the expectation, which would search for each difference between megabytes.
        let isSame = decoded == expected
        #expect(isSame, "\(decoded.count) bytes")
        let heard = try Tool.output(
            "ffmpeg", ["-v", "error", "-i", path, "-map", "0:a", "-f", "s16le", "-"], in: scratch)
        let isHeard = heard == sound
        #expect(isHeard, "\(heard.count) bytes")
        let times = try probe("packet=codec_type,pts_time", path, scratch).pairs.filter { $0.0 == "codec_type=video" }
        #expect(times.map(\.1) == (0..<count).map { String(format: "pts_time=%.6f", Double($0) / 25) })
        #expect(try Tool.run("mkvinfo", ["-v", path], in: scratch).status == 0)
    }
}

extension [String] {
    /// Each two that follow one another.
    fileprivate var pairs: [(String, String)] {
        stride(from: 0, to: count - 1, by: 2).map { (self[$0], self[$0 + 1]) }
    }
}
