import LinuxSystem

/// What a benchmark measures time with.
///
/// *thread-safe*
public protocol BenchmarkClock: Sendable {
    /// Nanoseconds since some moment.
    func now() -> Int64
    /// Nanoseconds that the calling thread has had a processor.
    func processor() -> Int64
}

/// The machine's own clocks: CLOCK_MONOTONIC and CLOCK_THREAD_CPUTIME_ID of clock_gettime(2).
///
/// *thread-safe*
public struct SystemBenchmarkClock: BenchmarkClock {
    public init() {}

    public func now() -> Int64 { SystemClock.monotonic.now }
    public func processor() -> Int64 { SystemClock.thread.now }
}
