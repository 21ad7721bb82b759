import CaptureGate

/// Time, bytes and allocations that an encoder took for a subject.
///
/// *thread-safe*
public struct EncoderMeasurement: Hashable, Sendable {
    public let subject: BenchmarkSubject
    /// Number of encoded frames: video frames, or periods of 100 ms.
    public let frames: Int
    /// Bytes of the encoded frames.
    public let bytes: Int64
    /// Time by the clock.
    public let elapsed: Duration
    /// Processor time.
    public let processor: Duration
    /// Time of the median frame by the clock.
    public let median: Duration
    /// Time of the frame at the 99th percentile by the clock; of fewer than a hundred, the slowest frame's.
    public let slow: Duration
    /// Allocations a frame, those of codec libraries included; `nil` if they can't be counted.
    public let allocationsPerFrame: Double?

    /// Duration of all frames together.
    public var media: Duration { .nanoseconds(Int64(frames) * subject.frameNanoseconds) }

    /// Speed on one processor: 1 keeps up with the device and has no time left.
    public var speed: Double { Double(media.exactNanoseconds) / Double(max(processor.exactNanoseconds, 1)) }

    /// Speed of video at another frame rate than the subject's; for audio, its ``speed``.
    public func times(at rate: FrameRate) -> Double {
        guard case .video(let format) = subject.media else { return speed }
        return speed * format.frameRate.framesPerSecond / rate.framesPerSecond
    }

    /// Bits a second of the encoded track.
    public var bitrate: Double { Double(bytes) * 8e9 / Double(max(media.exactNanoseconds, 1)) }

    /// Processor time a frame, to a fraction of a nanosecond.
    public var processorPerFrame: Duration { processor / max(frames, 1) }

    /// Headroom at another frame rate.
    public func headroom(at rate: FrameRate) -> Headroom {
        Headroom(times: times(at: rate), slowest: slow, frame: rate.frameDuration)
    }

    /// Headroom at the subject's own rate.
    public var headroom: Headroom {
        Headroom(times: speed, slowest: slow, frame: .nanoseconds(subject.frameNanoseconds))
    }
}

/// Verdict in three steps on an encoder that has to keep up with a device.
///
/// *thread-safe*
public enum Headroom: String, Hashable, Sendable, CaseIterable, Codable {
    /// At most two thirds of a processor, and at most one frame in a hundred takes longer than two frames' time.
    case fine
    /// Keeps up only on an idle machine.
    case tight
    /// Frames would be lost.
    case slow

    /// - Parameters:
    ///   - times: speed, 1 if it just keeps up.
    ///   - slowest: time of the frame at the 99th percentile.
    ///   - frame: time from one frame to the next.
    public init(times: Double, slowest: Duration, frame: Duration) {
        if times < 1 {
            self = .slow
        } else {
            self = times >= 1.5 && slowest <= frame * 2 ? .fine : .tight
        }
    }
}
