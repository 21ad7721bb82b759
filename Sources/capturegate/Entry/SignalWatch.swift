/// A command that ends in its own way when a signal tells it to.
protocol SignalHandlingCommand {}

/// Calls a handler on the main thread for each signal that ends a command, until it is released; what comes later waits.
final class SignalSubscription: Sendable {
    private let dispatcher = SignalDispatcher.current

    init(_ handler: @escaping @Sendable (Int32) -> Void) {
        dispatcher?.watch(handler)
    }

    deinit { dispatcher?.watch(nil) }
}
