import CaptureGate
import ClipScenery
import Testing

@testable import CaptureRecording

@Suite("Segments of a camera's own stream")
struct CameraStreamSegmentTests {
    private let sound = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s16)

    private func samples(_ path: String, in scratch: Scratch) throws -> [UInt8] {
        try Tool.output("ffmpeg", ["-v", "error", "-i", path, "-f", "s16le", "-"], in: scratch)
    }

    /// Writes video and audio; audio is ahead by the time of this number of frames, or behind.
    private func write(_ footage: CameraFootage, to writer: any ClipWriter, ahead: Int) throws {
        let count = footage.frames.count
        for number in 0..<count + abs(ahead) {
            let (picture, period) = (number - max(ahead, 0), number - max(-ahead, 0))
            if footage.frames.indices.contains(picture) {
                let time = Recording.time(picture, footage.format)
                let frame = footage.frames[picture]
                try writer.write(frame.span.bytes, to: 0, at: time)
            }
            guard (0..<count).contains(period) else { continue }
            let bytes = Source.sound(sound, frames: 1920, from: 1920 * period)
            try writer.write(bytes.span.bytes, to: 1, at: Int64(period) * 40_000_000)
        }
    }

    @Test(
        "each begins with the first key frame when it is due, sound is cut there to the sample, and nothing is lost",
        arguments: [PixelFormat.h264, .hevc], [-7, 0, 7])
    func cut(pixels: PixelFormat, ahead: Int) throws {
        let scratch = try Scratch()
        let footage = try CameraFootage(pixels, 75, scratch)
        let target = try RecordingTarget(.file(path: scratch.path("a.mkv")), segment: .milliseconds(900))
        let writer = try target.writer(
            [Recording.track(footage.format), Recording.track(sound)], ClipLabels(), EncoderSettings())
        try write(footage, to: writer, ahead: ahead)
        let clip = try writer.finish(ledger: LossLedger(), end: .complete)
        // Key frames come each 400 ms: 900 ms are due at 1.2 s, then 2.1 s at 2.4 s.
        #expect(clip.segments.map(\.start) == [.zero, .milliseconds(1200), .milliseconds(2400)])
        let parts = try clip.segments.map { try CameraFootage.pictures($0.path, scratch) }
        #expect(parts.map(\.count) == [30, 30, 15])
        #expect(try parts.flatMap { $0 } == footage.pictures(scratch))
        let heard = try clip.segments.map { try samples($0.path, in: scratch) }
        #expect(heard.map { $0.count / 4 } == [57_600, 57_600, 28_800])
        #expect(heard.flatMap { $0 } == Source.sound(sound, frames: 144_000))
    }

    @Test("one that becomes too large makes way with a key frame, and none is larger than asked")
    func bySize() throws {
        let scratch = try Scratch()
        let footage = try CameraFootage(.h264, 100, scratch)
        let target = try RecordingTarget(.file(path: scratch.path("a.mp4")), segment: .seconds(60), maxBytes: 500_000)
        let writer = try target.writer([Recording.track(footage.format)], ClipLabels(), EncoderSettings())
        for (number, frame) in footage.frames.enumerated() {
            try writer.write(frame.span.bytes, to: 0, at: Recording.time(number, footage.format))
        }
        let clip = try writer.finish(ledger: LossLedger(), end: .complete)
        #expect(clip.segments.count > 1)
        for part in clip.segments { #expect(part.bytes <= 500_000, "\(part.bytes)") }
        let parts = try clip.segments.map { try CameraFootage.pictures($0.path, scratch) }
        #expect(parts.allSatisfy { $0.count.isMultiple(of: 10) })
        #expect(try parts.flatMap { $0 } == footage.pictures(scratch))
    }

    @Test("where no key frame comes any more, the last one has what is left, sound too")
    func keyless() throws {
        let scratch = try Scratch()
        let footage = try CameraFootage(.h264, 60, scratch)
        let keys = Set([0, 10])
        let rest = footage.frames.indices.filter { keys.contains($0) || !$0.isMultiple(of: 10) }.map {
            footage.frames[$0]
        }
        let stream = footage.with(rest)
        let target = try RecordingTarget(.file(path: scratch.path("a.mkv")), segment: .milliseconds(500))
        let writer = try target.writer(
            [Recording.track(stream.format), Recording.track(sound)], ClipLabels(), EncoderSettings())
        try write(stream, to: writer, ahead: 0)
        let clip = try writer.finish(ledger: LossLedger(), end: .complete)
        #expect(clip.segments.count == 1)
        #expect(try samples(clip.segments[0].path, in: scratch) == Source.sound(sound, frames: 1920 * rest.count))
    }
}

