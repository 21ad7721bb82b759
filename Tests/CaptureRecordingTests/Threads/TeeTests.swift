import CaptureGate
import ClipScenery
import Testing

@testable import CaptureRecording

@Suite("One capture in several outputs")
struct TeeTests {
    private let sound = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s16)
    private let video = Source.video(.yuyv)
    private var tracks: [ClipTrack] { [Recording.track(video), Recording.track(sound)] }

    /// Ledger for a number of frames and audio samples.
    private func ledger(_ pictures: UInt64, samples: UInt64) -> LossLedger {
        var camera = TrackLedger(kind: .video, name: Recording.camera, device: "cam-1")
        camera.delivered = pictures
        camera.lost.device = 2
        camera.asked = pictures + 2
        camera.lastNanoseconds = Recording.time(Int(pictures) - 1, video)
        var microphone = TrackLedger(kind: .audio, name: Recording.microphone, device: "mic-1")
        microphone.delivered = samples
        microphone.asked = samples
        return LossLedger(tracks: [camera, microphone])
    }

    /// Writes frames, each with its audio, and lets the quick output take each at once.
    private func write(_ count: Int, to tee: TeeWriter, awaiting quick: TeeBranch) throws {
        for number in 0..<count {
            let picture = Source.picture(video, number: number)
            try tee.write(picture.span.bytes, to: 0, at: Recording.time(number, video))
            let period = Source.sound(sound, frames: 1600, from: number * 1600)
            try tee.write(period.span.bytes, to: 1, at: Recording.time(number * 1600, sound))
            quick.wait()
        }
    }

    private func matroska(_ path: String) throws -> any ClipWriter {
        let target = try RecordingTarget(.file(path: path))
        return try target.writer(tracks, ClipLabels(), EncoderSettings())
    }

    @Test("a slow one leaves out pictures of its own, counted, and no sound; the other has everything")
    func slow() throws {
        let scratch = try Scratch()
        let gate = WriterGate()
        let quick = TeeBranch(path: "quick", writer: try matroska(scratch.path("quick.mkv")), tracks: [0, 1])
        let slow = TeeBranch(
            path: "slow", writer: GatedWriter(try matroska(scratch.path("slow.mkv")), gate), tracks: [0, 1])
        let tee = TeeWriter(tracks, branches: [quick, slow])
        try write(40, to: tee, awaiting: quick)
        #expect(tee.leftOut(of: 0) == 24)
        gate.open()
        let clip = try tee.finish(ledger: ledger(40, samples: 64_000), end: .complete)

        #expect(clip.ledger == ledger(40, samples: 64_000))
        let other = try #require(clip.tees.first?.ledger.tracks)
        #expect(other[0].lost.encoder == 24)
        #expect(other[0].delivered == 16)
        #expect(other[0].asked == 42)
        #expect(other[0].lastNanoseconds == Recording.time(15, video))
        #expect(other[1] == clip.ledger.tracks[1])
        for (name, pictures) in [("quick.mkv", 40), ("slow.mkv", 16)] {
            let shown = try Tool.text(
                "ffmpeg",
                [
                    "-v", "error", "-i", scratch.path(name), "-map", "0:v", "-fps_mode", "passthrough", "-f",
                    "framemd5", "-",
                ],
                in: scratch)
            #expect(shown.split(separator: "\n").count { !$0.hasPrefix("#") } == pictures)
            let heard = try Tool.output(
                "ffmpeg", ["-v", "error", "-i", scratch.path(name), "-map", "0:a", "-f", "s16le", "-"], in: scratch)
            #expect(heard == Source.sound(sound, frames: 64_000))
        }
    }

    @Test("pictures without times keep theirs: the next one stands where some were left out")
    func constantRate() throws {
        let scratch = try Scratch()
        let gate = WriterGate()
        let quick = TeeBranch(path: "quick", writer: try matroska(scratch.path("quick.mkv")), tracks: [0, 1])
        let target = try RecordingTarget(.file(path: scratch.path("slow.y4m")))
        let writer = try target.writer([tracks[0]], ClipLabels(), EncoderSettings())
        let slow = TeeBranch(path: "slow", writer: GatedWriter(writer, gate), tracks: [0, nil])
        let tee = TeeWriter(tracks, branches: [quick, slow])
        try write(40, to: tee, awaiting: quick)
        gate.open()
        let clip = try tee.finish(ledger: ledger(40, samples: 64_000), end: .complete)

        let track = try #require(clip.tees.first?.ledger.tracks.first)
        #expect(track.lost.encoder == 24)
        #expect(track.delivered == 16)
        #expect(track.filled == 24)
        #expect(track.asked == 42)
        // The last place is the 40th, whichever frame is there.
        #expect(abs((track.lastNanoseconds ?? 0) - Recording.time(39, video)) < 100)
        let shown = try Tool.output(
            "ffmpeg", ["-v", "error", "-i", scratch.path("slow.y4m"), "-f", "rawvideo", "-"], in: scratch)
        let size = 64 * 48 * 2
        #expect(shown.count == 40 * size)
        let pictures = (0..<40).map { Array(shown[$0 * size..<($0 + 1) * size]) }
        #expect(Set(pictures[0..<16]).count == 16)
        #expect(Set(pictures[15..<40]).count == 1)
    }

    @Test("pictures that only stand in for others are no loss where they are left out")
    func fills() {
        var backlog = TeeBacklog([tracks[0]], fillsPlaces: false)
        for number in 0..<20 {
            _ = backlog.add(TeeFrame(time: Int64(number), count: 3, isFill: number % 2 == 1), bytes: 16, to: 0)
        }
        #expect(backlog.tracks[0].shed == 2)
        #expect(backlog.tracks[0].shedFills == 6)
        #expect(backlog.tracks[0].last == 15 + 2 * video.frameRate.frameNanoseconds)
        #expect(backlog.takeMissing(of: 0) == nil)
    }

    @Test("a picture that its encoder skipped is none that another needs, and gives nobody what it needs")
    func skipped() {
        func frame(_ number: Int, isKey: Bool = false, hasPacket: Bool = true) -> TeeFrame {
            var frame = TeeFrame(time: Int64(number), count: 1, isFill: false)
            (frame.isKey, frame.hasPacket) = (isKey, hasPacket)
            return frame
        }
        for leavesOutSkipped in [false, true] {
            var backlog = TeeBacklog([tracks[0]], fillsPlaces: false)
            for number in 0..<TeeBacklog.mostFrames {
                _ = backlog.add(frame(number, isKey: number == 0), bytes: 16, to: 0)
            }
            #expect(backlog.add(frame(16, isKey: true, hasPacket: !leavesOutSkipped), bytes: 16, to: 0) == nil)
            for _ in 0..<4 { backlog.remove(video: 16) }
            #expect(backlog.add(frame(17, isKey: true, hasPacket: false), bytes: 0, to: 0) != nil)
            #expect((backlog.add(frame(18), bytes: 16, to: 0) != nil) == leavesOutSkipped)
            #expect(backlog.add(frame(19, isKey: true), bytes: 16, to: 0) != nil)
            #expect(backlog.tracks[0].dependent == (leavesOutSkipped ? 0 : 1))
        }
    }

    @Test("of large pictures fewer wait")
    func large() {
        var backlog = TeeBacklog([tracks[0]], fillsPlaces: false)
        for number in 0..<5 {
            _ = backlog.add(TeeFrame(time: Int64(number), count: 1, isFill: false), bytes: 50 << 20, to: 0)
        }
        #expect(backlog.tracks[0].shed == 2)
    }

    @Test("one with too much sound waiting has failed, and the other goes on")
    func soundForever() throws {
        let scratch = try Scratch()
        let gate = WriterGate()
        let only = [Recording.track(sound)]
        func wav(_ name: String) throws -> any ClipWriter {
            try RecordingTarget(.file(path: scratch.path(name))).writer(only, ClipLabels(), EncoderSettings())
        }
        let quick = TeeBranch(path: "quick", writer: try wav("quick.wav"), tracks: [0])
        let slow = TeeBranch(path: "slow", writer: GatedWriter(try wav("slow.wav"), gate), tracks: [0])
        let tee = TeeWriter(only, branches: [quick, slow])
        let second = [UInt8](repeating: 0, count: 4 * 1_048_576)
        for number in 0..<17 {
            try tee.write(second.span.bytes, to: 0, at: Recording.time(number * 1_048_576, sound))
            quick.wait()
        }
        #expect(tee.takeFailures().map(\.path) == ["slow"])
        gate.open()
        var said = TrackLedger(kind: .audio, name: Recording.microphone, device: "mic-1")
        said.delivered = 17 * 1_048_576
        said.asked = said.delivered
        let clip = try tee.finish(ledger: LossLedger(tracks: [said]), end: .complete)
        #expect(clip.ledger.tracks[0].delivered == 17 * 1_048_576)
        #expect(clip.bytes > 17 * 4 * 1_048_576)
        #expect(clip.tees.first?.end == .failure)
        let rest = try #require(clip.tees.first?.ledger.tracks.first)
        #expect(rest.delivered * 4 + 44 <= UInt64(clip.tees.first?.bytes ?? 0))
        #expect(rest.asked == rest.delivered)
    }
}
