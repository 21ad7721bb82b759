import ClipScenery
import Testing

@testable import CaptureGate
@testable import CaptureRecording

@Suite("a virtual camera among the outputs")
struct VideoOutputTargetTests {
    private let video = Source.video(.yuyv)
    private let sound = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s16)
    private var tracks: [ClipTrack] { [Recording.track(video), Recording.track(sound)] }

    private func ledger(_ pictures: UInt64) -> LossLedger {
        var camera = TrackLedger(kind: .video, name: Recording.camera, device: "cam-1")
        (camera.delivered, camera.asked) = (pictures, pictures)
        var microphone = TrackLedger(kind: .audio, name: Recording.microphone, device: "mic-1")
        (microphone.delivered, microphone.asked) = (1600 * pictures, 1600 * pictures)
        return LossLedger(tracks: [camera, microphone])
    }

    /// Writes a file and an output with this number of frames; both have each one before the next arrives.
    private func record(_ count: Int, to path: String, by output: MemoryOutput) throws -> Clip {
        let file = try RecordingTarget(.file(path: path))
        let writer = try file.writer(and: [RecordingTarget(output)], tracks, ClipLabels(), EncoderSettings())
        for number in 0..<count {
            try writer.write(
                Source.picture(video, number: number).span.bytes, to: 0, at: Recording.time(number, video))
            try writer.write(
                Source.sound(sound, frames: 1600, from: number * 1600).span.bytes, to: 1,
                at: Recording.time(number * 1600, sound))
            while writer.isBusy {}
        }
        return try writer.finish(ledger: ledger(UInt64(count)), end: .complete)
    }

    @Test("it shows the first camera's pictures beside a file that has everything")
    func beside() throws {
        let scratch = try Scratch()
        let output = MemoryOutput(["YUYV"])
        let clip = try record(10, to: scratch.path("a.mkv"), by: output)
        #expect(clip.ledger == ledger(10))
        let tee = try #require(clip.tees.first)
        #expect(tee.path == "v4l2:/dev/video9" && tee.format == .v4l2 && tee.error == nil && tee.end == .complete)
        #expect(tee.ledger.tracks.map(\.delivered) == [10])
        #expect(output.frames.map(\.bytes) == (0..<10).map { Source.picture(video, number: $0) })
        #expect(output.ends == [true])
        #expect(scratch.names == ["a.mkv"])
    }

    @Test("pictures for which it has no room are lost there alone, in a column of its own ledger")
    func slow() throws {
        let scratch = try Scratch()
        let output = MemoryOutput(["YUYV"], hasRoom: (0..<10).map { $0 < 4 })
        let clip = try record(10, to: scratch.path("a.mkv"), by: output)
        #expect(clip.ledger == ledger(10))
        let track = try #require(clip.tees.first?.ledger.tracks.first)
        #expect(track.lost.encoder == 6 && track.lost.total == 6)
        #expect(track.delivered == 4 && track.asked == 10)
    }

    @Test("where it is gone it ends, with its error, and the file goes on")
    func gone() throws {
        let scratch = try Scratch()
        let output = MemoryOutput(["YUYV"], goneAfter: 4)
        let clip = try record(10, to: scratch.path("a.mkv"), by: output)
        #expect(clip.ledger == ledger(10) && clip.end == .complete)
        let tee = try #require(clip.tees.first)
        #expect(tee.error == MemoryOutput.gone && tee.end == .failure)
        #expect(tee.ledger.tracks.map(\.delivered) == [4])
    }

    @Test("a recording that never came to be lets it go, and no writer is made of one without a common format")
    func discarded() throws {
        let output = MemoryOutput(["YUYV"])
        RecordingTarget(output).discard()
        #expect(output.ends == [false])
        let other = MemoryOutput(["Y444"])
        #expect(throws: CaptureError.self) {
            try RecordingTarget(other).writer([tracks[0]], ClipLabels(), EncoderSettings())
        }
        #expect(other.frames.isEmpty && other.ends == [false])
    }

    @Test("a node that is captured is no output of its own pictures, by whatever name; others are")
    func itself() throws {
        let camera = Device(
            id: DeviceID(rawValue: "cam-1"), name: "Webcam", capability: .camera, availability: .available,
            ambiguity: nil, nodes: ["/dev/zero", "/dev/null"], pcmName: nil, formats: .unknown)
        for path in ["/dev/null", "/dev/../dev/null", "/proc/self/root/dev/null"] {
            let error = #expect(throws: CaptureError.self) {
                try ClipDestination.videoOutput(path: path).check(against: [camera])
            }
            #expect(error?.kind == .usage)
        }
        try ClipDestination.videoOutput(path: "/dev/full").check(against: [camera])
        try ClipDestination.file(path: "/dev/null").check(against: [camera])
    }

    @Test("a camera's own format is not converted where it takes it, though no file could have it")
    func own() throws {
        let format = Source.video(try #require(PixelFormat("XR24")), bytesPerLine: 256)
        #expect(RecordingTarget(MemoryOutput(["XR24"])).takes(format, as: .automatic))
        #expect(!RecordingTarget(MemoryOutput(["YUYV"])).takes(format, as: .automatic))
        // Where rows of an unknown layout are of another length, none could be brought into it.
        let output = MemoryOutput(["XR24"])
        #expect(throws: CaptureError.self) {
            try RecordingTarget(output).writer([Recording.track(format)], ClipLabels(), EncoderSettings())
        }
    }
}
