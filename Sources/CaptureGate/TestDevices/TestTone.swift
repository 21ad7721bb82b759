import CMedia
import CaptureRealtime

/// The built-in microphone `test:tone`: ``TestToneSamples`` in real time, through the same loop and ring as any other. Frame n
/// comes n / rate seconds after the start, however late the thread wakes up, so nothing drifts.
///
/// *realtime-safe* while its loop runs
// Sendable by hand because of `second`, which this alone owns and never writes again.
struct TestTone: ~Copyable, AudioSource, @unchecked Sendable {
    let settings: PCMSettings
    var allowsRealtimePriority: Bool { true }

    private let second: UnsafeMutableRawBufferPointer
    private let claps: Bool
    private let clock: SampleClock
    private let timer: PeriodTimer
    /// ns on CLOCK_MONOTONIC.
    private var started: Int64 = 0
    /// Frames delivered.
    private var position = 0

    /// - Parameter claps: Whether each whole second of CLOCK_MONOTONIC begins with a click of 2 ms at nearly full scale.
    init(settings asked: PCMSettings, claps: Bool = false) throws(RealtimeFault) {
        timer = try PeriodTimer()
        var settings = asked
        settings.rate = min(max(asked.rate, 8000), 192_000)
        settings.channels = min(max(asked.channels, 1), 8)
        settings.periodFrames = asked.wantedPeriod(at: settings.rate)
        settings.bufferFrames = max(asked.bufferFrames, 4 * settings.periodFrames)
        // The click's sample comes last.
        let sound = TestToneSamples(settings).second + TestToneSamples.click(settings.format)
        second = .allocate(byteCount: sound.count, alignment: 16)
        second.copyBytes(from: sound)
        clock = SampleClock(rate: settings.rate)
        self.settings = settings
        self.claps = claps
    }

    deinit {
        second.deallocate()
    }

    @_noLocks @_noAllocation
    mutating func start() -> RealtimeFault? {
        started = cm_monotonic() &- clock.nanoseconds(Int64(position))
        return nil
    }

    @_noLocks @_noAllocation
    mutating func wait(control: Int32, milliseconds: Int32) -> SourceWakeup {
        let due = started &+ clock.nanoseconds(Int64(position &+ settings.periodFrames))
        return timer.wait(until: due, control: control, milliseconds: milliseconds)
    }

    @_noLocks @_noAllocation
    mutating func pause(control: Int32, milliseconds: Int32) {
        timer.pause(control: control, milliseconds: milliseconds)
    }

    /// Whole periods, as a sound card gives them.
    @_noLocks @_noAllocation
    mutating func read(into memory: UnsafeMutableRawPointer, frames: Int) -> AudioReadResult {
        let due = started &+ clock.nanoseconds(Int64(position &+ frames))
        guard cm_monotonic() >= due else { return .nothing }
        let timestamp = started &+ clock.nanoseconds(Int64(position))
        render(into: memory, frames: frames, since: TestClap.samples(since: timestamp, rate: settings.rate))
        position &+= frames
        return .frames(frames, timestamp: timestamp)
    }

    /// - Parameter clap: How many samples before the first one the last clap was.
    @_noLocks @_noAllocation
    private func render(into memory: UnsafeMutableRawPointer, frames: Int, since clap: Int) {
        guard let base = second.baseAddress else { return }
        let size = second.count / (settings.rate &+ 1)
        let click = claps ? TestClap.clickSamples(rate: settings.rate) : 0
        var target = memory
        for frame in 0..<frames {
            let isClick = (clap &+ frame) % settings.rate < click
            let index = isClick ? settings.rate : (position &+ frame) % settings.rate
            let sample = base + index &* size
            for _ in 0..<settings.channels {
                target.copyMemory(from: sample, byteCount: size)
                target += size
            }
        }
    }

    /// It never overruns: what is late is delivered late.
    @_noLocks @_noAllocation
    mutating func recover(suspended: Bool) -> RealtimeFault? { nil }

    @_noLocks @_noAllocation
    mutating func stop() {}

    @_noLocks @_noAllocation
    static func capture(_ stream: inout AudioStream<TestTone>) -> LoopResult {
        CaptureLoop.run(&stream)
    }
}
