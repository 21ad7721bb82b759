import Gate

/// Carries a value that can't be copied into a closure, which could not consume it, and gives it out once.
package final class Handoff<Value: ~Copyable & Sendable>: Sendable {
    private let value: Locked<Value?>

    package init(_ value: consuming Value) {
        self.value = Locked(value)
    }

    package func take() -> Value? { value.withLock { $0.take() } }

    package func put(_ value: consuming Value) {
        let carried = Locked<Value?>(value)
        self.value.withLock { slot in slot = carried.withLock { $0.take() } }
    }
}
