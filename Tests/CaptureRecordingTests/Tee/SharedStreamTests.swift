import CaptureGate
import ClipScenery
import Testing

@testable import CaptureRecording

@Suite("One encoding of predicted frames for several outputs")
struct SharedStreamTests {
    private let video = Source.video(.yuyv, 128, 96)
    private var track: ClipTrack { Recording.track(video) }

    private func settings(_ codec: VideoCodec) -> EncoderSettings {
        var settings = EncoderSettings()
        settings.videoCodec = codec
        settings.prediction.keyFrameInterval = .seconds(1)
        // To keep to a bitrate, SVT-AV1 makes other packets if frames come faster.
        if codec == .av1 { settings.prediction.quality = 60 }
        return settings
    }

    private func ledger(_ pictures: UInt64) -> LossLedger {
        var camera = TrackLedger(kind: .video, name: Recording.camera, device: "cam-1")
        (camera.delivered, camera.asked) = (pictures, pictures)
        camera.lastNanoseconds = Recording.time(Int(pictures) - 1, video)
        return LossLedger(tracks: [camera])
    }

    private func write(_ numbers: Range<Int>, to writer: any ClipWriter, _ settle: () -> Void = {}) throws {
        for number in numbers {
            let picture = Source.picture(video, number: number)
            try writer.write(picture.span.bytes, to: 0, at: Recording.time(number, video))
            settle()
        }
    }

    /// Time, duration, size and checksum of each packet of a file.
    private func packets(_ name: String, in scratch: Scratch) throws -> [Substring] {
        try Tool.text(
            "ffmpeg", ["-v", "error", "-i", scratch.path(name), "-map", "0:v", "-c", "copy", "-f", "framemd5", "-"],
            in: scratch
        ).split(separator: "\n").filter { !$0.hasPrefix("#") }
    }

    static var streams: [(VideoCodec, [String])] {
        let all: [(VideoCodec, [String])] = [
            (.h264, ["a.mp4", "b.mkv"]), (.vp8, ["a.webm", "b.mkv"]), (.vp9, ["a.webm", "b.mkv"]),
            (.av1, ["a.mkv", "b.webm"]),
        ]
        return all.filter { $0.0.isAvailable }
    }

    @Test("each file has the packets that it would have alone, at their times", arguments: streams)
    func packets(codec: VideoCodec, names: [String]) throws {
        let scratch = try Scratch()
        let targets = try names.map { try RecordingTarget(.file(path: scratch.path($0))) }
        let tee = try targets[0].writer(and: [targets[1]], [track], ClipLabels(), settings(codec))
        let shared = try #require(tee as? TeeWriter).shared
        #expect(shared.map { $0.branches.map(\.path) } == [names.map { scratch.path($0) }])
        try write(0..<40, to: tee) {
            shared[0].wait()
            for branch in shared[0].branches { branch.wait() }
        }
        let clip = try tee.finish(ledger: ledger(40), end: .complete)
        #expect(clip.ledger == ledger(40) && clip.tees.map(\.ledger) == [ledger(40)])
        for name in names {
            let alone = try RecordingTarget(.file(path: scratch.path("alone-" + name)))
                .writer([track], ClipLabels(), settings(codec))
            try write(0..<40, to: alone)
            _ = try alone.finish(ledger: ledger(40), end: .complete)
            let (own, expected) = (try packets(name, in: scratch), try packets("alone-" + name, in: scratch))
            #expect(own == expected && own.count == 40, "\(name)")
        }
    }

    @Test(
        "outputs are grouped by what they store",
        .enabled(if: VideoCodec.h264.isAvailable && VideoCodec.vp8.isAvailable))
    func groups() throws {
        let scratch = try Scratch()
        let names = ["a.mp4", "b.webm", "c.mkv", "d.mp4", "e.webm", "f.mjpeg", "g.y4m"]
        let targets = try names.map { try RecordingTarget(.file(path: scratch.path($0))) }
        let tee = try targets[0].writer(and: Array(targets.dropFirst()), [track], ClipLabels(), EncoderSettings())
        let groups = try #require(tee as? TeeWriter).shared.map { $0.branches.map(\.path) }
        let expected = [["c.mkv", "f.mjpeg"], ["a.mp4", "d.mp4"], ["b.webm", "e.webm"]]
        #expect(groups == expected.map { $0.map { scratch.path($0) } })
        tee.discard()
    }

