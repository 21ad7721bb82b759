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
    /// Time by the clock, nanoseconds.
    public let elapsedNanoseconds: Int64
    /// Processor time, nanoseconds.
    public let processorNanoseconds: Int64
    /// Time of the median frame by the clock, nanoseconds.
    public let medianNanoseconds: Int64
    /// Time of the frame at the 99th percentile by the clock, nanoseconds; of fewer than a hundred, the slowest frame's.
    public let slowNanoseconds: Int64
    /// Allocations a frame, those of codec libraries included; `nil` where they can't be counted.
    public let allocationsPerFrame: Double?

    /// Duration of all frames together, nanoseconds.
    public var mediaNanoseconds: Int64 { Int64(frames) * subject.frameNanoseconds }

    /// Speed on one processor: 1 keeps up with the device and has no time left.
    public var speed: Double { Double(mediaNanoseconds) / Double(max(processorNanoseconds, 1)) }

    /// Speed of video at another frame rate than the subject's; for audio, its ``speed``.
    public func times(at rate: FrameRate) -> Double {
        guard case .video(let format) = subject.media else { return speed }
        return speed * format.frameRate.framesPerSecond / rate.framesPerSecond
    }

    /// Bits a second of the encoded track.
    public var bitrate: Double { Double(bytes) * 8e9 / Double(max(mediaNanoseconds, 1)) }

    /// Processor time a frame, nanoseconds.
    public var processorNanosecondsPerFrame: Double { Double(processorNanoseconds) / Double(max(frames, 1)) }

    /// Headroom at another frame rate.
    public func headroom(at rate: FrameRate) -> Headroom {
        Headroom(times: times(at: rate), slowest: slowNanoseconds, frame: rate.frameNanoseconds)
    }

    /// Headroom at the subject's own rate.
    public var headroom: Headroom {
        Headroom(times: speed, slowest: slowNanoseconds, frame: subject.frameNanoseconds)
    }
}

/// Verdict in three steps on an encoder that has to keep up with a device.
///
/// *thread-safe*
public enum Headroom: String, Hashable, Sendable, CaseIterable, Codable {
    /// At most two thirds of a processor, and at most one frame in a hundred takes longer than two frames' time.
    case fine
    /// Keeps up only if nothing else runs.
    case tight
    /// Frames would be lost.
    case slow

    /// - Parameters:
    ///   - times: speed; 1 just keeps up.
    ///   - slowest: time of the frame at the 99th percentile, nanoseconds.
    ///   - frame: time from one frame to the next, nanoseconds.
    public init(times: Double, slowest: Int64, frame: Int64) {
        if times < 1 {
            self = .slow
        } else {
            self = times >= 1.5 && slowest <= 2 * frame ? .fine : .tight
        }
    }
}
