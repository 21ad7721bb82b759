import CaptureRealtime
import Testing

/// On a PCM of `Tests/PacedPCM` with separate channels, through the real libasound: `snd_pcm_readn`.
@Suite("Non-interleaved PCM", .serialized)
struct PCMPlanarTests {
    struct Shape: CustomTestStringConvertible, Sendable {
        let channels: Int
        let rate: Int

        var testDescription: String { "\(channels) at \(rate) Hz" }

        static let all = [1, 2, 8].flatMap { channels in
            [8000, 44_100, 48_000, 192_000].map { Shape(channels: channels, rate: $0) }
        }
    }

    @Test("Every bit is the device's, woven together", arguments: PCMFormat.allCases, Shape.all)
    func bits(format: PCMFormat, shape: Shape) throws {
        let asked = PCMSettings(rate: shape.rate, channels: shape.channels, format: format)
        let heard = try PacedSound.listen(to: "paced_with:PLANAR=1", asked, frames: UInt64(shape.rate / 20))
        #expect(heard.result == LoopResult(.stopped))
        #expect(heard.wrong == 0)
        #expect(heard.counters.delivered >= shape.rate / 20)
        #expect(heard.headers.allSatisfy { $0.byteCount == $0.frameCount * asked.bytesPerFrame })
        #expect(heard.counters.deviceLost + heard.counters.ringLost == 0)
    }

    @Test("It is opened as what it is", arguments: [(0, true), (1, false)])
    func access(planar: Int, isInterleaved: Bool) throws {
        let asked = PCMSettings(rate: 44_100, channels: 8, format: .s24Packed)
        let source = try PCMSource(opening: "paced_with:PLANAR=\(planar)", asked: asked)
        let (came, got) = (source.isInterleaved, source.got)
        #expect(came == isInterleaved)
        #expect((got.rate, got.channels, got.format) == (44_100, 8, .s24Packed))
    }
}
