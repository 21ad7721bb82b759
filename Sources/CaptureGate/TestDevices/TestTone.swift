import CaptureBase
import CaptureRealtime

/// Built-in microphone `test:tone`: a sine in real time, through the same loop and ring as a real microphone's frames.
///
/// Frame n comes n / rate seconds after the start, however late the thread wakes up, so the microphone does not drift.
///
/// *realtime-safe* while its loop runs
// Unchecked: only this value owns `second`, and nothing writes to it again.
struct TestTone: ~Copyable, AudioSource, @unchecked Sendable {
    let settings: PCMSettings
    var allowsRealtimePriority: Bool { true }

    /// One second of samples of one channel, then one sample of the click.
    private let second: UnsafeMutableRawBufferPointer
    private let claps: Bool
    private let clock: SampleClock
    private let timer: PeriodTimer
    /// Timestamp of frame 0 in ns, CLOCK_MONOTONIC.
    private var started: Int64 = 0
    /// Number of frames delivered.
    private var position = 0

    /// Makes a microphone with the nearest settings that it can deliver.
    ///
    /// - Parameters:
    ///   - asked: requested settings; 8000 to 192000 Hz, 1 to 8 channels.
    ///   - claps: begins each whole second of CLOCK_MONOTONIC with a click of 2 ms at nearly full scale.
    /// - Throws: the call that failed for lack of descriptors.
    init(settings asked: PCMSettings, claps: Bool = false) throws(RealtimeFault) {
        timer = try PeriodTimer()
        var settings = asked
        settings.rate = min(max(asked.rate, 8000), 192_000)
        settings.channels = min(max(asked.channels, 1), 8)
        settings.periodFrames = asked.wantedPeriod(at: settings.rate)
        settings.bufferFrames = max(asked.bufferFrames, 4 * settings.periodFrames)
        let click = TestToneSamples.click(settings.format)
        second = .allocate(byteCount: (settings.rate + 1) * click.count, alignment: 16)
        TestToneSamples.writeSecond(settings, into: second)
        UnsafeMutableRawBufferPointer(rebasing: second.suffix(click.count)).copyBytes(from: click)
        clock = SampleClock(rate: settings.rate)
        self.settings = settings
        self.claps = claps
    }

    deinit {
        second.deallocate()
    }

    /// Starts the clock so that the frames' numbers continue after a stop.
    @_noLocks @_noAllocation
    mutating func start() -> RealtimeFault? {
        started = MonotonicClock.now &- clock.nanoseconds(Int64(position))
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

    /// Delivers whole periods, as a sound card does, and none before its last frame is due.
    @_noLocks @_noAllocation
    mutating func read(into memory: UnsafeMutableRawPointer, frames: Int) -> AudioReadResult {
        let due = started &+ clock.nanoseconds(Int64(position &+ frames))
        guard MonotonicClock.now >= due else { return .nothing }
        let timestamp = started &+ clock.nanoseconds(Int64(position))
        render(into: memory, frames: frames, since: TestClap.samples(since: timestamp, rate: settings.rate))
        position &+= frames
        return .frames(frames, timestamp: timestamp)
    }

    /// Copies frames out of the precomputed second; allocates nothing. `clap` is the number of samples between the last
    /// clap and the first frame.
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

    /// Does nothing: the tone never overruns, and late frames are delivered late.
    @_noLocks @_noAllocation
    mutating func recover(suspended: Bool) -> RealtimeFault? { nil }

    /// Does nothing: no device runs.
    @_noLocks @_noAllocation
    mutating func stop() {}

    /// Runs the loop. Each source does so itself: the compiler checks the loop's marks in a specialised copy alone.
    @_noLocks @_noAllocation
    static func capture(_ stream: inout AudioStream<TestTone>) -> LoopResult {
        CaptureLoop.run(&stream)
    }
}

/// Audio of `test:tone`: a sine of 997 Hz at -20 dBFS (AES17: 0 dBFS is a full-scale sine), the same in all channels.
///
/// 997 is prime, so all samples of a second are at different phases unless 997 divides the rate, and every second is
/// the same. The sine is calculated here and not by the C library, so that a sample has the same bytes on every
/// machine.
///
/// *thread-safe*
public enum TestToneSamples: Sendable {
    /// Frequency in Hz.
    public static let frequency = 997
    /// Amplitude as a fraction of full scale: -20 dB.
    public static let amplitude = 0.1

