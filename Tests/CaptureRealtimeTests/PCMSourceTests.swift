import CMedia
import CaptureRealtime
import Testing

/// Through the real libasound. `null` is in every configuration, `paced` in that of `Tests/PacedPCM`, which
/// `ALSA_CONFIG_PATH` names, as `Tests/run` sets it.
@Suite("PCM source", .serialized)
struct PCMSourceTests {
    private struct Heard {
        var result: LoopResult?
        var headers: [FrameHeader] = []
        var wrong = 0
        var counters = LoopCounters()
    }

    /// What the paced PCM makes of a sample's number.
    private func sample(_ frame: UInt64, _ channel: UInt64, _ format: PCMFormat) -> UInt32 {
        let word = UInt32(truncatingIfNeeded: (frame &* 8 &+ channel) &* 2_654_435_761)
        let value = Int32(bitPattern: word)
        return switch format {
        case .s16: UInt32(UInt16(truncatingIfNeeded: value >> 16))
        case .s24Packed: UInt32(truncatingIfNeeded: value >> 8) & 0xFF_FFFF
        case .s24: UInt32(bitPattern: value >> 8)
        case .s32: word
        case .float32: (Float(value) / 2_147_483_648).bitPattern
        }
    }

    private func mistakes(_ bytes: RawSpan, from frame: UInt64, _ settings: PCMSettings) -> Int {
        let size = settings.format.bytesPerSample
        return (0..<bytes.byteCount / size).count { index in
            var got: UInt32 = 0
            for byte in 0..<size {
                got |= UInt32(bytes.unsafeLoad(fromByteOffset: index * size + byte, as: UInt8.self)) << (8 * byte)
            }
            let place = frame + UInt64(index / settings.channels)
            return got != sample(place, UInt64(index % settings.channels), settings.format)
        }
    }

    /// Listens until `frames` are there or the capture ends by itself.
    private func listen(to name: String, _ asked: PCMSettings = PCMSettings(), frames: UInt64 = .max) throws -> Heard {
        let source = try PCMSource(opening: name, asked: asked)
        let (settings, control) = (source.got, try LoopControl())
        var heard = Heard()
        let capture = try AudioCapture(source, control: control, counters: heard.counters)
        RealtimeQueue(label: "test").run(capture.track) { _ in }
        var consumer = capture.consumer
        var seen: UInt64 = 0
        waiting: while true {
            switch consumer.wait(milliseconds: 10_000) {
            case .ready:
                while let header = consumer.withNext({ header, bytes in
                    heard.wrong += mistakes(bytes, from: header.sequence, settings)
                    return header
                }) {
                    heard.headers.append(header)
                    seen += UInt64(header.frameCount)
                    if seen >= frames { control.request(.stop) }
                }
            case .ended(let result):
                heard.result = result
                break waiting
            case .timedOut: break waiting
            }
        }
        return heard
    }

    @Test("The null PCM opens, and says what it does")
    func null() throws {
        let asked = PCMSettings(rate: 44_100, channels: 1, format: .s32, periodFrames: 441, bufferFrames: 4410)
        let source = try PCMSource(opening: "null", asked: asked)
        let (got, isAllowed, isInterleaved) = (source.got, source.allowsRealtimePriority, source.isInterleaved)
        #expect(got == asked)
        #expect(isInterleaved)
        // It is no card's: nobody paces it.
        #expect(!isAllowed)
    }

    @Test("A card that is not there is a fault with its errno")
    func missing() {
        for name in ["hw:31,0", "no-such-pcm"] {
            do {
                _ = try PCMSource(opening: name)
                Issue.record("\(name) opened")
            } catch {
                #expect(error.call == .openPCM)
                #expect([ENOENT, ENODEV, ENXIO].contains(error.errno), "\(error)")
            }
        }
    }

    @Test("libasound says nothing on standard error, whatever is missing")
    func silent() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            for name in ["hw:31,0", "no-such-pcm", "plug:no-such-pcm"] { _ = try? PCMSource(opening: name).got }
        }
        #expect(result?.standardErrorContent == [])
    }

    @Test("Every bit is the device's, in every sample format", arguments: PCMFormat.allCases)
    func bits(format: PCMFormat) throws {
        let heard = try listen(to: "paced", PCMSettings(channels: 2, format: format), frames: 9600)
        #expect(heard.result == LoopResult(.stopped))
        #expect(heard.wrong == 0)
        #expect(heard.counters.delivered >= 9600)
        #expect(heard.counters.deviceLost + heard.counters.ringLost == 0)
    }

    @Test("Eight channels and the ends of the rates", arguments: [8000, 192_000])
    func rates(rate: Int) throws {
        let heard = try listen(
            to: "paced", PCMSettings(rate: rate, channels: 8, format: .s32), frames: UInt64(rate / 5))
        #expect(heard.wrong == 0)
        #expect(heard.headers.first?.frameCount == rate / 100)
    }

    @Test("What a device can't do is told as what it does instead")
    func negotiated() throws {
        let asked = PCMSettings(rate: 44_100, channels: 1, format: .float32)
        let source = try PCMSource(opening: "paced_48k_stereo", asked: asked)
        let (before, got) = (source.asked, source.got)
        #expect(before == asked)
        #expect(got.rate == 48_000)
        #expect(got.channels == 2)
    }

    @Test("An overrun is recovered, and its length is measured within a period")
    func xrun() throws {
        let heard = try listen(to: "paced_stall", frames: 40_000)
        #expect(heard.counters.xruns == 1)
        let lost = try #require(heard.headers.first { $0.lost.device > 0 })
        #expect(lost.flags == [.xrun, .gap])
        #expect(heard.counters.xrunFrames == lost.lost.device)
        #expect(heard.counters.delivered + heard.counters.deviceLost == heard.counters.made)
    }

    @Test("An unplugged device ends as gone")
    func vanished() throws {
        let heard = try listen(to: "paced_vanish")
        #expect(heard.result == LoopResult(.deviceGone, fault: RealtimeFault(.readPCM, result: -ENODEV)))
        // What it had not handed out yet is gone with it.
        #expect((1...24_000).contains(heard.counters.delivered))
        #expect(heard.wrong == 0)
    }

    @Test("A device that falls silent without an error ends as stalled, after one restart")
    func dead() throws {
        let heard = try listen(to: "paced_dead")
        #expect(heard.result == LoopResult(.stalled))
        #expect(heard.counters.restarts == 1)
        #expect(heard.counters.delivered == 24_000)
    }

    @Test("Plugins get no realtime priority")
    func plugins() throws {
        for name in ["paced", "plug:paced"] {
            let source = try PCMSource(opening: name)
            let isAllowed = source.allowsRealtimePriority
            #expect(!isAllowed)
        }
    }
}
