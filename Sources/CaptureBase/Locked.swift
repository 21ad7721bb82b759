import Synchronization

/// A `Mutex` that the thread sanitizer understands.
///
/// A contended `Mutex` is handed over by the kernel (FUTEX_LOCK_PI, futex(2)), which the sanitizer can't see, so that
/// it reports races where there are none. One atomic that each holder writes last and the next one reads first shows it
/// the order; it costs a plain load and store.
///
/// *thread-safe*
// usableFromInline: without it other modules call `withLock` unspecialised, which looks its types up at each call; that took a
// fourth of the time of a short operation of the queue.
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
