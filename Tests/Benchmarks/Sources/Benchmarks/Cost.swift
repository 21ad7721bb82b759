import Foundation

/// What a run took.
struct Cost {
    /// By the clock on the wall.
    let time: Duration
    /// Time of all threads of the process, clock_gettime(2): other load on the machine affects it less.
    let processor: Duration

    static func / (cost: Cost, operations: Int) -> Cost {
        Cost(time: cost.time / operations, processor: cost.processor / operations)
    }

    static func ofAsync(_ body: () async -> Void) async -> Cost {
        let before = used
        let time = await ContinuousClock().measure(body)
        return Cost(time: time, processor: used - before)
    }

    static func of(_ body: () -> Void) -> Cost {
        let before = used
        let time = ContinuousClock().measure(body)
        return Cost(time: time, processor: used - before)
    }

    private static var used: Duration {
        var used = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0 else { return .zero }
        return .seconds(used.tv_sec) + .nanoseconds(used.tv_nsec)
    }
}

extension [Cost] {
    /// Of each part by itself.
    var median: Cost {
        Cost(time: map(\.time).sorted()[count / 2], processor: map(\.processor).sorted()[count / 2])
    }
}
