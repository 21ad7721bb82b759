import CaptureBase
import ClipScenery
import Foundation
import Testing

@testable import CaptureEncoding

@Suite("Conversion of the sample rate")
struct RateConverterTests {
    struct Rates: Hashable, Sendable, CustomStringConvertible {
        let input: Int
        let output: Int
        var lower: Double { Double(min(input, output)) }
        var description: String { "\(input) to \(output) Hz" }

        init(_ input: Int, _ output: Int) { (self.input, self.output) = (input, output) }
    }

    /// 3:1, 160:147 and back, 1:2 and 2:1, 441:160, and one without a common factor.
    static let rates = [
        Rates(48_000, 16_000), Rates(48_000, 44_100), Rates(44_100, 48_000), Rates(24_000, 48_000),
        Rates(96_000, 48_000), Rates(44_100, 16_000), Rates(48_000, 44_101),
    ]

    /// Converters at their beginning: to make a table costs more than to use it.
    static let mono = Dictionary(
        uniqueKeysWithValues: rates.map { ($0, RateConverter(from: $0.input, to: $0.output, channels: 1)) })

    /// A tone of amplitude 1, a quarter of a period in.
    static func tone(_ frequency: Double, _ rate: Int, frames: Int) -> [Double] {
        (0..<frames).map { cos(2 * .pi * frequency * Double($0) / Double(rate)) }
    }

    static func converted(_ samples: [Double], _ rates: Rates, channels: Int = 1, by piece: Int = 4096) -> [Double] {
        let fresh = channels == 1 ? mono[rates] : nil
        var converter = fresh ?? RateConverter(from: rates.input, to: rates.output, channels: channels)
        var out: [Double] = []
        for start in stride(from: 0, to: samples.count, by: piece * channels) {
            let part = Array(samples[start..<min(start + piece * channels, samples.count)])
            part.withUnsafeBufferPointer { converter.push($0) }
            converter.pull(into: &out)
        }
        converter.pushEnd()
        converter.pull(into: &out)
        return out
    }

    /// Power in dB of a full-scale tone, away from the ends, where the tone begins and ends at once.
    static func decibels(_ samples: [Double]) -> Double {
        let margin = samples.count / 5
        let inner = samples.dropFirst(margin).dropLast(margin)
        return 10 * log10(inner.reduce(0) { $0 + $1 * $1 } / Double(inner.count) / 0.5 + 1e-30)
    }

    @Test("leaves a tone below 0.45 of the lower rate as it is, in its place, to -100 dB", arguments: rates)
    func passband(rates: Rates) {
        for part in [0.001, 0.1, 0.25, 0.4, 0.45] {
            let frequency = part * rates.lower
            let out = Self.converted(Self.tone(frequency, rates.input, frames: rates.input / 20), rates)
            let ideal = Self.tone(frequency, rates.output, frames: out.count)
            let rest = Self.decibels(zip(out, ideal).map { $0 - $1 })
            #expect(rest < -100, "\(part) of the lower rate: \(rest) dB")
        }
    }

    @Test("lets nothing through that the lower rate can't hold", arguments: rates.filter { $0.output < $0.input })
    func aliases(rates: Rates) {
        let highest = Double(rates.input) / 2
        for part in [0.0, 0.01, 0.1, 0.5, 0.9] {
            let frequency = rates.lower / 2 + part * (highest - rates.lower / 2)
            let out = Self.converted(Self.tone(frequency, rates.input, frames: rates.input / 20), rates)
            #expect(Self.decibels(out) < -100, "\(frequency) Hz: \(Self.decibels(out)) dB")
        }
    }

    @Test("makes as many frames as last as long", arguments: rates)
    func count(rates: Rates) {
        for frames in [0, 1, 2, 159, 160, 161, 4801] {
            let out = Self.converted([Double](repeating: 0.5, count: frames), rates)
            #expect(out.count == (frames * rates.output + rates.input - 1) / rates.input)
        }
    }

