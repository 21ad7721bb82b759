import CaptureBase
import ClipScenery
import Foundation
import Testing

@testable import CaptureEncoding

@Suite("Resampler")
struct ResamplerTests {
    static let mono = AudioFormat(sampleRate: 48_000, channels: 1, sampleFormat: .float32)

    /// A tone of 997 Hz at half of full scale.
    static func tone(_ frames: Int, step: Double = 1) -> [Float] {
        (0..<frames).map { Float(0.5 * sin(2 * Double.pi * 997 * Double($0) * step / 48_000)) }
    }

    private func resampled(_ samples: [Float], step: Double, by piece: Int = 480) -> [Float] {
        var resampler = Resampler(Self.mono)
        var out: [Float] = []
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: samples.count, by: piece) {
            let part = Array(samples[start..<min(start + piece, samples.count)])
            resampler.push(part.span.bytes)
            _ = resampler.pull(step: step, most: .max, into: &bytes)
            out += bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        }
        resampler.pushEnd()
        _ = resampler.pull(step: step, most: .max, into: &bytes)
        return out + bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    @Test("at the pace 1 every bit stays, in all formats and channels", arguments: SampleFormat.allCases, [1, 2, 8])
    func identity(sampleFormat: SampleFormat, channels: Int) {
        let format = AudioFormat(sampleRate: 48_000, channels: channels, sampleFormat: sampleFormat)
        let source = Source.sound(format, frames: 700)
        var resampler = Resampler(format)
        resampler.push(source.span.bytes)
        resampler.pushEnd()
        var bytes: [UInt8] = []
        #expect(resampler.pull(step: 1, most: .max, into: &bytes) == 700)
        #expect(Source.stored(bytes, sampleFormat) == Source.stored(source, sampleFormat))
    }

    @Test(
        "a tone at another pace is that tone at another pace, to -120 dB",
        arguments: [1.0005, 0.9995, 1.001, 0.99999, 1.01, 0.99, 1.02, 0.98])
    func tone(step: Double) {
        let out = resampled(Self.tone(9600), step: step)
        #expect(abs(Double(out.count) - 9600 / step) <= 1)
        let ideal = Self.tone(out.count, step: step)
        let rest = zip(out, ideal).dropFirst(64).dropLast(64).map { Double($0 - $1) }
        let power = rest.reduce(0) { $0 + $1 * $1 } / Double(rest.count)
        // Against the tone's own power, 0.125. Single precision alone gives -150 dB.
        #expect(10 * log10(power / 0.125) < -120)
    }

    @Test("how it is cut into periods makes no difference")
    func pieces() {
        let source = Self.tone(5000)
        let whole = resampled(source, step: 1.0003, by: 5000)
        for piece in [1, 31, 64, 480, 1023] {
            let cut = resampled(source, step: 1.0003, by: piece)
            #expect(cut.count == whole.count)
            #expect(zip(cut, whole).allSatisfy { abs($0 - $1) < 1e-6 })
        }
    }

    @Test("full scale is held, not wrapped")
    func clipping() {
        let format = AudioFormat(sampleRate: 48_000, channels: 1, sampleFormat: .s16)
        let square = (0..<480).map { Int16($0 / 24 % 2 == 0 ? 32_767 : -32_768) }
        var resampler = Resampler(format)
        resampler.push(square.span.bytes)
        var bytes: [UInt8] = []
        _ = resampler.pull(step: 1.01, most: .max, into: &bytes)
        let out = bytes.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
        #expect(out.contains(32_767) && out.contains(-32_768))
        // In the middle of each half wave nothing has changed its sign.
        for (number, sample) in out.enumerated() where (8...16).contains(Int(Double(number) * 1.01) % 24) {
            #expect((sample > 0) == (Int(Double(number) * 1.01) / 24 % 2 == 0))
        }
    }
}
