import CaptureGate
import ClipScenery
import Testing

@testable import CaptureRecording

@Suite("One encoding for several outputs")
struct SharedEncodingTests {
    private let sound = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s16)
    private let video = Source.video(.yuyv)
    private var tracks: [ClipTrack] { [Recording.track(video), Recording.track(sound)] }

    private func tee(_ names: [String], in scratch: Scratch, _ settings: EncoderSettings = .init()) throws -> TeeWriter
    {
        let targets = try names.map { try RecordingTarget(.file(path: scratch.path($0))) }
        let writer = try targets[0].writer(and: Array(targets.dropFirst()), tracks, ClipLabels(), settings)
        return try #require(writer as? TeeWriter)
    }

    private func write(_ numbers: Range<Int>, to tee: TeeWriter, _ settle: () -> Void = {}) throws {
        for number in numbers {
            let picture = Source.picture(video, number: number)
            try tee.write(picture.span.bytes, to: 0, at: Recording.time(number, video))
            let period = Source.sound(sound, frames: 1600, from: number * 1600)
            try tee.write(period.span.bytes, to: 1, at: Recording.time(number * 1600, sound))
            settle()
        }
    }

    private func ledger(_ pictures: UInt64) -> LossLedger {
        var camera = TrackLedger(kind: .video, name: Recording.camera, device: "cam-1")
        (camera.delivered, camera.asked) = (pictures, pictures)
        camera.lastNanoseconds = Recording.time(Int(pictures) - 1, video)
        var microphone = TrackLedger(kind: .audio, name: Recording.microphone, device: "mic-1")
        (microphone.delivered, microphone.asked) = (1600 * pictures, 1600 * pictures)
        return LossLedger(tracks: [camera, microphone])
    }

    /// Images as one encoder makes them.
    private func images(_ numbers: Range<Int>) throws -> [UInt8] {
        let encoder = MJPEGEncoder(format: video)
        try encoder.begin()
        var packets = PacketBuffer()
        for number in numbers {
            try encoder.encode(Source.picture(video, number: number).span.bytes, at: 0, into: &packets)
        }
        return packets.withBytes(of: 0..<packets.count) { Array($0) }
    }

    /// Images of a file, not decoded.
    private func stored(_ name: String, in scratch: Scratch) throws -> [UInt8] {
        try Tool.output(
            "ffmpeg", ["-v", "error", "-i", scratch.path(name), "-map", "0:v", "-c", "copy", "-f", "image2pipe", "-"],
            in: scratch)
    }

    @Test("those that store the same images get them from one encoder; the others get the frames")
    func images() throws {
        let scratch = try Scratch()
        let tee = try tee(["a.mkv", "b.y4m", "c.mkv", "d.mjpeg", "e.wav"], in: scratch)
        #expect(
            tee.shared.map { $0.branches.map(\.path) } == [["a.mkv", "c.mkv", "d.mjpeg"].map { scratch.path($0) }])
        try write(0..<12, to: tee)
        let clip = try tee.finish(ledger: ledger(12), end: .complete)

        #expect(clip.ledger == ledger(12))
        #expect(clip.tees.count == 4 && clip.tees.allSatisfy { $0.end == .complete && $0.error == nil })
        let expected = try images(0..<12)
        for name in ["a.mkv", "c.mkv", "d.mjpeg"] {
            let isSame = try stored(name, in: scratch) == expected
            #expect(isSame, "\(name)")
        }
        let heard = try Tool.output(
            "ffmpeg", ["-v", "error", "-i", scratch.path("c.mkv"), "-map", "0:a", "-f", "s16le", "-"], in: scratch)
        #expect(heard == Source.sound(sound, frames: 12 * 1600))
        try Recording.pictures((0..<12).map { Source.picture(video, number: $0) }, video, to: scratch.path("alone.y4m"))
        #expect(try Scratch.read(scratch.path("b.y4m")) == Scratch.read(scratch.path("alone.y4m")))
    }

    @Test("a file of two outputs is the one that a single output would have")
    func alone() throws {
        let scratch = try Scratch()
        let tee = try tee(["b.mkv", "a.mjpeg"], in: scratch)
        try write(0..<10, to: tee)
        _ = try tee.finish(ledger: ledger(10), end: .complete)
        try Recording.pictures((0..<10).map { Source.picture(video, number: $0) }, video, to: scratch.path("c.mjpeg"))
        #expect(try Scratch.read(scratch.path("a.mjpeg")) == Scratch.read(scratch.path("c.mjpeg")))
    }

    @Test(
        "nothing is shared where only one output stores images, or none does",
        arguments: [
            (["a.mkv", "b.y4m"], VideoCodec.automatic), (["a.mkv", "b.mkv"], .raw), (["a.mkv", "b.flac"], .mjpeg),
        ])
    func unshared(names: [String], codec: VideoCodec) throws {
        let scratch = try Scratch()
        var settings = EncoderSettings()
        settings.videoCodec = codec
        let tee = try tee(names, in: scratch, settings)
        #expect(tee.shared.isEmpty)
        tee.discard()
        #expect(scratch.names.isEmpty)
    }

    @Test("a slow output leaves out pictures of its own, counted; the other has everything")
    func slow() throws {
        let scratch = try Scratch()
        let gate = WriterGate()
        let encoders = try SharedEncoders([tracks[0], nil], EncoderSettings())
        let images = encoders.coded(tracks)
        func matroska(_ name: String) throws -> any ClipWriter {
            try RecordingTarget(.file(path: scratch.path(name))).writer(images, ClipLabels(), EncoderSettings())
        }
        let quick = TeeBranch(path: "quick", writer: try matroska("quick.mkv"), tracks: [0, 1])
        let slow = TeeBranch(path: "slow", writer: GatedWriter(try matroska("slow.mkv"), gate), tracks: [0, 1])
        let shared = SharedEncoding(encoders, branches: [quick, slow])
        let tee = TeeWriter(tracks, branches: [quick, slow], shared: [shared])
        try write(0..<40, to: tee) {
            shared.wait()
            quick.wait()
        }
        #expect(tee.leftOut(of: 0) == 24 && tee.isBusy)
        gate.open()
        let clip = try tee.finish(ledger: ledger(40), end: .complete)
        #expect(clip.ledger == ledger(40))
        let other = try #require(clip.tees.first?.ledger.tracks)
        #expect(other[0].lost.encoder == 24 && other[0].delivered == 16 && other[1] == clip.ledger.tracks[1])
        #expect(try stored("quick.mkv", in: scratch) == self.images(0..<40))
        #expect(try stored("slow.mkv", in: scratch) == self.images(0..<16))
    }

    @Test(
        "where the encoder is too slow each output leaves the same pictures out, and those without times keep their places"
    )
    func slowEncoder() throws {
        let scratch = try Scratch()
        let tee = try tee(["a.mkv", "b.mjpeg"], in: scratch)
        let shared = try #require(tee.shared.first)
        shared.queue.suspend()
        try write(0..<18, to: tee)
        #expect(tee.isBusy && tee.leftOut(of: 0) == 0)
        shared.queue.resume()
        settle(shared)
        #expect(!shared.isBusy && tee.leftOut(of: 0) == 2)
        try write(18..<20, to: tee) { settle(shared) }
        let clip = try tee.finish(ledger: ledger(20), end: .complete)
        #expect(clip.ledger.tracks[0].lost.encoder == 2 && clip.ledger.tracks[0].delivered == 18)
        let other = try #require(clip.tees.first?.ledger.tracks)
        #expect(other[0].lost.encoder == 2 && other[0].filled == 2)
        let whole = try images(0..<16)
        #expect(try stored("a.mkv", in: scratch).starts(with: whole))
        let shown = try Tool.text(
            "ffmpeg", ["-v", "error", "-f", "mjpeg", "-i", scratch.path("b.mjpeg"), "-f", "framemd5", "-"], in: scratch)
        let sums = shown.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
            $0.split(separator: " ").last
        }
        #expect(sums.count == 20 && Set(sums).count == 18 && Set(sums[16...18]).count == 1)
    }

    /// Waits until all frames so far are encoded and written: an output that is behind drops frames by itself.
    private func settle(_ shared: SharedEncoding) {
        shared.wait()
        for branch in shared.branches { branch.wait() }
    }

    @Test("a short picture is in no output, and each counts it")
    func short() throws {
        let scratch = try Scratch()
        let tee = try tee(["a.mkv", "b.mkv"], in: scratch)
        try write(0..<2, to: tee)
        try tee.write(Array(Source.picture(video).dropLast()).span.bytes, to: 0, at: Recording.time(2, video))
        try write(3..<5, to: tee)
        let clip = try tee.finish(ledger: ledger(5), end: .complete)
        for track in [clip.ledger.tracks[0], try #require(clip.tees.first?.ledger.tracks.first)] {
            #expect(track.lost.corrupt == 1 && track.delivered == 4)
        }
    }

    @Test("a camera's own images are not encoded, so there is nothing to share")
    func passedThrough() throws {
        let scratch = try Scratch()
        let targets = try ["a.mkv", "b.mkv"].map { try RecordingTarget(.file(path: scratch.path($0))) }
        let own = [Recording.track(Source.video(.mjpeg))]
        let writer = try targets[0].writer(and: [targets[1]], own, ClipLabels(), EncoderSettings())
        let tee = try #require(writer as? TeeWriter)
        #expect(tee.shared.isEmpty)
        writer.discard()
    }
}
