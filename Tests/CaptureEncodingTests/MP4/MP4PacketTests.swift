import CaptureBase
import ClipScenery
import Foundation
import Testing

@testable import CaptureEncoding

@Suite("Packets of other encoders in MP4")
struct MP4PacketTests {
    private let ntsc = FrameRate(unchecked: 30_000, 1001)
    private let audio = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s16)

    private func time(_ track: Int, _ number: Int) -> Int64 {
        track == 0 ? Int64(number) * 1001 * 1_000_000_000 / 30_000 : Recording.time(1024 * number, audio)
    }

    @Test(
        "H.264 and H.265 with AAC decode whole, at the times they were written with", arguments: ["libx264", "libx265"])
    func whole(library: String) throws {
        let scratch = try Scratch()
        let path = scratch.path("a.mp4")
        let tracks = [
            try PreparedTrack.video(ntsc, frames: 90, keyInterval: 45, library: library, in: scratch),
            try PreparedTrack.aac(seconds: 3, in: scratch),
        ]
        // The microphone began a tenth of a second after the camera.
        let writer = try PreparedTrack.writer(
            to: ClipOutput(opening: .file(path: path)), tracks, at: [0, 100_000_000], time: time)
        _ = try writer.finish(ledger: Recording.ledger, end: .complete)
        #expect(try MP4Judge.fault(path, scratch) == nil)
        #expect(try MP4Judge.packets("pts", path, scratch, stream: "v") == (0..<90).map { 3003 * $0 })
        // What the encoder puts ahead of the first sample is not played: it lies ahead of the track's start.
        let heard = try MP4Judge.packets("pts", path, scratch, stream: "a")
        #expect(heard == heard.indices.map { 4800 + 1024 * (Int64($0) - 1) })
        let streams = try MP4Judge.probe("stream=start_time,nb_read_frames,r_frame_rate", path, scratch)
        #expect(
            streams == [
                "r_frame_rate=30000/1001", "start_time=0.000000", "nb_read_frames=90", "r_frame_rate=0/0",
                "start_time=0.100000", "nb_read_frames=\(heard.count - 1)",
            ])
        let keys = try MP4Judge.probe("packet=flags", path, scratch, stream: "v")
        #expect(keys.indices.filter { keys[$0].contains("K") } == [0, 45])
        // Outside the expectation, which would search for each difference.
        let isSame = try MP4Judge.packets("video_0", path, scratch) == tracks[0].encoder.bytes()
        #expect(isSame)
        // qtdemux drops the last audio packet after an edit, also in files of other programs.
        let taken = try MP4Judge.packets("audio_0", path, scratch)
        let isHeard = tracks[1].encoder.bytes(from: 1).starts(with: taken)
        #expect(isHeard && taken.count > tracks[1].encoder.bytes(from: 1).count - 1000)
    }

    @Test("Each frame keeps the time that its camera gave it, and the rate may change")
    func variable() throws {
        let scratch = try Scratch()
        let path = scratch.path("a.mp4")
        let tracks = [
            try PreparedTrack.video(FrameRate(unchecked: 30, 1), frames: 60, keyInterval: 30, in: scratch)
        ]
        var random = SystemRandomNumberGenerator.Seeded(3)
        // Half at 30 frames a second and half at 15, each a few milliseconds early or late.
        let times = (0..<60).map { number -> Int64 in
            let early: Int = min(number, 30) + 2 * max(number - 30, 0)
            return Int64(early) * 33_333_333 + Int64.random(in: 0...6_000_000, using: &random)
        }
        let writer = try PreparedTrack.writer(to: ClipOutput(opening: .file(path: path)), tracks) { times[$1] }
        _ = try writer.finish(ledger: Recording.ledger, end: .complete)
        let start = try #require(times.first)
        let shown = try MP4Judge.packets("pts", path, scratch, stream: "v")
        let first = try #require(shown.first)
        #expect(shown.count == 60 && abs(first - start * 9 / 100_000) <= 1)
        for (tick, time) in zip(shown, times) { #expect(abs(tick * 100_000 - time * 9) <= 50_000, "\(tick) \(time)") }
    }

    @Test("A fragment begins at each key frame, and none is longer than 0.9 s")
    func fragments() throws {
        let scratch = try Scratch()
        let path = scratch.path("a.mp4")
        let tracks = [
            try PreparedTrack.video(FrameRate(unchecked: 25, 1), frames: 100, keyInterval: 40, in: scratch)
        ]
        let writer = try PreparedTrack.writer(to: ClipOutput(opening: .file(path: path)), tracks) {
            Int64($1) * 40_000_000
        }
        let bytes = try Scratch.read(path + ".partial")
        writer.discard()
        // `tfdt` contains the time of the first sample in ticks of 90 kHz, after its version and flags.
        let starts = bytes.places(of: Array("tfdt".utf8)).map { place in
            bytes[place + 8..<place + 16].reduce(0) { $0 << 8 | Int($1) } / 3600
        }
        #expect(starts.first == 0 && starts.contains(40), "\(starts)")
        #expect(zip(starts.dropFirst(), starts).allSatisfy { $0 - $1 <= 22 } && starts[1] <= 6, "\(starts)")
    }

    @Test("Torn at any of many places, what is whole is recovered, or the file is refused")
    func torn() throws {
        let scratch = try Scratch()
        let tracks = [
            try PreparedTrack.video(ntsc, frames: 45, keyInterval: 15, size: (64, 48), in: scratch),
            try PreparedTrack.aac(seconds: 1, in: scratch),
        ]
        let writer = try PreparedTrack.writer(
            to: ClipOutput(opening: .file(path: scratch.path("a.mp4"))), tracks, room: 4096, time: time)
        let growing = try Scratch.read(scratch.path("a.mp4.partial"))
        _ = try writer.finish(ledger: Recording.ledger, end: .complete)
        let finished = try Scratch.read(scratch.path("a.mp4"))
        let first = try #require(growing.places(of: Array("moof".utf8)).first) - 4
        var random = SystemRandomNumberGenerator.Seeded(17)
        for number in 0..<Extent.count(of: 1000) {
            let whole = number % 4 == 0 ? finished : growing
            // Usually after the head.
            let length = Int.random(in: (number % 10 == 0 ? 0 : first)...whole.count, using: &random)
            try scratch.write(Array(whole[..<length]), to: "t.mp4.partial")
            do {
                let report = try ClipRecovery(
                    of: scratch.path("t.mp4.partial"), to: scratch.path("t.mp4"), replacing: true
                )
                .run(removingSource: false)
                #expect(length >= first && report.losses.allSatisfy { $0.reason == .tornEnd }, "cut at \(length)")
                #expect(report.lostBytes <= Int64(length))
                if number % 20 == 1 {
                    let decoded = try Tool.run(
                        "ffmpeg", ["-v", "error", "-i", report.path, "-f", "null", "-"], in: scratch)
                    #expect(decoded.status == 0 && decoded.errors.isEmpty, "cut at \(length): \(decoded.errors)")
                    let frames = try MP4Judge.packets("pts", report.path, scratch, stream: "v").count
                    #expect(frames == report.tracks[0].frames, "cut at \(length)")
                }
            } catch {
                let refusal = try #require(error as? CaptureError)
                #expect(refusal.kind == .badInput && length < first + 20_000, "cut at \(length): \(error)")
            }
        }
    }

    @Test(
        "A room that is too small for the index is widened where the file system can, and the data is found behind it")
    func widened() throws {
        let scratch = try Scratch()
        let path = scratch.path("a.m4a")
        let track = try PreparedTrack.aac(seconds: 60, in: scratch)
        let writer = try PreparedTrack.writer(
            to: ClipOutput(opening: .file(path: path)), [track], room: 4096, time: { Recording.time(1024 * $1, audio) })
        _ = try writer.finish(ledger: Recording.ledger, end: .complete)
        let whole = try Scratch.read(path)
        try scratch.write([UInt8](repeating: 1, count: 8192), to: "blocks")
        let blocks = try Tool.run("fallocate", ["-i", "-o", "4096", "-l", "4096", scratch.path("blocks")], in: scratch)
        let canInsert = blocks.status == 0
        #expect(
            MP4Layout(whole).types
                == (canInsert ? ["ftyp", "free", "moov", "free", "mdat"] : ["ftyp", "free", "free", "mdat", "moov"]))
        #expect(MP4Layout(whole).isWhole(whole))
        #expect(try MP4Judge.fault(path, scratch) == nil)
        let isHeard = track.encoder.bytes(from: 1).starts(with: try MP4Judge.packets("audio_0", path, scratch))
        #expect(isHeard)
        try scratch.write(whole, to: "b.m4a.partial")
        let report = try ClipRecovery(of: scratch.path("b.m4a.partial")).run()
        #expect(report.isComplete && report.tracks[0].frames == 1024 * Int64(track.encoder.count))
    }

    @Test("Files for a browser are what they are said to be")
    func browserFiles() throws {
        let scratch = try Scratch()
        let folder = ProcessInfo.processInfo.environment["CAPTUREGATE_MP4_FILES"] ?? scratch.folder
        let tracks = [
            try PreparedTrack.video(ntsc, frames: 90, keyInterval: 45, in: scratch),
            try PreparedTrack.aac(seconds: 3, in: scratch),
        ]
        let path = folder + "/h264-aac.mp4"
        let writer = try PreparedTrack.writer(to: ClipOutput(opening: .file(path: path)), tracks, time: time)
        try Data(Scratch.read(path + ".partial")).write(to: URL(fileURLWithPath: folder + "/interrupted.mp4"))
        _ = try writer.finish(ledger: Recording.ledger, end: .complete)
        _ = try ClipRecovery(of: folder + "/interrupted.mp4", to: folder + "/recovered.mp4").run(removingSource: false)
        for codec in [AudioCodec.opus, .flac] {
            var settings = EncoderSettings()
            settings.audioCodec = codec
            try Recording.sound(
                Source.tones(audio, frames: 3 * 48_000), audio, to: "\(folder)/\(codec.rawValue).m4a",
                settings: settings)
        }
        for name in ["h264-aac.mp4", "interrupted.mp4", "recovered.mp4", "opus.m4a", "flac.m4a"] {
            #expect(try MP4Judge.fault("\(folder)/\(name)", scratch) == nil, "\(name)")
        }
    }
}