    /// Writes one second of one channel, which the capture thread repeats, to the start of `memory`.
    ///
    /// The second half of a second mirrors the first. Where the rate is even, each half mirrors itself, because the frequency is
    /// odd: then a quarter of the sines is enough.
    static func writeSecond(_ settings: PCMSettings, into memory: UnsafeMutableRawBufferPointer) {
        let (rate, size) = (settings.rate, settings.format.bytesPerSample)
        func put(_ value: Double, at index: Int) {
            let word = bits(value, settings.format)
            for byte in 0..<size { memory[index * size + byte] = UInt8(truncatingIfNeeded: word >> (8 * byte)) }
        }
        let isEven = rate.isMultiple(of: 2)
        for index in 0...(isEven ? rate / 4 : rate / 2) {
            let value = value(at: index, rate: rate)
            // Before the positive values: zero has no sign.
            if index > 0 { put(-value, at: rate - index) }
            if isEven { put(-value, at: rate / 2 + index) }
            put(value, at: index)
            if isEven { put(value, at: rate / 2 - index) }
        }
    }

    /// Value of a sample, -0.1 to 0.1.
    ///
    /// - Parameters:
    ///   - index: frame's index from the start of the capture, 0 upwards.
    ///   - rate: sample rate in Hz.
    public static func value(at index: Int, rate: Int) -> Double {
        let (angle, sign) = folded(index, rate: rate)
        return amplitude * sign * sine(angle, rate: rate)
    }

    /// Angle of a frame, folded into the first quarter of a turn, in parts of which a turn has twice the rate; and the sign
    /// of its sine.
    private static func folded(_ index: Int, rate: Int) -> (angle: Int, sign: Double) {
        let phase = index % rate * frequency % rate
        let isNegative = phase * 2 > rate
        let half = isNegative ? (rate - phase) * 2 : phase * 2
        return (half * 2 > rate ? rate - half : half, isNegative ? -1 : 1)
    }

    /// One sample of the click that `--clap` puts into each second, at 0.9 of full scale.
    static func click(_ format: PCMFormat) -> [UInt8] {
        (0..<format.bytesPerSample).map { UInt8(truncatingIfNeeded: bits(0.9, format) >> (8 * $0)) }
    }

    /// Bytes of consecutive frames.
    ///
    /// - Parameters:
    ///   - index: first frame's index from the start of the capture.
    ///   - count: number of frames.
    ///   - format: rate, channels and sample format of the bytes.
    public static func bytes(from index: Int, count: Int, format: AudioFormat) -> [UInt8] {
        let sample = format.sampleFormat.pcm
        return (index..<index + count).flatMap { frame -> [UInt8] in
            let word = bits(value(at: frame, rate: format.sampleRate), sample)
            let one = (0..<sample.bytesPerSample).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
            return (0..<format.channels).flatMap { _ in one }
        }
    }

    /// A sample in its format's bits, low byte first. 0.9 is the largest value, so no format overflows.
    private static func bits(_ value: Double, _ format: PCMFormat) -> UInt32 {
        switch format {
        case .s16: UInt32(bitPattern: Int32((value * 32_768).rounded(.toNearestOrEven)))
        case .s24, .s24Packed: UInt32(bitPattern: Int32((value * 8_388_608).rounded(.toNearestOrEven)))
        case .s32: UInt32(bitPattern: Int32((value * 2_147_483_648).rounded(.toNearestOrEven)))
        case .float32: Float(value).bitPattern
        }
    }

    /// Sine of a folded angle by its power series: exact to the last bits of a `Double`.
    private static func sine(_ folded: Int, rate: Int) -> Double {
        let angle = 2 * Double.pi * (Double(folded) / Double(2 * rate))
        var (term, sum) = (angle, angle)
        var power = 3.0
        // Each term is smaller than the one before: after one that adds nothing, none does.
        while power <= 25 {
            term *= -angle * angle / (power * (power - 1))
            if sum + term == sum { return sum }
            sum += term
            power += 2
        }
        return sum
    }
}

extension AudioSettings {
    /// Wishes for the built-in tone, `test:tone`.
    ///
    /// - Parameter claps: a click at each whole second of CLOCK_MONOTONIC, when the built-in camera flashes.
    public static func testTone(claps: Bool) -> AudioSettings {
        var settings = AudioSettings()
        settings.claps = claps
        return settings
    }
}
