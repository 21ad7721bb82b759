import CaptureRealtime
import Testing

@testable import CaptureGate

@Suite("Built-in test devices")
struct TestDevicesTests {
    @Test(
        "The number stands in the picture, and the same number gives the same bytes",
        arguments: [(64, 48), (640, 480), (1280, 720), (1920, 1080), (18, 16)], [PixelFormat.yuyv, .yuv420])
    func number(size: (Int, Int), format: PixelFormat) {
        let picture = TestBarsFrame(width: size.0, height: size.1, pixelFormat: format)
        let most = picture.codeBits == 64 ? UInt64.max : (1 << UInt64(picture.codeBits)) - 1
        for number in [0, 1, 2, 89, 255, most / 3, most - 1, most] as [UInt64] where number <= most {
            let bytes = picture.bytes(number: number)
            #expect(bytes.count == picture.byteCount)
            let read = picture.number(in: bytes.span.bytes)
            #expect(read == number)
            #expect(bytes == picture.bytes(number: number))
        }
    }

    @Test("Digits and bar code leave nothing behind in a buffer that is used again")
    func reuse() {
        let picture = TestBarsFrame(width: 640, height: 480, pixelFormat: .yuyv)
        var bytes = picture.bytes(number: 88_888_888)
        bytes.withUnsafeMutableBufferPointer { picture.drawNumber(1_234_567, into: $0.baseAddress!) }
        #expect(bytes == picture.bytes(number: 1_234_567))
    }

    @Test("A picture that is no test picture has no number")
    func foreign() {
        let picture = TestBarsFrame(width: 640, height: 480, pixelFormat: .yuyv)
        let grey = [UInt8](repeating: 128, count: picture.byteCount)
        let fromGrey = picture.number(in: grey.span.bytes)
        let little = Array(grey[..<10])
        let fromTooLittle = picture.number(in: little.span.bytes)
        #expect(fromGrey == nil)
        #expect(fromTooLittle == nil)
    }

    @Test("Odd and impossible sizes become the nearest possible")
    func sizes() {
        let small = TestBarsFrame(width: 1, height: -5, pixelFormat: .yuyv)
        #expect((small.width, small.height) == (16, 16))
        let odd = TestBarsFrame(width: 641, height: 481, pixelFormat: .yuv420)
        #expect((odd.width, odd.height) == (640, 480))
        #expect(odd.byteCount == 640 * 480 * 3 / 2)
    }

    @Test(
        "Picture n is due exactly n / fps after the start, after months too",
        arguments: [(30, 1), (30_000, 1001), (120, 1), (1, 1)])
    func rate(fps: (Int, Int)) {
        let rate = TestRate(fps.0, fps.1)
        #expect(rate.due(0) == 0)
        #expect(rate.due(UInt64(fps.0)) == Int64(fps.1) * 1_000_000_000)
        let long = UInt64(fps.0) * 9_000_000
        #expect(rate.due(long) == Int64(fps.1) * 9_000_000 * 1_000_000_000)
    }

    @Test(
        "The tone has 997 Hz at -20 dBFS: its peak, its zero crossings and its mean say so",
        arguments: [8000, 44_100, 48_000, 192_000])
    func tone(rate: Int) {
        let values = (0..<rate).map { TestToneSamples.value(at: $0, rate: rate) }
        #expect(abs(values.max()! - 0.1) < 0.002)
        let rising = (1..<rate).count { values[$0 - 1] < 0 && values[$0] >= 0 }
        #expect(rising == 996 || rising == 997)
        #expect(abs(values.reduce(0, +)) < 1e-9)
        // AES17: a full-scale sine is 0 dBFS, so -20 dB is a mean square of 0.005.
        #expect(abs(values.reduce(0) { $0 + $1 * $1 } / Double(rate) - 0.005) < 1e-12)
    }

    @Test("The tone's wave is a sine to the last bit of 24")
    func sine() {
        // sin(2π · 997/48000) and a quarter turn later, from a table of 20 digits.
        #expect(abs(TestToneSamples.value(at: 0, rate: 48_000)) == 0)
        #expect(abs(TestToneSamples.value(at: 1, rate: 48_000) / 0.1 - 0.130_136_842_679) < 1e-9)
        #expect(abs(TestToneSamples.value(at: 2, rate: 7_976) / 0.1 - 1) < 1e-12)
    }

