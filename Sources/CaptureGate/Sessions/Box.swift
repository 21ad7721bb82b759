import Synchronization

/// Carries a value that can't be copied into a closure, which could not consume it, and gives it out once.
package final class Box<Value: ~Copyable & Sendable>: Sendable {
    private let value: Mutex<Value?>

    package init(_ value: consuming Value) {
        self.value = Mutex(value)
    }

    package func take() -> Value? { value.withLock { $0.take() } }

    package func put(_ value: consuming Value) {
        let carried = Mutex<Value?>(value)
        self.value.withLock { slot in slot = carried.withLock { $0.take() } }
    }
}
