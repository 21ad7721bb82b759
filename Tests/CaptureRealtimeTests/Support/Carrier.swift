import Dispatch
import Gate

/// Carries a value that can't be copied into a block on another thread.
final class Carrier<Value: ~Copyable>: @unchecked Sendable {
    // `@unchecked Sendable`: filled before the block starts, and emptied by the block, which may store a value for later.
    private var value: Value?

    init(_ value: consuming Value) {
        self.value = consume value
    }

    func take() -> Value {
        value.take()!
    }

    func put(_ value: consuming Value) {
        self.value = consume value
    }
}

/// Runs work on a separate thread.
///
/// - Returns: A function that waits for its end.
func onThread(_ work: @escaping @Sendable () -> Void) -> () -> Void {
    let group = DispatchGroup()
    DispatchQueue(label: "test", qos: .userInitiated).async(group: group, execute: work)
    return { group.wait() }
}

/// A value that one thread leaves for another.
final class Shared<Value: Sendable>: Sendable {
    private let mutex: Locked<Value>

    init(_ value: Value) {
        mutex = Locked(value)
    }

    var value: Value {
        get { mutex.withLock { $0 } }
        set { mutex.withLock { $0 = newValue } }
    }
}