    @Test("Settings of the built-in devices clap where that is asked for", arguments: [true, false])
    func claps(claps: Bool) {
        #expect(AudioSettings.testTone(claps: claps).claps == claps)
        #expect(VideoSettings.testBars(claps: claps).claps == claps)
    }

    @Test("Reading from any place gives the same bytes as from the start", arguments: SampleFormat.allCases)
    func bytes(format: SampleFormat) {
        let audio = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: format)
        let whole = TestToneSamples.bytes(from: 47_900, count: 200, format: audio)
        #expect(whole.count == 200 * audio.bytesPerFrame)
        let part = TestToneSamples.bytes(from: 47_990, count: 50, format: audio)
        #expect(Array(whole[(90 * audio.bytesPerFrame)..<(140 * audio.bytesPerFrame)]) == part)
    }

    @Test(
        "The mirrored second has the bytes of its samples, one by one",
        arguments: [8000, 8001, 11_025, 44_102, 48_000], SampleFormat.allCases)
    func second(rate: Int, format: SampleFormat) {
        var settings = PCMSettings()
        (settings.rate, settings.format) = (rate, format.pcm)
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: rate * format.bytesPerSample, alignment: 16)
        defer { memory.deallocate() }
        TestToneSamples.writeSecond(settings, into: memory)
        let audio = AudioFormat(sampleRate: rate, channels: 1, sampleFormat: format)
        #expect(memory.elementsEqual(TestToneSamples.bytes(from: 0, count: rate, format: audio)))
    }

    @Test("test:bars delivers each picture once, numbered, an exact interval after the one before")
    func bars() throws {
        let control = try LoopControl()
        let counters = CaptureCounters()
        let source = try TestBars(width: 64, height: 48, fourcc: 0, fpsNumerator: 120, fpsDenominator: 1)
        let format = source.format
        let picture = TestBarsFrame(width: format.width, height: format.height, pixelFormat: .yuyv)
        let capture = try VideoCapture(source, control: control, counters: counters)
        RealtimeQueue(label: "test:bars").run(capture.stream) { _ in }
        var reader = capture.consumer
        var (stamps, wrong): ([UInt64: Int64], Int) = ([:], 0)
        while case .ready = reader.wait(milliseconds: -1) {
            while let header = reader.withNext({ header, bytes in
                if picture.number(in: bytes) != header.sequence { wrong += 1 }
                return header
            }) {
                stamps[header.sequence] = header.timestamp
                if header.sequence >= 24 { control.request(.stop) }
            }
        }
        #expect(wrong == 0)
        let start = try #require(stamps.map { $1 - Int64($0) * 1_000_000_000 / 120 }.min())
        #expect(stamps.allSatisfy { $0.value - start == Int64($0.key) * 1_000_000_000 / 120 })
        #expect(counters.deviceLost == 0)
        #expect(counters.delivered + counters.ringLost == counters.made)
    }

    @Test(
        "test:tone delivers each frame once, an exact time after the one before",
        arguments: [SampleFormat.s16, .s32, .float32])
    func toneLoop(format: SampleFormat) throws {
        let control = try LoopControl()
        let counters = CaptureCounters()
        let source = try TestTone(settings: PCMSettings(rate: 44_100, channels: 3, format: format.pcm))
        let audio = AudioFormat(sampleRate: 44_100, channels: 3, sampleFormat: format)
        let capture = try AudioCapture(source, control: control, counters: counters)
        RealtimeQueue(label: "test:tone").run(capture.stream) { _ in }
        var reader = capture.consumer
        var heard: [UInt8] = []
        while case .ready = reader.wait(milliseconds: -1) {
            while reader.withNext({ _, bytes in
                heard.append(contentsOf: bytes.array)
                return true
            }) != nil {
                if heard.count >= 8820 * audio.bytesPerFrame { control.request(.stop) }
            }
        }
        #expect(heard.count >= 8820 * audio.bytesPerFrame)
        #expect(heard == TestToneSamples.bytes(from: 0, count: heard.count / audio.bytesPerFrame, format: audio))
        #expect(counters.delivered == counters.made)
        #expect(counters.repairedTimestamps == 0)
    }
}

extension RawSpan {
    fileprivate var array: [UInt8] {
        withUnsafeBytes { Array($0) }
    }
}
