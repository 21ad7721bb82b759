import CMedia

/// The calling thread's scheduling: raised for a session, and put back after it.
///
/// *session-bound*
struct ThreadPolicy: ~Copyable {
    private let thread = cm_gettid()
    private var policy = cm_policy()
    private var nice: Int32 = 0

    /// Above everything ordinary, below what the kernel's own interrupt threads have (50).
    private static let fifoPriority: Int32 = 20
    /// As desktop sound servers ask for.
    private static let niceValue: Int32 = -11

    init() {
        _ = unsafe cm_policy_get(&policy)
        _ = unsafe cm_nice_get(thread, &nice)
    }

    /// Asks for the best there is.
    ///
    /// - Parameter broker: Asked where this process may not do it by itself.
    func raise(allowed: Bool, by broker: (any RealtimeBroker)?) -> RealtimePriority {
        guard allowed else { return .normal(.sourceCallsServer) }
        let result = cm_policy_set_fifo(Self.fifoPriority)
        if result >= 0 { return .fifo(Int(Self.fifoPriority)) }
        if result == -EPERM, let broker, broker.raise(thread: thread, to: Self.fifoPriority) >= 0, let achieved {
            return achieved
        }
        return raiseNice()
    }

    /// What the thread has, whatever somebody says to have given it.
    private var achieved: RealtimePriority? {
        var now = cm_policy()
        guard unsafe cm_policy_get(&now) >= 0 else { return nil }
        switch now.policy {
        case SCHED_FIFO: return .fifo(Int(now.priority))
        case SCHED_RR: return .roundRobin(Int(now.priority))
        default: return nil
        }
    }

    private func raiseNice() -> RealtimePriority {
        let result = cm_nice_set(thread, Self.niceValue)
        return result >= 0 ? .nice(Int(Self.niceValue)) : .normal(.refused(errno: -result))
    }

    /// Dispatch never does this by itself: an unrelated block would run with what this one left behind.
    consuming func restore() {
        // Once more where it fails: a pool's thread that keeps the priority would starve what has no part in this.
        if !restorePolicy(), !restorePolicy() { restorePolicy(resettingOnFork: true) }
        if cm_nice_set(thread, nice) < 0 { _ = cm_nice_set(thread, nice) }
    }

    /// - Parameter resettingOnFork: With the flag that rtkit set, which nobody without privilege may take off again.
    @discardableResult
    private func restorePolicy(resettingOnFork: Bool = false) -> Bool {
        var old = policy
        if resettingOnFork { old.resets_on_fork = 1 }
        return unsafe cm_policy_set(&old) >= 0
    }
}
