import CaptureGate

/// What an encoder took for a subject.
///
/// *thread-safe*
public struct EncoderMeasurement: Hashable, Sendable {
    public let subject: BenchmarkSubject
    /// Frames that were encoded: pictures, or periods of 100 ms.
    public let frames: Int
    /// Bytes that came out of them.
    public let bytes: Int64
    /// By the clock, nanoseconds.
    public let elapsedNanoseconds: Int64
    /// Of one processor, nanoseconds.
    public let processorNanoseconds: Int64
    /// By the clock, of the frame in the middle, nanoseconds.
    public let medianNanoseconds: Int64
    /// By the clock, of the slowest frame but one in a hundred, nanoseconds; with less than a hundred, of the slowest.
    public let slowNanoseconds: Int64
    /// How often memory was allocated a frame, codec libraries included; `nil` where it can't be counted.
    public let allocationsPerFrame: Double?

    /// How long the frames are heard or seen, nanoseconds.
    public var mediaNanoseconds: Int64 { Int64(frames) * subject.frameNanoseconds }

    /// How many times faster than it has to be, on one processor.
    public var speed: Double { Double(mediaNanoseconds) / Double(max(processorNanoseconds, 1)) }

    /// The same of pictures at another rate than the subject's; of sound, its ``speed``.
    public func times(at rate: FrameRate) -> Double {
        guard case .video(let format) = subject.media else { return speed }
        return speed * format.frameRate.framesPerSecond / rate.framesPerSecond
    }

    /// Bit a second of what is heard or seen.
    public var bitrate: Double { Double(bytes) * 8e9 / Double(max(mediaNanoseconds, 1)) }

    /// Processor time a frame, nanoseconds.
    public var processorNanosecondsPerFrame: Double { Double(processorNanoseconds) / Double(max(frames, 1)) }

    /// Whether that can be recorded at a rate: see ``Headroom``.
    public func headroom(at rate: FrameRate) -> Headroom {
        Headroom(times: times(at: rate), slowest: slowNanoseconds, frame: rate.frameNanoseconds)
    }

    /// Whether that can be recorded at the subject's own rate.
    public var headroom: Headroom {
        Headroom(times: speed, slowest: slowNanoseconds, frame: subject.frameNanoseconds)
    }
}