    @Test("leaves a click where it was", arguments: rates, [0, 1, 333, 2399])
    func click(rates: Rates, frame: Int) throws {
        var samples = [Double](repeating: 0, count: 2400)
        samples[frame] = 1
        let out = Self.converted(samples, rates)
        let peak = try #require(out.indices.max { abs(out[$0]) < abs(out[$1]) })
        #expect(abs(Double(peak) - Double(frame) * Double(rates.output) / Double(rates.input)) <= 1)
    }

    @Test("is the same however it is cut into periods, in each channel", arguments: rates)
    func pieces(rates: Rates) {
        let left = Self.tone(440, rates.input, frames: 3000)
        let right = Self.tone(997, rates.input, frames: 3000)
        let both = zip(left, right).flatMap { [$0, $1] }
        let whole = Self.converted(both, rates, channels: 2)
        #expect(stride(from: 0, to: whole.count, by: 2).map { whole[$0] } == Self.converted(left, rates))
        #expect(stride(from: 1, to: whole.count, by: 2).map { whole[$0] } == Self.converted(right, rates))
        let once = Self.converted(left, rates)
        for piece in [1, 31, 480, 2999] { #expect(Self.converted(left, rates, by: piece) == once) }
    }

    @Test("keeps a constant, and says how much is to come", arguments: rates)
    func constant(rates: Rates) throws {
        var converter = try #require(Self.mono[rates])
        let samples = [Double](repeating: 0.25, count: 4801)
        samples.withUnsafeBufferPointer { converter.push($0) }
        var out: [Double] = []
        converter.pull(into: &out)
        let (before, pending) = (out.count, converter.pending)
        converter.pushEnd()
        converter.pull(into: &out)
        #expect(out.count - before == pending && converter.pending == 0 && pending > 0)
        #expect(out.dropFirst(before / 3).prefix(before / 3).allSatisfy { abs($0 - 0.25) < 1e-9 })
    }

    @Test("is as pure as that of sox and ffmpeg")
    func peers() throws {
        let scratch = try Scratch()
        let rates = Rates(48_000, 16_000)
        // 3 kHz stays; 12 kHz would become 4 kHz.
        let (kept, stopped) = (Self.tone(3000, 48_000, frames: 48_000), Self.tone(12_000, 48_000, frames: 48_000))
        let samples = zip(kept, stopped).map { Int32(($0 + $1) * 0.25 * 2_147_483_647) }
        let path = scratch.path("in.raw")
        try Data(samples.withUnsafeBytes { Array($0) }).write(to: URL(fileURLWithPath: path))
        let sox = try Tool.output(
            "sox", ["-D", "-t", "s32", "-r", "48000", "-c", "1", path, "-t", "s32", "-r", "16000", "-"], in: scratch)
        let ffmpeg = try Tool.output(
            "ffmpeg",
            ["-v", "error", "-f", "s32le", "-ar", "48000", "-ac", "1", "-i", path, "-ar", "16000", "-f", "s32le", "-"],
            in: scratch)
        let ours = Self.converted(samples.map { Double($0) / 2_147_483_648 }, rates)
        let ideal = Self.tone(3000, 16_000, frames: 16_000).map { $0 * 0.25 }
        let judged = [ours, Self.numbers(sox), Self.numbers(ffmpeg)].map { out in
            Self.decibels(zip(out, ideal).map { $0 - $1 })
        }
        // sox at its default is at -168 dB, ffmpeg at -112; 24 bits end at -146.
        #expect(judged[0] < -140 && judged[0] < judged[2], "\(judged)")
        #expect(judged[1] < -140, "\(judged)")
        #expect(ours.count == 16_000 && abs(Self.numbers(sox).count - ours.count) <= 1)
    }

    private static func numbers(_ bytes: [UInt8]) -> [Double] {
        bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count - 3, by: 4).map {
                Double(bytes.loadUnaligned(fromByteOffset: $0, as: Int32.self)) / 2_147_483_648
            }
        }
    }
}
