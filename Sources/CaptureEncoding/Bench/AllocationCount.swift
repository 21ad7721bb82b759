import CaptureGate
import LinuxSystem

/// Counts what this thread allocates, the libraries it calls included.
///
/// Where the counter can't be put in (under a sanitizer, with another allocator linked in), nothing is told rather than
/// something wrong: one allocation is planted first, and has to be seen.
enum AllocationCount {
    /// - Returns: how often the body allocated; `nil` where that can't be told.
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

    /// No constant for the optimizer, which would leave the allocation out.
    private static var planted: Int { 100_000 + Int(ProcessStart.processID & 1) }
}
