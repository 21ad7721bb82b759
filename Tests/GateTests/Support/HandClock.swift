import Gate

/// A clock whose time passes only by sleeping on it, at once.
final class HandClock: Clock {
    struct Instant: InstantProtocol {
        let offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (lower: Instant, higher: Instant) -> Bool { lower.offset < higher.offset }
    }

    private let state = Locked<(now: Duration, sleeps: [Duration])>((.zero, []))

    var now: Instant { Instant(offset: state.withLock { $0.now }) }
    var minimumResolution: Duration { .zero }
    var sleeps: [Duration] { state.withLock { $0.sleeps } }

    func pass(_ duration: Duration) { state.withLock { $0.now += duration } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        state.withLock { state in
            state.sleeps.append(deadline.offset - state.now)
            state.now = max(state.now, deadline.offset)
        }
    }
}

/// A clock on which nothing ever wakes but by cancellation.
struct StandingClock: Clock {
    typealias Instant = HandClock.Instant
    let asleep = Signal()

    var now: Instant { Instant(offset: .zero) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        asleep.raise()
        await untilCancelled()
        throw CancellationError()
    }
}
