// error: called function is not available in this module and can have unpredictable performance
// A realtime function may not lock: whoever holds the lock may not be running.
import Synchronization

public struct Shared: ~Copyable {
    let value = Mutex(0)
    let counter = Atomic<Int>(0)
}

@_noLocks @_noAllocation
public func commit(_ shared: borrowing Shared) -> Int {
    #if VIOLATION
        return shared.value.withLock { $0 }
    #else
        return shared.counter.load(ordering: .acquiring)
    #endif
}
