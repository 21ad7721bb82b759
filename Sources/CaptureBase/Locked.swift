import Synchronization

/// A `Mutex` that the thread sanitizer understands.
///
/// The kernel hands a contended `Mutex` over (FUTEX_LOCK_PI, futex(2)). The sanitizer can't see this, and reports races that do
/// not exist. An atomic that each holder writes last, and the next one reads first, shows it the order; it costs a plain load and
/// store.
///
/// *thread-safe*
// usableFromInline: otherwise other modules call `withLock` unspecialised, with a lookup of its types at each call. That took a
// fourth of the time of a short operation in the queue.
@usableFromInline
package struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let handover = Atomic<UInt8>(0)

    @inlinable package init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Runs `body` with the value, alone. Not recursive: `body` must not lock the same value again.
    @inlinable package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) in
            _ = handover.load(ordering: .acquiring)
            defer { handover.store(0, ordering: .releasing) }
            return try body(&value)
        }
    }
}
