import CaptureGate
import ClipScenery
import Testing

@testable import CaptureRecording

@Suite("Silence")
struct SilenceTests {
    private let format = AudioFormat(sampleRate: 8000, channels: 2, sampleFormat: .s16)
    private let silence = SilenceDetector(SilenceRule(duration: .milliseconds(100), levelDBFS: -40))

    /// - Parameter level: of the second channel, 0 to 1; the first is silent.
    private func sound(_ frames: Int, level: Double) -> [UInt8] {
        let value = UInt16(bitPattern: Int16(level * 32_767))
        return (0..<frames).flatMap { _ in [0, 0, UInt8(value & 0xFF), UInt8(value >> 8)] }
    }

    private func output(_ writer: MemoryWriter, _ silence: SilenceDetector) -> AudioTrackWriter {
        AudioTrackWriter(format, to: writer, as: 0, target: nil, silenceMeter: SilenceMeter(silence, format))
    }

    @Test(
        "ends the sound when it has been quiet for long enough, whatever the periods",
        arguments: [1, 37, 160, 800, 4000])
    func periods(length: Int) throws {
        let writer = MemoryWriter([Recording.track(format)])
        let output = output(writer, silence)
        // 0.2 s loud, 80 ms quiet, 0.1 s loud, then permanently quiet: it ends 100 ms later, at 0.48 s.
        let all = sound(1600, level: 0.5) + sound(640, level: 0) + sound(800, level: 0.5) + sound(4000, level: 0.005)
        for first in stride(from: 0, to: all.count / 4, by: length) where !output.isFull {
            let period = Array(all[4 * first..<min(4 * (first + length), all.count)])
            try output.write(period.span.bytes, step: nil)
        }
        #expect(silence.isOver && output.isFull)
        #expect(output.written == 3840 && output.delivered == 3840)
        #expect(writer.bytes == Array(all[..<(4 * 3840)]))
    }

    @Test("is what is under the level, and nothing else")
    func level() throws {
        let writer = MemoryWriter([Recording.track(format)])
        let output = output(writer, silence)
        try output.write(sound(8000, level: 0.0101).span.bytes, step: nil)
        #expect(!silence.isOver && output.written == 8000)
        try output.write(sound(8000, level: 0.0099).span.bytes, step: nil)
        #expect(silence.isOver && output.written == 8800)
    }

    @Test("is also what stands for lost sound")
    func filled() throws {
        let writer = MemoryWriter([Recording.track(format)])
        let output = output(writer, silence)
        try output.write(sound(160, level: 0.5).span.bytes, step: nil)
        try output.writeSilence(5000)
        #expect(silence.isOver && output.written == 960 && output.filled == 800)
    }

    @Test("ends resampled sound, too, and what comes after counts neither as delivered nor as corrected")
    func resampled() throws {
        let writer = MemoryWriter([Recording.track(format)])
        let output = output(writer, silence)
        try output.write(sound(160, level: 0.5).span.bytes, step: 1.001)
        try output.write(sound(8000, level: 0).span.bytes, step: 1.001)
        try output.flush(step: 1.001)
        #expect(silence.isOver && output.written < 1200)
        #expect((-2...0).contains(output.corrected), "\(output.corrected)")
        #expect(Int64(output.delivered) + output.corrected == Int64(output.written))
    }

    @Test("must be heard from each microphone")
    func several() throws {
        let writers = [MemoryWriter([Recording.track(format)]), MemoryWriter([Recording.track(format)])]
        let outputs = writers.map { output($0, silence) }
        try outputs[0].write(sound(8000, level: 0).span.bytes, step: nil)
        try outputs[1].write(sound(8000, level: 0.5).span.bytes, step: nil)
        #expect(!silence.isOver)
        try outputs[1].write(sound(8000, level: 0).span.bytes, step: nil)
        #expect(silence.isOver && outputs[1].written == 8800)
    }
}
