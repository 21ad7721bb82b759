import CaptureBase
import CaptureRealtime

/// What a loop hears from a PCM of `Tests/PacedPCM`.
struct PacedSound {
    var result: LoopResult?
    var headers: [FrameHeader] = []
    /// Samples that are not what the frame's number makes them.
    var wrong = 0
    var counters = CaptureCounters()
    /// What the device said it does.
    var settings = PCMSettings()

    /// Function that inspects the units.
    typealias Look = (FrameHeader, RawSpan, PCMSettings) -> Int

    /// Listens until `frames` have arrived or the capture ends by itself.
    ///
    /// - Parameter look: counts the errors in a unit; otherwise the header's sequence must be the first frame's number.
    static func listen(
        to name: String, _ asked: PCMSettings = PCMSettings(), frames: UInt64 = .max, look: Look = mistakes
    ) throws -> PacedSound {
        let source = try PCMSource(opening: name, asked: asked)
        let (settings, control) = (source.got, try LoopControl())
        var heard = PacedSound()
        heard.settings = settings
        let capture = try AudioCapture(source, control: control, counters: heard.counters)
        RealtimeQueue(label: "test").run(capture.stream) { _ in }
        var consumer = capture.consumer
        var seen: UInt64 = 0
        waiting: while true {
            switch consumer.wait(milliseconds: 60_000) {
            case .ready:
                while let header = consumer.withNext({ header, bytes in
                    heard.wrong += look(header, bytes, settings)
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

    static func mistakes(_ header: FrameHeader, _ bytes: RawSpan, _ settings: PCMSettings) -> Int {
        let size = settings.format.bytesPerSample
        return (0..<bytes.byteCount / size).count { index in
            var got: UInt32 = 0
            for byte in 0..<size {
                got |= UInt32(bytes.unsafeLoad(fromByteOffset: index * size + byte, as: UInt8.self)) << (8 * byte)
            }
            let frame = header.sequence + UInt64(index / settings.channels)
            return got != sample(frame, UInt64(index % settings.channels), settings.format)
        }
    }

    /// What the paced PCM makes of a sample's number.
    private static func sample(_ frame: UInt64, _ channel: UInt64, _ format: PCMFormat) -> UInt32 {
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
}
