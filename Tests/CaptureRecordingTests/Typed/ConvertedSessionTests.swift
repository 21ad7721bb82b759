import CaptureGate
import ClipScenery
import Testing

@testable import CaptureRecording

@Suite("Typed samples and pixels of a session")
struct ConvertedSessionTests {
    /// The same moment of the tone in each type.
    private struct Samples: Sendable {
        var raw: [UInt8] = []
        var frames = 0
    }

    private func samples<Sample: AudioSample>(_ type: Sample.Type, own: SampleFormat) async throws -> (
        Samples, SampleFormat
    ) {
        try await withPermit(for: Capability.tone()) { permit throws(CaptureError) in
            var session = try await AudioSession(opening: permit, settings: AudioSettings(sampleFormat: own))
            var found = Samples()
            while found.frames < 4800, try await session.ready() {
                session.withNextSamples(of: type) { header, samples in
                    #expect(samples.count == header.frameCount * 2)
                    found.frames += header.frameCount
                    found.raw += samples.bytes.withUnsafeBytes { Array($0) }
                }
            }
            let format = session.format.sampleFormat
            await session.close()
            return (found, format)
        }
    }

    @Test("Samples are lent as numbers of a type, whatever the microphone has")
    func types() async throws {
        let (own, format) = try await samples(Int16.self, own: .s16)
        let numbers = own.raw.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
        #expect(format == .s16 && numbers.contains { $0 != 0 })
        let (floats, floatFormat) = try await samples(Float.self, own: .s16)
        #expect(floatFormat == .float32)
        #expect(
            floats.raw.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) } == numbers.map { Float($0) / 32_768 })
        let (words, wordFormat) = try await samples(Int32.self, own: .s16)
        #expect(wordFormat == .s32)
        #expect(words.raw.withUnsafeBytes { Array($0.bindMemory(to: Int32.self)) } == numbers.map { Int32($0) << 16 })
    }

    @Test("The type may be another one from period to period: each is made of the microphone's own samples")
    func changing() async throws {
        try await withPermit(for: Capability.tone()) { permit throws(CaptureError) in
            var session = try await AudioSession(opening: permit, settings: AudioSettings(sampleFormat: .s16))
            /// Samples of a frame in the next period.
            func width<Sample: AudioSample>(
                _ type: Sample.Type, _ session: inout AudioSession
            ) async throws(CaptureError) -> Int {
                guard try await session.ready() else { return 0 }
                return session.withNextSamples(of: type) { header, samples in samples.count / header.frameCount } ?? 0
            }
            #expect(try await width(Float.self, &session) == 2)
            #expect(session.differences == [.sampleConversion(from: .s16, to: .float32)])
            #expect(try await width(Int32.self, &session) == 2)
            #expect(session.differences == [.sampleConversion(from: .s16, to: .s32)])
            #expect(try await width(Int16.self, &session) == 2)
            #expect(session.format.sampleFormat == .s16 && session.differences.isEmpty)
            await session.close()
        }
    }

    @Test("A microphone that is opened for floating point lends that, and says from what")
    func opened() async throws {
        let (format, differences, peak) = try await withPermit(for: Capability.tone()) { permit throws(CaptureError) in
            var session = try await AudioSession(
                opening: permit, settings: AudioSettings(channels: 1, sampleFormat: .s24), converting: .float32)
            var peak: Float = 0
            var meter = LevelMeter(session.format)
            while peak == 0, try await session.ready() {
                session.withNext { _, bytes in meter.update(with: bytes) }
                guard try await session.ready() else { break }
                session.withNextSamples { (_, samples: Span<Float>) in
                    for index in samples.indices { peak = max(peak, abs(samples[index])) }
                }
            }
            let result = (session.format, session.differences, peak)
            await session.close()
            return result
        }
        #expect(format == AudioFormat(sampleRate: 48_000, channels: 1, sampleFormat: .float32))
        #expect(differences.last == .sampleConversion(from: .s24, to: .float32))
        #expect(differences.last?.description == "samples are captured as S24_LE and converted to FLOAT_LE")
        #expect((0.001...1).contains(peak))
    }

    @Test("A camera that is opened for pixels lends them", arguments: [PixelFormat.bgra32, .rgba32, .rgb24, .grey])
    func pixels(format: PixelFormat) async throws {
        let (got, frame) = try await withPermit(for: Capability.bars()) { permit throws(CaptureError) in
            var session = try await VideoSession(
                opening: permit, settings: VideoSettings(width: 320, height: 240, pixelFormat: .yuyv),
                converting: format)
            var frame: [UInt8] = []
            while frame.isEmpty, try await session.ready() {
                session.withNext { header, bytes in
                    #expect(header.byteCount == bytes.byteCount)
                    frame = bytes.withUnsafeBytes { Array($0) }
                }
            }
            #expect(session.differences.contains(.conversion(from: .yuyv, to: format)))
            let got = session.format
            await session.close()
            return (got, frame)
        }
        let plane = try #require(got.planes.first)
        #expect(got.planes.count == 1 && plane.rows == 240 && plane.row(239).upperBound == frame.count)
        // The first bar is white, and the second one yellow.
        let size = plane.rowBytes / 320
        let row = frame[plane.row(120)]
        let (white, yellow) = (row.dropFirst(8 * size).prefix(size), row.dropFirst(60 * size).prefix(size))
        #expect(white.allSatisfy { $0 >= 180 } && Set(white.prefix(3)).count == 1, "\(white)")
        switch format {
        case .grey: #expect(yellow.first.map { $0 > 120 } == true)
        case .bgra32: #expect(yellow.map { $0 > 100 } == [false, true, true, true], "\(yellow)")
        case .rgba32: #expect(yellow.map { $0 > 100 } == [true, true, false, true], "\(yellow)")
        default: #expect(yellow.map { $0 > 100 } == [true, true, false], "\(yellow)")
        }
    }

    @Test("What nothing converts is refused, and the camera is closed")
    func refused() async throws {
        let error = await #expect(throws: CaptureError.self) {
            try await withPermit(for: Capability.bars()) { permit throws(CaptureError) in
                let session = try await VideoSession(opening: permit, converting: .nv12)
                await session.close()
            }
        }
        #expect(error?.kind == .usage)
        #expect(error?.message == "Frames can't be converted to NV12.")
    }
}
