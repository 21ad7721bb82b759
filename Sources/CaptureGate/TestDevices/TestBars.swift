import CaptureBase
import CaptureRealtime

/// Built-in camera `test:bars`: numbered colour bars in real time, through the same loop and ring as a real camera's
/// frames.
///
/// Frame n comes n / fps seconds after the start, however late the thread wakes up, so the camera does not drift.
///
/// *realtime-safe* while its loop runs
// Unchecked: the ring decides who may use a buffer of `memory` at any time.
struct TestBars: ~Copyable, VideoSource, @unchecked Sendable {
    let format: CameraFormat
    let buffers: FrameBuffers
    var allowsRealtimePriority: Bool { true }

    /// Number of buffers; `white` and `free` have a bit for each.
    private static let bufferCount = 8
    private let picture: TestBarsFrame
    private let rate: TestRate
    private let timer: PeriodTimer
    /// Start of the first buffer; `buffers` unmaps it after the loop has ended.
    private let memory: UnsafeMutablePointer<UInt8>
    /// Distance between two buffers in bytes.
    private let stride: Int
    private let claps: Bool
    /// Bit mask of the buffers that hold a flash instead of the bars.
    private var white: UInt32 = 0
    /// Timestamp of frame 0 in ns, CLOCK_MONOTONIC.
    private var started: Int64 = 0
    /// Number of the next frame.
    private var next: UInt64 = 0
    /// Bit mask of the queued buffers: those that may be filled.
    private var free: UInt32 = 0

    /// Makes a camera with the nearest size, format and rate that it can deliver.
    ///
    /// - Parameters:
    ///   - width: pixels, 16 to 7680.
    ///   - height: pixels, 16 to 4320.
    ///   - fourcc: YUYV or YU12; anything else gives YUYV.
    ///   - fpsNumerator: frames in `fpsDenominator` seconds; 1 to 120 per second.
    ///   - fpsDenominator: seconds, 1 upwards.
    ///   - claps: makes one frame a second white: the first at or after each whole second of CLOCK_MONOTONIC. At a
    ///     whole number of frames per second its timestamp is that very second.
    /// - Throws: the call that failed for lack of memory or descriptors.
    init(
        width: Int, height: Int, fourcc: UInt32, fpsNumerator: Int, fpsDenominator: Int, claps: Bool = false
    ) throws(RealtimeFault) {
        let timer = try PeriodTimer()
        let picture = TestBarsFrame(width: width, height: height, pixelFormat: PixelFormat(rawValue: fourcc))
        // A buffer is unmapped by itself, so it is whole pages.
        let size = (picture.byteCount + 4095) & ~4095
        let base = try FrameBuffers.memory(byteCount: TestBars.bufferCount * size, name: "test-bars")
        let buffers = try FrameBuffers(count: TestBars.bufferCount, planes: 1) { (buffer, _) throws(RealtimeFault) in
            UnsafeMutableRawBufferPointer(start: base + buffer * size, count: size)
        }
        rate = TestRate(fpsNumerator, fpsDenominator)
        format = TestBars.format(picture, rate)
        self.picture = picture
        self.buffers = buffers
        self.timer = timer
        stride = size
        self.claps = claps
        memory = base.assumingMemoryBound(to: UInt8.self)
        // The bars never change: drawn here once, a frame costs its number alone.
        for buffer in 0..<TestBars.bufferCount { picture.drawBars(into: memory + buffer * size) }
    }

    /// The format as a driver would report it.
    private static func format(_ picture: TestBarsFrame, _ rate: TestRate) -> CameraFormat {
        let layout = PlaneLayout(bytesPerLine: picture.bytesPerLine, sizeImage: picture.byteCount)
        let pixels = picture.isPlanar ? PixelFormat.yuv420 : PixelFormat.yuyv
        var format = CameraFormat(
            width: picture.width, height: picture.height, fourcc: pixels.rawValue, layouts: [layout],
            fpsNumerator: Int(rate.numerator), fpsDenominator: Int(rate.denominator))
        // V4L2_COLORSPACE_SMPTE170M, V4L2_FIELD_NONE.
        format.colorspace = 1
        format.field = 1
        return format
    }

    /// Starts the clock so that the frames' numbers continue after a stop.
    @_noLocks @_noAllocation
    mutating func start() -> RealtimeFault? {
        let now = MonotonicClock.now
        started = (claps ? rate.aligned(now) : now) &- rate.due(next)
        return nil
    }

    @_noLocks @_noAllocation
    mutating func wait(control: Int32, milliseconds: Int32) -> SourceWakeup {
        timer.wait(until: started &+ rate.due(next), control: control, milliseconds: milliseconds)
    }

    @_noLocks @_noAllocation
    mutating func pause(control: Int32, milliseconds: Int32) {
        timer.pause(control: control, milliseconds: milliseconds)
    }

    /// Draws the next frame into a free buffer once it is due; delivers nothing before, and nothing without a free
    /// buffer.
    @_noLocks @_noAllocation
    mutating func dequeue() -> DequeueResult {
        let timestamp = started &+ rate.due(next)
        guard MonotonicClock.now >= timestamp, free != 0 else { return .nothing }
        let buffer = free.trailingZeroBitCount
        free &= free &- 1
        draw(next, timestamp, into: buffer)
        let sequence = UInt32(truncatingIfNeeded: next)
        next &+= 1
        return .buffer(
            DequeuedBuffer(
                index: buffer, sequence: sequence, timestamp: timestamp, isFlagged: false,
                planes: FramePlanes(byteCount: picture.byteCount)))
    }

