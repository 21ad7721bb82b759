import Foundation

/// Carries a value that can't be copied into a thread.
final class Carrier<Value: ~Copyable>: @unchecked Sendable {
    // `@unchecked Sendable`: filled before the thread starts, and emptied by the thread.
    private var value: Value?

    init(_ value: consuming Value) {
        self.value = consume value
    }

    func take() -> Value? { value.take() }
}

/// Runs work on a separate thread.
///
/// - Returns: A function that waits for its end.
func onThread(_ work: @escaping @Sendable () -> Void) -> () -> Void {
    let end = DispatchSemaphore(value: 0)
    let thread = Thread {
        work()
        end.signal()
    }
    thread.start()
    return { end.wait() }
}

func fail(_ why: String) -> Never {
    FileHandle.standardError.write(Data("RealtimeBenchmarks: \(why)\n".utf8))
    exit(69)
}
