import CaptureBase

/// Microphone that another process owns, read through a ring that was lent to this process; see ``SharedCamera``.
///
/// *session-bound*; *realtime-safe* while its loop runs
@safe
package struct SharedMicrophone: ~Copyable, @unchecked Sendable {
    // `@unchecked Sendable`: only this value owns the pointer.
    package let settings: PCMSettings
    package var allowsRealtimePriority: Bool { true }

    private var reader: SharedRingReader
    /// Owner of the stream in this process; `nil` if another process lends it.
    private let lender: (any RingLender)?
    private let pollSet: PollSet
    /// Memory of one period: the loop may request fewer frames than the lender wrote at once.
    private let memory: UnsafeMutableRawPointer
    private let frameBytes: Int
    /// Frames in it that the loop has not read yet, and those that it has read.
    private var left = 0
    private var taken = 0
    /// Instant of the period's first frame, CLOCK_MONOTONIC in ns.
    private var timestamp: Int64 = 0
    /// Number of the next frame; 0 if any number is accepted.
    private var next: UInt64 = 0
    /// Frames that are missing before the period.
    private var missing: UInt64 = 0

    /// - Parameters:
    ///   - reader: Consumed.
    ///   - settings: Audio parameters that the lender reported; checked here.
    ///   - lender: Closed with the source.
    /// - Throws: EPROTO for impossible parameters.
    package init(
        _ reader: consuming SharedRingReader, settings: PCMSettings, of lender: (any RingLender)? = nil
    ) throws(RealtimeFault) {
        _ = try SharedGeometry(for: settings)
        unsafe memory = .allocate(byteCount: settings.periodFrames * settings.bytesPerFrame, alignment: 64)
        frameBytes = settings.bytesPerFrame
        pollSet = PollSet(reading: reader.wake)
        self.settings = settings
        self.lender = lender
        self.reader = reader
    }

    deinit {
        lender?.close()
        unsafe memory.deallocate()
    }
}

extension SharedMicrophone {
    /// Does nothing: the lender controls the device.
    @_noLocks @_noAllocation
    package mutating func start() -> RealtimeFault? { nil }

    @_noLocks @_noAllocation
    package mutating func recover(suspended: Bool) -> RealtimeFault? { nil }

    /// Discards the frames that were read. The loop measures the gap by the clock.
    @_noLocks @_noAllocation
    package mutating func stop() {
        left = 0
        missing = 0
        next = 0
    }

    @_noLocks @_noAllocation
    package mutating func wait(control: Int32, milliseconds: Int32) -> SourceWakeup {
        if left > 0 || reader.hasMore { return .ready }
        let called = pollSet.wait(control: control, milliseconds: milliseconds)
        if called < 0 { return .failed(RealtimeFault(.poll, result: called)) }
        return called == 0 ? .quiet : pollSet.wakeup()
    }

    @_noLocks @_noAllocation
    package mutating func pause(control: Int32, milliseconds: Int32) {
        pollSet.pause(control: control, milliseconds: milliseconds)
    }

    /// Returns frames of the current period, otherwise of the next one, after reporting the gap before it.
    @_noLocks @_noAllocation
    package mutating func read(into target: UnsafeMutableRawPointer, frames: Int) -> AudioReadResult {
        if left == 0, let result = fetch() { return result }
        if missing > 0 {
            let skipped = missing
            missing = 0
            return .skipped(skipped)
        }
        let count = frames < left ? frames : left
        unsafe target.copyMemory(from: memory + taken &* frameBytes, byteCount: count &* frameBytes)
        let instant = timestamp &+ SampleClock(rate: settings.rate).nanoseconds(Int64(truncatingIfNeeded: taken))
        taken &+= count
        left &-= count
        return .frames(count, timestamp: instant)
    }

    /// Reads the next period.
    ///
    /// - Returns: `nil` if a period was read.
    @_noLocks @_noAllocation
    private mutating func fetch() -> AudioReadResult? {
        switch unsafe reader.next(into: memory, FramePlanes(byteCount: settings.periodFrames &* frameBytes)) {
        case .nothing: return .nothing
        case .ended(let result): return .ended(result.ofLender)
        case .entry(let entry):
            let count = entry.planes.byteCount(0) / frameBytes
            guard count > 0, count &* frameBytes == entry.planes.byteCount(0), follows(entry.sequence) else {
                return .ended(.brokenShare)
            }
            (left, taken, timestamp) = (count, 0, entry.timestamp)
            next = entry.sequence &+ UInt64(truncatingIfNeeded: count)
            return nil
        }
    }

    /// Notes the gap before a period; false for an impossible number.
    @_noLocks @_noAllocation
    private mutating func follows(_ sequence: UInt64) -> Bool {
        missing = next == 0 ? 0 : sequence &- next
        return missing < 1 << 48 && sequence < 1 << 62
    }
}