    /// Draws the number, and the flash or the bars where the buffer holds the other.
    @_noLocks @_noAllocation
    private mutating func draw(_ number: UInt64, _ timestamp: Int64, into buffer: Int) {
        let base = memory + buffer &* stride
        let bit: UInt32 = 1 << UInt32(truncatingIfNeeded: buffer)
        if claps, TestClap.isIn(pictureAt: timestamp, lasting: rate.due(1)) {
            picture.fill(0, 0, picture.width, picture.height, TestBarsColour.white, into: base)
            white |= bit
        } else if white & bit != 0 {
            picture.drawBars(into: base)
            white &= ~bit
        }
        picture.drawNumber(number, into: base)
    }

    /// Takes a buffer back to fill it again.
    @_noLocks @_noAllocation
    mutating func queue(_ buffer: Int) -> RealtimeFault? {
        free |= 1 << UInt32(truncatingIfNeeded: buffer)
        return nil
    }

    @_noLocks @_noAllocation
    mutating func stop() {
        free = 0
    }

    /// Runs the loop. Each source does so itself: the compiler checks the loop's marks in a specialised copy alone.
    @_noLocks @_noAllocation
    static func capture(_ stream: inout VideoStream<TestBars>) -> LoopResult {
        CaptureLoop.run(&stream)
    }
}

/// Schedule of `test:bars`: frame n is due exactly n / fps seconds after the start.
///
/// Times are computed from the frame's number, never added up, so that rounding does not accumulate.
struct TestRate: BitwiseCopyable, Sendable {
    /// Frames in `denominator` seconds.
    let numerator: Int64
    let denominator: Int64

    /// Makes a schedule of 1 to 120 frames per second; a rate beyond either limit becomes that limit.
    ///
    /// - Parameters:
    ///   - numerator: frames in `denominator` seconds.
    ///   - denominator: seconds, 1 upwards.
    init(_ numerator: Int, _ denominator: Int) {
        let isTooFast = numerator > 120 * denominator
        let isTooSlow = numerator < denominator
        self.numerator = isTooFast ? 120 : isTooSlow ? 1 : Int64(numerator)
        self.denominator = isTooFast || isTooSlow ? 1 : Int64(denominator)
    }

    /// Due time of a frame in ns after the start. Seconds and the rest are converted apart, which stays within 64 bits
    /// for years.
    @_noLocks @_noAllocation
    func due(_ number: UInt64) -> Int64 {
        let units = Int64(number) &* denominator
        return units / numerator &* 1_000_000_000 &+ units % numerator &* 1_000_000_000 / numerator
    }

    /// First due time, from `moment` on, of a schedule that starts at the whole second before it. A capture that starts
    /// there has a frame at each whole second of the clock, if the rate is a whole number.
    @_noLocks @_noAllocation
    func aligned(_ moment: Int64) -> Int64 {
        let past = moment % 1_000_000_000
        let units = 1_000_000_000 &* denominator
        let number = (past &* numerator &+ units &- 1) / units
        return moment &- past &+ due(UInt64(truncatingIfNeeded: number))
    }
}

/// Schedule of the built-in devices' claps: one at each whole second of CLOCK_MONOTONIC.
///
/// Both devices' timestamps are on that clock, so flash and click have the same device time, although neither device
/// knows of the other.
struct TestClap: BitwiseCopyable, Sendable {
    /// Time between two claps in ns.
    static var interval: Int64 {
        @_noLocks @_noAllocation get { 1_000_000_000 }
    }

    /// Tolerance for timestamps, in ns: they are rounded by a few.
    private static var slack: Int64 {
        @_noLocks @_noAllocation get { 1000 }
    }

    /// True if a clap occurs during a frame.
    ///
    /// - Parameters:
    ///   - timestamp: the frame's timestamp in ns, CLOCK_MONOTONIC.
    ///   - frame: the frame's duration in ns.
    @_noLocks @_noAllocation
    static func isIn(pictureAt timestamp: Int64, lasting frame: Int64) -> Bool {
        let end = timestamp &+ slack
        return end / interval != (end &- frame) / interval
    }

    /// Number of samples between the last clap and a timestamp, rounded to the nearest.
    ///
    /// - Parameters:
    ///   - timestamp: ns on CLOCK_MONOTONIC.
    ///   - rate: sample rate in Hz.
    @_noLocks @_noAllocation
    static func samples(since timestamp: Int64, rate: Int) -> Int {
        let samples = (timestamp % interval &* Int64(rate) &+ interval / 2) / interval
        return Int(truncatingIfNeeded: samples) % rate
    }

    /// Length of the click in samples: 2 ms.
    @_noLocks @_noAllocation
    static func clickSamples(rate: Int) -> Int { rate / 500 }
}

extension VideoSettings {
    /// Wishes for the built-in camera, `test:bars`.
    ///
    /// - Parameter claps: one white frame at each whole second of CLOCK_MONOTONIC, when the built-in tone clicks.
    public static func testBars(claps: Bool) -> VideoSettings {
        var settings = VideoSettings()
        settings.claps = claps
        return settings
    }
}
