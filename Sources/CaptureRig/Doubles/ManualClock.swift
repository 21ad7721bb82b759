import CaptureGate

/// A clock whose time passes only when it is told to, or when somebody sleeps on it, which takes no time at all.
///
/// What waits by this clock (retries, timeouts, repetitions) is tested in microseconds, and ``sleeps`` tells how long it
/// meant to wait.
///
/// *thread-safe*
public final class ManualClock: Clock {
    /// A moment since the clock was made.
    public struct Instant: InstantProtocol {
        let offset: Duration
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (lower: Instant, higher: Instant) -> Bool { lower.offset < higher.offset }
    }

    private let state = Locked<(now: Duration, sleeps: [Duration])>((.zero, []))

    public init() {}

    public var now: Instant { Instant(offset: state.withLock { $0.now }) }
    public var minimumResolution: Duration { .zero }

    /// The length of each sleep so far, the first one first.
    public var sleeps: [Duration] { state.withLock { $0.sleeps } }

    /// Lets time pass without anybody asleep.
    public func pass(_ duration: Duration) { state.withLock { $0.now += duration } }

    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        // As a real clock does, which throws before it looks at the time.
        try Task.checkCancellation()
        state.withLock { state in
            state.sleeps.append(deadline.offset - state.now)
            state.now = max(state.now, deadline.offset)
        }
    }
}

/// A clock that stands still: nothing that sleeps on it ever wakes but by cancellation.
///
/// *thread-safe*
public struct StandingClock: Clock {
    public typealias Instant = ManualClock.Instant
    /// Raised by each sleep that begins.
    package let asleep = Signal()

    public init() {}

    public var now: Instant { Instant(offset: .zero) }
    public var minimumResolution: Duration { .zero }

    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        asleep.raise()
        await untilCancelled()
        throw CancellationError()
    }
}
