/// Somebody who may give a thread realtime priority where this process may not: rtkit.
///
/// *thread-safe*
public protocol RealtimeBroker: Sendable {
    /// Asks for one thread of this process. It may wait, but not for long: it is called on that very thread, after its device
    /// was opened and before its loop starts, never within the loop.
    ///
    /// - Parameters:
    ///   - thread: As gettid(2) has it.
    ///   - priority: What SCHED_FIFO would be asked for; the answer may be less.
    /// - Returns: 0 or more, or -errno. Nobody is believed: the thread looks at what it has.
    func raise(thread: Int32, to priority: Int32) -> Int32
}