@Suite("The start of a camera's own stream")
struct KeyFrameStartTests {
    private func header(_ number: Int, _ flags: FrameFlags = []) -> FrameHeader {
        var header = FrameHeader(
            sequence: UInt64(number), timestamp: Int64(number) * 40_000_000, byteCount: 1, frameCount: 1)
        header.flags = flags
        return header
    }

    /// Numbers of the frames that enter; those in `cut` are not in the clip all the same.
    private func entered(
        _ footage: CameraFootage, from first: Int, cut: Set<Int> = [], restarted: Int? = nil
    ) throws -> [Int] {
        let start = try #require(KeyFrameStart(footage.format, of: "Test camera"))
        var numbers: [Int] = []
        for number in first..<footage.frames.count {
            let frame = footage.frames[number]
            let verdict = try start.judge(frame.span.bytes, header(number, number == restarted ? .restarted : []))
            guard verdict == .admitted else { continue }
            try start.enter(frame.span.bytes) { _ in
                if cut.contains(number) { return false }
                numbers.append(number)
                return true
            }
        }
        return numbers
    }

    @Test("a clip begins with a key frame, and goes on with one behind a pause and a restart")
    func numbers() throws {
        let scratch = try Scratch()
        let footage = try CameraFootage(.h264, 40, scratch)
        #expect(try entered(footage, from: 0) == Array(0..<40))
        #expect(try entered(footage, from: 3) == Array(10..<40))
        #expect(try entered(footage, from: 0, cut: [12, 13, 14]) == Array(0..<12) + Array(20..<40))
        #expect(try entered(footage, from: 0, restarted: 25) == Array(0..<25) + Array(30..<40))
        #expect(KeyFrameStart(Source.video(.mjpeg), of: "") == nil)
    }

    @Test("parameter sets in a buffer of their own go ahead of the key frame behind them, and are no picture")
    func apart() throws {
        let scratch = try Scratch()
        let footage = try CameraFootage(.h264, 12, scratch)
        let units = footage.units(footage.frames[0])
        let sets = units.filter { [7, 8].contains($0.type) }.flatMap(\.bytes)
        let rest = units.filter { ![7, 8].contains($0.type) }.flatMap(\.bytes)
        let start = try #require(KeyFrameStart(footage.format, of: "Test camera"))
        #expect(try start.judge(sets.span.bytes, header(0)) == .apart)
        #expect(try start.judge(rest.span.bytes, header(1)) == .admitted)
        try start.enter(rest.span.bytes) { bytes in
            #expect(bytes.byteCount > rest.count + 16 && footage.format.isKeyFrame(bytes))
            return true
        }
        #expect(try start.judge(sets.span.bytes, header(2)) == .apart)
        let next = footage.frames[1]
        #expect(try start.judge(next.span.bytes, header(3)) == .admitted)
    }

    @Test("a camera that sends no key frame for half a minute is told of")
    func never() throws {
        let scratch = try Scratch()
        let footage = try CameraFootage(.h264, 12, scratch)
        let start = try #require(KeyFrameStart(footage.format, of: "Test camera"))
        let dependent = footage.frames[1]
        #expect(try start.judge(dependent.span.bytes, header(0)) == .waits)
        #expect(try start.judge(dependent.span.bytes, header(749)) == .waits)
        let error = #expect(throws: CaptureError.self) { try start.judge(dependent.span.bytes, header(750)) }
        #expect(error?.kind == .unavailable && error?.message.contains("key frame") == true)
    }

    @Test("memory keeps what a clip can begin with")
    func held() {
        let (held, bytes) = (PreRollBuffer(), [UInt8](repeating: 1, count: 2))
        func add(_ number: Int, isKey: Bool) {
            held.append(header(number), bytes.span.bytes, isKey: isKey)
            while held.dropFirstBeforeKey(most: 1 << 20) != nil {}
        }
        add(1, isKey: false)
        #expect(held.isEmpty && held.keyTime(near: 0) == nil)
        for number in 2..<6 { add(number, isKey: number == 2) }
        #expect(held.oldest == header(2).timestamp)
        add(6, isKey: true)
        #expect(held.oldest == header(6).timestamp)
        held.append(header(7), bytes.span.bytes, isKey: false)
        held.append(header(8), bytes.span.bytes, isKey: true)
        #expect(held.keyTime(near: header(7).timestamp) == header(6).timestamp)
        #expect(held.keyTime(near: header(9).timestamp) == header(8).timestamp)
        #expect(held.keyTime(near: 0) == header(6).timestamp)
    }
}
