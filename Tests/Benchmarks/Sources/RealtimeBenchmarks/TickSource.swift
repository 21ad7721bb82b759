import CMedia
import CaptureRealtime

/// A microphone that delivers a period at each tick of a timer, and notes how late each was in the ring.
struct TickSource: ~Copyable, AudioSource, @unchecked Sendable {
    // `@unchecked Sendable`: only the capture thread writes through the pointers, until it has ended.
    let settings: PCMSettings
    var allowsRealtimePriority: Bool { true }

    private let first: Int64
    private let period: Int64
    private let late: UnsafeMutablePointer<Int64>
    private let count: Int
    private let sound: UnsafeMutableRawPointer
    private let timer: PeriodTimer
    private var number = 0

    /// - Parameter late: Room for `count` numbers: ns from when a period was due to when it was published.
    init(first: Int64, period: Int64, bytes: Int, late: UnsafeMutablePointer<Int64>, count: Int) throws(RealtimeFault) {
        timer = try PeriodTimer()
        settings = PCMSettings(rate: 48_000, channels: 2, periodFrames: bytes / 4, bufferFrames: bytes)
        sound = .allocate(byteCount: bytes, alignment: 64)
        sound.initializeMemory(as: UInt8.self, repeating: 1, count: bytes)
        self.first = first
        self.period = period
        self.late = late
        self.count = count
    }

    deinit {
        sound.deallocate()
    }

    @_noLocks @_noAllocation
    private func due(_ number: Int) -> Int64 { first &+ Int64(number) &* period }

    @_noLocks @_noAllocation
    mutating func start() -> RealtimeFault? { nil }

    /// The loop arrives here when the previous period is in the ring and its reader was notified.
    @_noLocks @_noAllocation
    mutating func wait(control: Int32, milliseconds: Int32) -> SourceWakeup {
        if number > 0, late[number &- 1] == 0 { late[number &- 1] = cm_monotonic() &- due(number &- 1) }
        return number == count ? .ready : timer.wait(until: due(number), control: control, milliseconds: milliseconds)
    }

    @_noLocks @_noAllocation
    mutating func pause(control: Int32, milliseconds: Int32) {
        timer.pause(control: control, milliseconds: milliseconds)
    }

    @_noLocks @_noAllocation
    mutating func read(into memory: UnsafeMutableRawPointer, frames: Int) -> AudioReadResult {
        guard number < count else { return .gone }
        guard cm_monotonic() >= due(number) else { return .nothing }
        memory.copyMemory(from: sound, byteCount: settings.periodFrames &* 4)
        let stamp = due(number)
        number &+= 1
        return .frames(frames, timestamp: stamp)
    }

    @_noLocks @_noAllocation
    mutating func recover(suspended: Bool) -> RealtimeFault? { nil }

    @_noLocks @_noAllocation
    mutating func stop() {}

    @_noLocks @_noAllocation
    static func capture(_ stream: inout AudioStream<TickSource>) -> LoopResult {
        CaptureLoop.run(&stream)
    }
}
