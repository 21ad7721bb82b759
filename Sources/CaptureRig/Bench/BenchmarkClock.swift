import CaptureGate
import LinuxSystem

/// Clocks of a benchmark; a test replaces them.
///
/// *thread-safe*
public protocol BenchmarkClock: Sendable {
    /// Nanoseconds from an arbitrary start: comparable only with each other.
    func now() -> Int64
    /// Processor time of the calling thread so far, in nanoseconds.
    func processor() -> Int64
}

/// The machine's own clocks: CLOCK_MONOTONIC and CLOCK_THREAD_CPUTIME_ID of clock_gettime(2).
///
/// *thread-safe*
public struct SystemBenchmarkClock: BenchmarkClock {
    public init() {}

    public func now() -> Int64 { SystemClock.monotonic.now }
    public func processor() -> Int64 { SystemClock.thread.now }
    /// Processor time of the whole process so far, in nanoseconds: CLOCK_PROCESS_CPUTIME_ID.
    func process() -> Int64 { SystemClock.process.now }
}

/// Counter of this thread's allocations, including those of the libraries it calls.
///
/// It gives no figure rather than a wrong one if the counter can't be installed (under a sanitizer, with another allocator
/// linked in): one allocation is planted first, and must be counted.
enum AllocationCount {
    /// - Returns: number of the body's allocations; `nil` if the counter does not work here.
    static func of(_ body: () throws(CaptureError) -> Void) throws(CaptureError) -> Int? {
        do throws(Errno) {
            try AllocationCounter.begin()
        } catch {
            try body()
            return nil
        }
        defer { AllocationCounter.end() }
        let isSeen = seesPlanted()
        let before = AllocationCounter.count
        try body()
        return isSeen ? Int(AllocationCounter.count - before) : nil
    }

    private static func seesPlanted() -> Bool {
        let before = AllocationCounter.count
        let memory = UnsafeMutableRawPointer.allocate(byteCount: planted, alignment: 16)
        memory.storeBytes(of: 1, as: UInt8.self)
        memory.deallocate()
        return AllocationCounter.count == before + 1
    }

    /// Not a constant: the optimizer would remove the allocation.
    private static var planted: Int { 100_000 + Int(ProcessStart.processID & 1) }
}
