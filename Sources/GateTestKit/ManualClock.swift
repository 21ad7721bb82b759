import Gate

/// A clock whose time passes only on request, or when somebody sleeps on it, which returns at once.
///
/// Retries, timeouts and repetitions by this clock are tested in microseconds, and ``sleeps`` has the requested waits.
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

    /// The length of each sleep so far, in order.
    public var sleeps: [Duration] { state.withLock { $0.sleeps } }

    /// Lets time pass without a sleeper.
    public func pass(_ duration: Duration) { state.withLock { $0.now += duration } }

    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        // Like a real clock, which throws before it reads the time.
        try Task.checkCancellation()
        state.withLock { state in
            state.sleeps.append(deadline.offset - state.now)
            state.now = max(state.now, deadline.offset)
        }
    }
}

/// Clock that never advances: only cancellation ends a sleep on it.
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
