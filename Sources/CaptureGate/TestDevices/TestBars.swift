import CMedia
import CaptureBase
import CaptureRealtime

/// The built-in camera `test:bars`: ``TestBarsFrame`` in real time, through the same loop and ring as any other. Picture n comes
/// n / fps seconds after the start, however late the thread wakes up, so nothing drifts.
///
/// *realtime-safe* while its loop runs
// Sendable by hand because of `memory`: whose buffer it is at any time is the ring's law.
struct TestBars: ~Copyable, VideoSource, @unchecked Sendable {
    let format: CameraFormat
    let buffers: FrameBuffers
    var allowsRealtimePriority: Bool { true }

    private static let bufferCount = 8
    private let picture: TestBarsFrame
    private let rate: TestRate
    private let timer: PeriodTimer
    /// Of the first buffer; `buffers` unmaps it after the loop has ended.
    private let memory: UnsafeMutablePointer<UInt8>
    private let stride: Int
    private let claps: Bool
    /// A bit a buffer that has no bars in it.
    private var white: UInt32 = 0
    /// ns on CLOCK_MONOTONIC.
    private var started: Int64 = 0
    private var next: UInt64 = 0
    /// A bit a buffer that is to be filled.
    private var free: UInt32 = 0

    /// - Parameters:
    ///   - width: As ``TestBarsFrame/init(width:height:pixelFormat:)`` has it, like `height` and `fourcc`.
    ///   - fpsNumerator: Pictures in `fpsDenominator` seconds; below 1 or above 120 fps gives those.
    ///   - claps: Whether one picture a second is white: the first one at or after each whole second of CLOCK_MONOTONIC. At a
    ///     whole number of pictures a second it is stamped with that very second.
    init(
        width: Int, height: Int, fourcc: UInt32, fpsNumerator: Int, fpsDenominator: Int, claps: Bool = false
    ) throws(RealtimeFault) {
        let timer = try PeriodTimer()
        let picture = TestBarsFrame(width: width, height: height, pixelFormat: PixelFormat(rawValue: fourcc))
        // A buffer is unmapped by itself, so it is whole pages.
        let size = (picture.byteCount + 4095) & ~4095
        let base = try TestBars.map(TestBars.bufferCount * size)
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
        for buffer in 0..<TestBars.bufferCount { picture.drawBars(into: memory + buffer * size) }
    }

    private static func map(_ byteCount: Int) throws(RealtimeFault) -> UnsafeMutableRawPointer {
        let descriptor = cm_memfd("test-bars", Int64(byteCount))
        guard descriptor >= 0 else { throw RealtimeFault(.memory, result: descriptor) }
        var address: UnsafeMutableRawPointer?
        let mapped = cm_map(descriptor, 0, Int64(byteCount), &address)
        _ = cm_close(descriptor)
        guard mapped >= 0, let address else { throw RealtimeFault(.mapBuffer, result: mapped) }
        return address
    }

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

    /// Goes on with its numbers where it was stopped.
    @_noLocks @_noAllocation
    mutating func start() -> RealtimeFault? {
        let now = cm_monotonic()
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

    @_noLocks @_noAllocation
    mutating func dequeue() -> DequeueResult {
        let timestamp = started &+ rate.due(next)
        guard cm_monotonic() >= timestamp, free != 0 else { return .nothing }
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

    @_noLocks @_noAllocation
    mutating func queue(_ buffer: Int) -> RealtimeFault? {
        free |= 1 << UInt32(truncatingIfNeeded: buffer)
        return nil
    }

    @_noLocks @_noAllocation
    mutating func stop() {
        free = 0
    }

    @_noLocks @_noAllocation
    static func capture(_ stream: inout VideoStream<TestBars>) -> LoopResult {
        CaptureLoop.run(&stream)
    }
}

/// When the pictures of ``TestBars`` are due: picture n exactly n / fps seconds after the start.
struct TestRate: BitwiseCopyable, Sendable {
    let numerator: Int64
    let denominator: Int64

    /// - Parameter numerator: Pictures in `denominator` seconds; below 1 or above 120 fps gives those.
    init(_ numerator: Int, _ denominator: Int) {
        let isTooFast = numerator > 120 * denominator
        let isTooSlow = numerator < denominator
        self.numerator = isTooFast ? 120 : isTooSlow ? 1 : Int64(numerator)
        self.denominator = isTooFast || isTooSlow ? 1 : Int64(denominator)
    }

    /// ns after the start, without leaving 64 bits in a year.
    @_noLocks @_noAllocation
    func due(_ number: UInt64) -> Int64 {
        let units = Int64(number) &* denominator
        return units / numerator &* 1_000_000_000 &+ units % numerator &* 1_000_000_000 / numerator
    }

    /// The first moment from one on at which a picture is due that a whole second of the clock would have started with.
    @_noLocks @_noAllocation
    func aligned(_ moment: Int64) -> Int64 {
        let past = moment % 1_000_000_000
        let units = 1_000_000_000 &* denominator
        let number = (past &* numerator &+ units &- 1) / units
        return moment &- past &+ due(UInt64(truncatingIfNeeded: number))
    }
}

/// When the built-in devices clap: at each whole second of CLOCK_MONOTONIC, which both their stamps are on, so that the flash
/// and the click have the same device time although neither knows of the other.
struct TestClap: BitwiseCopyable, Sendable {
    /// ns.
    static var interval: Int64 {
        @_noLocks @_noAllocation get { 1_000_000_000 }
    }

    /// Stamps are rounded, by some ns.
    private static var slack: Int64 {
        @_noLocks @_noAllocation get { 1000 }
    }

    /// Whether one is in the time that a picture stands for.
    ///
    /// - Parameters:
    ///   - timestamp: Of the picture, ns on CLOCK_MONOTONIC.
    ///   - frame: How long it stands, ns.
    @_noLocks @_noAllocation
    static func isIn(pictureAt timestamp: Int64, lasting frame: Int64) -> Bool {
        let end = timestamp &+ slack
        return end / interval != (end &- frame) / interval
    }

    /// How many samples a moment is behind the last clap, to the nearest.
    ///
    /// - Parameters:
    ///   - timestamp: ns on CLOCK_MONOTONIC.
    ///   - rate: Hz.
    @_noLocks @_noAllocation
    static func samples(since timestamp: Int64, rate: Int) -> Int {
        let samples = (timestamp % interval &* Int64(rate) &+ interval / 2) / interval
        return Int(truncatingIfNeeded: samples) % rate
    }

    /// How long the click is, in samples: 2 ms.
    @_noLocks @_noAllocation
    static func clickSamples(rate: Int) -> Int { rate / 500 }
}
