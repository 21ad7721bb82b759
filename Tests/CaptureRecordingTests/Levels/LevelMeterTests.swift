import CaptureGate
import CaptureRecording
import Testing

@Suite("Level meter")
struct LevelMeterTests {
    private func levels(_ format: SampleFormat, channels: Int, _ bytes: [UInt8]) -> [AudioLevel] {
        var meter = LevelMeter(AudioFormat(sampleRate: 48_000, channels: channels, sampleFormat: format))
        meter.update(with: bytes.span.bytes)
        return meter.read()
    }

    private func bytes<Sample>(of samples: [Sample]) -> [UInt8] {
        samples.withUnsafeBytes { Array($0) }
    }

    @Test("Each channel has a level of its own; full scale is clipped")
    func channels() {
        let levels = levels(.s16, channels: 2, bytes(of: [Int16.max, 0x4000, .min, -0x4000]))
        #expect(levels.map(\.isClipped) == [true, false])
        #expect(levels.map { ($0.peakDBFS * 100).rounded() / 100 } == [0, -6.02])
        #expect(levels.map { ($0.rmsDBFS * 100).rounded() / 100 } == [0, -6.02])
    }

    @Test(
        "Half of full scale is -6.02 dBFS in every sample format",
        arguments: [
            (SampleFormat.s16, [0x00, 0x40] as [UInt8]), (.s24Packed, [0x00, 0x00, 0xC0]),
            (.s24, [0x00, 0x00, 0x40, 0x7F]),
            (.s32, [0x00, 0x00, 0x00, 0xC0]), (.float32, [0x00, 0x00, 0x00, 0x3F]),
        ])
    func formats(_ format: SampleFormat, bytes: [UInt8]) {
        let levels = levels(format, channels: 1, bytes)
        #expect(levels.map { ($0.peakDBFS * 100).rounded() / 100 } == [-6.02])
    }

    @Test("What is no number, and what is left of a frame, does not count")
    func oddities() {
        #expect(levels(.float32, channels: 1, bytes(of: [Float.nan, 0])) == [.silence])
        #expect(levels(.s16, channels: 2, [0, 0, 0, 0, 0xFF, 0x7F]) == [.silence, .silence])
        #expect(levels(.s16, channels: 2, []) == [.silence, .silence])
    }

    @Test("A reading speaks of what came since the one before")
    func readings() {
        var meter = LevelMeter(AudioFormat(sampleRate: 48_000, channels: 1, sampleFormat: .s16))
        meter.update(with: bytes(of: [Int16.max]).span.bytes)
        #expect(meter.read()[0].isClipped)
        #expect(meter.read() == [.silence])
    }
}
