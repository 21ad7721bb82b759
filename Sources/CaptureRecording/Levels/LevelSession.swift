import CaptureEncoding
import CaptureGate

/// Microphone that is open for metering: it reports the level of each channel, and lends no audio.
///
/// It requires the level `.meter`. The device is closed when the value is released, or sooner when the gate ends the capture.
///
/// *session-bound*
public struct LevelSession: ~Copyable, Sendable {
    private let session: AudioSession
    private let interval: Duration

    /// Least time from one reading to the next. Faster levels would be an outline of the audio itself.
    public static let leastInterval = Duration.milliseconds(50)

    /// Opens the microphone the permit names and negotiates; nothing is captured before ``levels()``.
    ///
    /// - Parameters:
    ///   - permit: of a microphone, at the level `.meter` or higher.
    ///   - settings: of the microphone; the period is the time from one reading to the next, ``leastInterval`` at least.
    /// - Throws: as `AudioSession`.
    public init(
        opening permit: consuming DevicePermit, settings: AudioSettings = AudioSettings()
    ) async throws(CaptureError) {
        var settings = settings
        interval = max(settings.period ?? Self.leastInterval, Self.leastInterval)
        settings.period = interval
        session = try await AudioSession(opening: permit, settings: settings, for: .meter)
    }

    /// The microphone.
    public var device: Device { session.device }
    /// Format that it delivers.
    public var format: AudioFormat { session.format }
    /// Settings that it does otherwise than asked.
    public var differences: [FormatDifference] { session.differences }

    /// Starts it, and reads its levels from then on.
    public consuming func levels() -> LevelReadings {
        let interval = interval
        return LevelReadings(session.frames(), every: interval)
    }
}

/// Levels of all channels since the reading before.
///
/// *thread-safe*
public struct LevelReading: Hashable, Sendable {
    /// Length of the audio metered since the start.
    public let elapsed: Duration
    /// Level of each channel.
    public let channels: [AudioLevel]
    /// Frames lost since the start.
    public let lost: UInt64

    package init(elapsed: Duration, channels: [AudioLevel], lost: UInt64) {
        self.elapsed = elapsed
        self.channels = channels
        self.lost = lost
    }
}

/// Levels of a microphone as an asynchronous sequence.
///
/// It ends when the capture is stopped, and throws if the capture ended for another reason. Leaving the loop closes the device
/// soon; `close()` waits for it. It is for one loop.
///
/// *thread-safe*
public struct LevelReadings: AsyncSequence, Sendable {
    public typealias Element = LevelReading
    public typealias Failure = CaptureError

    private let periods: CapturedPeriods
    private let interval: Duration

    init(_ periods: CapturedPeriods, every interval: Duration) {
        self.periods = periods
        self.interval = interval
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        private var periods: CapturedPeriods.AsyncIterator
        private var count: LevelCount

        fileprivate init(_ readings: LevelReadings) {
            periods = readings.periods.makeAsyncIterator()
            count = LevelCount(readings.periods.format, every: readings.interval)
        }

        public mutating func next() async throws(CaptureError) -> LevelReading? {
            while let period = try await periods.next() {
                if let reading = count.reading(period.header, period.bytes.span.bytes) { return reading }
            }
            return nil
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Ends the capture, and returns when the device is closed and the end is in the audit log. Further calls do nothing.
    public func close() async { await periods.close() }
}

/// Sum of periods until they are as long as a reading has to be.
struct LevelCount {
    private let format: AudioFormat
    private let most: Int64
    private var meter: LevelMeter
    /// Frames in all, and those since the reading before.
    private var frames: Int64 = 0
    private var pending: Int64 = 0
    private var lost: UInt64 = 0

    init(_ format: AudioFormat, every interval: Duration) {
        self.format = format
        most = interval.nanoseconds
        meter = LevelMeter(format)
    }

    /// Adds a period.
    /// - Returns: `nil` while there is too little audio for a reading.
    mutating func reading(_ header: FrameHeader, _ bytes: RawSpan) -> LevelReading? {
        frames += Int64(header.frameCount)
        pending += Int64(header.frameCount)
        lost += header.lost.total
        meter.update(with: bytes)
        guard format.nanoseconds(ofFrames: pending) >= most else { return nil }
        pending = 0
        return LevelReading(
            elapsed: .nanoseconds(format.nanoseconds(ofFrames: frames)), channels: meter.read(), lost: lost)
    }
}
