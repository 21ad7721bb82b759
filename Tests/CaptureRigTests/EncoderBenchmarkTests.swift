import CaptureGate
import CaptureRecording
import CaptureRig
import Testing

/// One after the other: a process counts allocations in one place at a time.
@Suite("encoder benchmark", .serialized)
struct EncoderBenchmarkTests {
    private static let sound = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s16)

    private static func video(_ pixelFormat: PixelFormat) throws -> ClipTrack.Media {
        .video(
            VideoFormat(
                width: 64, height: 48, pixelFormat: pixelFormat, frameRate: try #require(FrameRate(30)),
                bytesPerLine: 0))
    }

    private func pictures(_ pixelFormat: PixelFormat = .yuyv) throws -> BenchmarkSubject {
        BenchmarkSubject(name: "pictures", media: try Self.video(pixelFormat), work: .encoder(EncoderSettings()))
    }

    @Test("speed is the time that is seen against the processor's time")
    func speed() throws {
        let clock = SteppingClock(step: 10_000_000)
        let measured = try EncoderBenchmark(duration: .milliseconds(100), clock: clock).measure(pictures())
        #expect(measured.frames == 10)
        #expect(measured.elapsed == .nanoseconds(100_000_000))
        #expect(measured.processor == .nanoseconds(50_000_000))
        #expect(measured.media == .nanoseconds(333_333_330))
        #expect(abs(measured.speed - 6.667) < 0.001)
        let sixty = try #require(FrameRate(60))
        #expect(abs(measured.times(at: sixty) - 3.333) < 0.001)
        #expect(measured.bytes > 0 && measured.bitrate == Double(measured.bytes) * 8 / 0.33333333)
    }

    @Test("the slowest frame is told, and the one in the middle")
    func ranks() throws {
        // One reading before the warm-up and one after its frame, one before the measurement: the fifth belongs to its second
        // frame.
        let clock = SteppingClock(step: 10_000_000, slowLook: 5)
        let measured = try EncoderBenchmark(duration: .milliseconds(100), clock: clock).measure(pictures())
        #expect(measured.frames == 3)
        #expect(measured.median == .nanoseconds(10_000_000))
        #expect(measured.slow == .nanoseconds(100_000_000))
    }

    @Test("three frames are measured where one takes longer than all the time there is")
    func leastFrames() throws {
        let clock = SteppingClock(step: 1_000_000_000)
        let measured = try EncoderBenchmark(duration: .milliseconds(1), clock: clock).measure(pictures())
        #expect(measured.frames == EncoderBenchmark.leastFrames)
    }

    @Test("encoders and containers allocate nothing a frame, the codecs' libraries included")
    func allocations() throws {
        let benchmark = EncoderBenchmark(duration: .milliseconds(400), clock: SteppingClock(step: 1_000_000))
        var settings = EncoderSettings()
        settings.audioCodec = .flac
        let flac = BenchmarkSubject(name: "flac", media: .audio(Self.sound), work: .encoder(settings))
        #expect(try benchmark.measure(flac).allocationsPerFrame == 0)
        let clip = BenchmarkSubject(name: "clip", media: .audio(Self.sound), work: .clip(.matroska, settings))
        #expect(try benchmark.measure(clip).allocationsPerFrame == 0)
    }

    @Test(
        "JPEG images allocate nothing a picture, and as stills, each with codes of its own, something",
        arguments: [PixelFormat.yuyv, .nv12, .yuv420, .grey, .rgb24, .bgr24])
    func images(pixelFormat: PixelFormat) throws {
        let benchmark = EncoderBenchmark(duration: .milliseconds(400), clock: SteppingClock(step: 1_000_000))
        #expect(try benchmark.measure(pictures(pixelFormat)).allocationsPerFrame == 0)
        let clip = BenchmarkSubject(
            name: "clip", media: try Self.video(pixelFormat), work: .clip(.matroska, EncoderSettings()))
        #expect(try benchmark.measure(clip).allocationsPerFrame == 0)
        let still = BenchmarkSubject(
            name: "still", media: try Self.video(pixelFormat), work: .still(.jpeg, StillParameters()))
        let stills = try #require(try benchmark.measure(still).allocationsPerFrame)
        #expect(stills > 0 && stills < 100)
    }

    @Test("all that is usually measured can be, each under a name of its own")
    func usual() throws {
        let benchmark = EncoderBenchmark(duration: .zero, clock: SteppingClock(step: 1_000_000))
        for subject in BenchmarkSubject.usual {
            let small = BenchmarkSubject(name: subject.name, media: try Self.small(subject.media), work: subject.work)
            let measured = try benchmark.measure(small)
            #expect(measured.bytes > 0 || subject.work == .clip(.matroska, EncoderSettings()), "\(subject.name)")
        }
        let names = BenchmarkSubject.usual.map(\.name)
        #expect(Set(names).count == names.count && names.count > 15)
    }

    private static func small(_ media: ClipTrack.Media) throws -> ClipTrack.Media {
        guard case .video(let format) = media else { return media }
        return try video(format.pixelFormat)
    }

    @Test("sound can be made no still")
    func soundAsStill() throws {
        let subject = BenchmarkSubject(
            name: "wrong", media: .audio(Self.sound), work: .still(.png, StillParameters()))
        let error = #expect(throws: CaptureError.self) {
            try EncoderBenchmark(duration: .zero).measure(subject)
        }
        #expect(error?.kind == .usage)
    }
}
