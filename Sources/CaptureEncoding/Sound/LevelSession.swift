import CaptureGate

/// A microphone that is open to be metered: it tells how loud each channel is, and lends no sound.
///
/// It is what the level `.meter` opens. The device is closed when the value is released, or sooner when the gate says so.
///
/// *session-bound*
public struct LevelSession: ~Copyable, Sendable {
    private let session: AudioSession
    private let interval: Duration

    /// From one reading to the next, at least. Levels that came faster would be an outline of the sound itself.
    public static let leastInterval = Duration.milliseconds(50)

    /// Opens the microphone the permit names and negotiates; nothing is captured before ``levels()``.
    ///
    /// - Parameters:
    ///   - permit: of a microphone, at the level `.meter` or higher.
    ///   - settings: what is wanted of it; the period is from one reading to the next, ``leastInterval`` at least.
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
    /// What it delivers.
    public var format: AudioFormat { session.format }
    /// What was asked for and is otherwise, a sentence each.
    public var differences: [String] { session.differences }

    /// Starts it, and tells how loud it is from then on.
    public consuming func levels() -> LevelReadings {
        let interval = interval
        return LevelReadings(session.frames(), every: interval)
    }
}

/// How loud each channel was since the reading before.
///
/// *thread-safe*
public struct LevelReading: Hashable, Sendable {
    /// Sound metered since the start, ns.
    public let elapsedNanoseconds: Int64
    /// A level a channel.
    public let channels: [SoundLevel]
    /// Frames lost since the start.
    public let lost: UInt64

    package init(elapsedNanoseconds: Int64, channels: [SoundLevel], lost: UInt64) {
        self.elapsedNanoseconds = elapsedNanoseconds
        self.channels = channels
        self.lost = lost
    }
}

/// The levels of a microphone as an asynchronous sequence.
///
/// It ends when the capture is stopped, and throws where it ended otherwise. Leaving the loop closes the device, in a
/// while; `close()` waits for it. It is for one loop.
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

    /// Ends the capture, and returns when the device is closed and the audit log says so. Once is enough, and more does no
    /// harm.
    public func close() async { await periods.close() }
}

/// Adds periods up until they are as long as a reading has to be.
struct LevelCount {
    private let format: AudioFormat
    private let most: Int64
    private var meter: LevelMeter
    /// Frames in all, and since the reading before.
    private var frames: Int64 = 0
    private var pending: Int64 = 0
    private var lost: UInt64 = 0

    init(_ format: AudioFormat, every interval: Duration) {
        self.format = format
        most = interval.nanoseconds
        meter = LevelMeter(format)
    }

    /// - Returns: `nil` while there is too little sound for one.
    mutating func reading(_ header: FrameHeader, _ bytes: RawSpan) -> LevelReading? {
        frames += Int64(header.frameCount)
        pending += Int64(header.frameCount)
        lost += header.lost.total
        meter.update(with: bytes)
        guard format.nanoseconds(ofFrames: pending) >= most else { return nil }
        pending = 0
        return LevelReading(
            elapsedNanoseconds: format.nanoseconds(ofFrames: frames), channels: meter.read(), lost: lost)
    }
}