    @Test(
        "segments, which begin with a key frame each, encode by themselves", .enabled(if: VideoCodec.h264.isAvailable))
    func segments() throws {
        let scratch = try Scratch()
        let whole = try RecordingTarget(.file(path: scratch.path("a.mp4")))
        let parts = try RecordingTarget(.file(path: scratch.path("b.mp4")), segment: .milliseconds(500))
        let tee = try whole.writer(and: [parts], [track], ClipLabels(), settings(.h264))
        #expect(try #require(tee as? TeeWriter).shared.isEmpty)
        tee.discard()
    }

    @Test("a slow output goes on with a key frame; the other has everything", .enabled(if: VideoCodec.h264.isAvailable))
    func slow() throws {
        let scratch = try Scratch()
        let gate = WriterGate()
        let encoders = try SharedEncoders([track], settings(.h264))
        func matroska(_ name: String) throws -> any ClipWriter {
            try RecordingTarget(.file(path: scratch.path(name)))
                .writer(encoders.coded([track]), ClipLabels(), settings(.h264))
        }
        let quick = TeeBranch(path: "quick", writer: try matroska("quick.mkv"), tracks: [0])
        let slow = TeeBranch(path: "slow", writer: GatedWriter(try matroska("slow.mkv"), gate), tracks: [0])
        let shared = SharedEncoding(encoders, branches: [quick, slow])
        let tee = TeeWriter([track], branches: [quick, slow], shared: [shared])
        func settle() {
            shared.wait()
            quick.wait()
        }
        // Key frames are 0, 30 and 60. The slow output takes 16 frames, and has room again before frame 50.
        try write(0..<50, to: tee, settle)
        #expect(tee.leftOut(of: 0) == 34)
        gate.open()
        slow.wait()
        try write(50..<70, to: tee) {
            settle()
            slow.wait()
        }
        let clip = try tee.finish(ledger: ledger(70), end: .complete)

        #expect(clip.ledger == ledger(70))
        let other = try #require(clip.tees.first?.ledger.tracks.first)
        #expect(other.delivered == 26 && other.asked == 70)
        // Of the dropped frames, those from 17 to 29 and from 31 needed one that was dropped.
        #expect(other.lost.encoder == 2 && other.lost.keyFrame == 42)
        let (whole, cut) = (try packets("quick.mkv", in: scratch), try packets("slow.mkv", in: scratch))
        #expect(whole.count == 70 && cut == Array(whole[..<16] + whole[60...]))
        let decoded = try Tool.run(
            "ffmpeg", ["-v", "warning", "-i", scratch.path("slow.mkv"), "-f", "null", "-"], in: scratch)
        #expect(decoded.status == 0 && decoded.errors == "")
    }

    @Test("a camera's own stream goes on with a key frame, too")
    func cameraStream() throws {
        let scratch = try Scratch()
        let footage = try CameraFootage(.h264, 60, scratch)
        let own = Recording.track(footage.format)
        let gate = WriterGate()
        func matroska(_ name: String) throws -> any ClipWriter {
            try RecordingTarget(.file(path: scratch.path(name))).writer([own], ClipLabels(), EncoderSettings())
        }
        let quick = TeeBranch(path: "quick", writer: try matroska("quick.mkv"), tracks: [0])
        let slow = TeeBranch(path: "slow", writer: GatedWriter(try matroska("slow.mkv"), gate), tracks: [0])
        let tee = TeeWriter([own], branches: [quick, slow])
        for (number, frame) in footage.frames.enumerated() {
            if number == 25 { gate.open() }
            if number >= 25 { slow.wait() }
            try tee.write(frame.span.bytes, to: 0, at: Recording.time(number, footage.format))
            quick.wait()
        }
        _ = try tee.finish(ledger: ledger(60), end: .complete)
        // Key frames are each tenth: 16 frames waited, and frame 30 is the first after the pause that needs no other.
        let (whole, cut) = (try packets("quick.mkv", in: scratch), try packets("slow.mkv", in: scratch))
        #expect(whole.count == 60 && cut == Array(whole[..<16] + whole[30...]))
    }
}
