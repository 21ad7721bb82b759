// error: Using type 'Slot' can cause metadata allocation
// A realtime function may not allocate: the memory manager takes locks and may wait for the kernel.
public final class Slot {
    let count: Int
    init(_ count: Int) { self.count = count }
}

@_noLocks @_noAllocation
public func commit(_ count: Int) -> Int {
    #if VIOLATION
        return Slot(count).count
    #else
        return count
    #endif
}
