import Gate

/// Observers of changes.
package final class Observers: Sendable {
    private struct List {
        var next: UInt64 = 0
        var handlers: [UInt64: @Sendable () -> Void] = [:]
    }

    private let list = Locked(List())

    package init() {}

    /// Adds an observer; the observation ends when the returned object is released.
    ///
    /// - Parameter watch: object that must live as long as the observation.
    package func add(
        _ handler: @escaping @Sendable () -> Void, keeping watch: any AnyObject & Sendable
    ) -> any ChangeObservation {
        let key = list.withLock { list in
            list.next += 1
            list.handlers[list.next] = handler
            return list.next
        }
        return Observation(key, of: self, keeping: watch)
    }

    /// Calls every handler, outside the lock: a handler may end its own observation.
    package func notify() {
        let handlers = list.withLock { Array($0.handlers.values) }
        for handler in handlers { handler() }
    }

    fileprivate func remove(_ key: UInt64) {
        list.withLock { _ = $0.handlers.removeValue(forKey: key) }
    }
}

/// Ends with its release.
private final class Observation: ChangeObservation {
    private let key: UInt64
    private let observers: Observers
    private let watch: any AnyObject & Sendable

    init(_ key: UInt64, of observers: Observers, keeping watch: any AnyObject & Sendable) {
        self.key = key
        self.observers = observers
        self.watch = watch
    }

    deinit { observers.remove(key) }
}
