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
    func raise(allowed: Bool) -> RealtimePriority {
        guard allowed else { return .normal(.sourceCallsServer) }
        if cm_policy_set_fifo(Self.fifoPriority) >= 0 { return .fifo(Int(Self.fifoPriority)) }
        let result = cm_nice_set(thread, Self.niceValue)
        return result >= 0 ? .nice(Int(Self.niceValue)) : .normal(.refused(errno: -result))
    }

    /// Dispatch never does this by itself: an unrelated block would run with what this one left behind.
    consuming func restore() {
        var old = policy
        // Once more where it fails: a pool's thread that keeps the priority would starve what has no part in this.
        if unsafe cm_policy_set(&old) < 0 { _ = unsafe cm_policy_set(&old) }
        if cm_nice_set(thread, nice) < 0 { _ = cm_nice_set(thread, nice) }
    }
}
