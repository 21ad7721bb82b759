/// A command that ends in its own way when a signal tells it to.
protocol SignalTaker {}

/// Calls a handler on the main thread for each signal that ends a command, until it is released; what comes later waits.
final class SignalWatch: Sendable {
    private let desk = SignalDesk.current

    init(_ handler: @escaping @Sendable (Int32) -> Void) {
        desk?.watch(handler)
    }

    deinit { desk?.watch(nil) }
}
