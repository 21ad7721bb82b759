import CaptureGate
import Testing

@testable import CaptureEncoding

@Suite("The memory of a pre-roll")
struct PreRollTests {
    private func preRoll(seconds: Int) throws -> PreRoll {
        var settings = RecorderSettings()
        settings.preRoll = .seconds(seconds)
        return try #require(PreRoll(settings))
    }

    private let raw = Recording.track(Source.video(.yuyv, 1920, 1080))
    private let images = Recording.track(Source.video(.mjpeg, 1920, 1080))
    private let sound = Recording.track(AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s16))

    @Test("begins the clip where somebody asks for it; without one the moment that was said does")
    func asked() throws {
        let never = Int64.max / 2
        for (seconds, startsAt, start) in [
            (5, nil, 7), (5, never, 7), (0, nil, 7), (nil, never, nil),
        ] as [(Int?, Int64?, Int64?)] {
            var settings = RecorderSettings()
            settings.preRoll = seconds.map { .seconds($0) }
            settings.startsAt = startsAt
            #expect(PreRoll(settings)?.start(asked: 7) == start)
        }
    }

    @Test("is refused for raw pictures above 1 GiB; JPEG images are never refused")
    func check() throws {
        try preRoll(seconds: 7).check([raw, sound])
        #expect(throws: CaptureError.self) { try preRoll(seconds: 8).check([raw, sound]) }
        #expect(throws: CaptureError.self) { try preRoll(seconds: 4).check([raw, raw]) }
        try preRoll(seconds: 3600).check([images, sound])
    }

    @Test("is where it is needed: images have what sound leaves, in equal parts")
    func parts() throws {
        let preRoll = try preRoll(seconds: 9)
        #expect(preRoll.mostBytes(of: [raw, sound]).allSatisfy { $0 == 1 << 30 })
        let rest = ((1 << 30) - 1_920_000) / 2
        #expect(preRoll.mostBytes(of: [images, sound, images]) == [rest, 1 << 30, rest])
    }
}
