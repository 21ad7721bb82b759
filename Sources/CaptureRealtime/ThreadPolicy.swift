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

/// How the capture thread is scheduled.
///
/// *thread-safe*
public enum RealtimePriority: Sendable, Hashable, CustomStringConvertible {
    /// SCHED_FIFO at that priority.
    case fifo(Int)
    /// SCHED_RR at that priority, as rtkit gives it.
    case roundRobin(Int)
    /// An ordinary thread with that nice value.
    case nice(Int)
    /// An ordinary thread.
    case normal(PriorityRefusal)

    public var description: String {
        switch self {
        case .fifo(let priority): "SCHED_FIFO \(priority)"
        case .roundRobin(let priority): "SCHED_RR \(priority)"
        case .nice(let value): "nice \(value)"
        case .normal(.sourceCallsServer): "normal (the source talks to a sound server)"
        case .normal(.refused(let errno)): "normal (refused, errno \(errno))"
        }
    }
}

/// Why a thread has no better priority than any other.
///
/// *thread-safe*
public enum PriorityRefusal: Sendable, Hashable {
    /// A PCM plugin that spins or calls a server must not starve the rest of the machine.
    case sourceCallsServer
    /// The system said no to both.
    case refused(errno: Int32)
}

extension RealtimePriority {
    /// Kind in the low byte, value above; never 0.
    var packed: Int64 {
        switch self {
        case .fifo(let priority): Int64(priority) << 8 | 1
        case .nice(let value): Int64(value) << 8 | 2
        case .normal(.sourceCallsServer): 3
        case .normal(.refused(let errno)): Int64(errno) << 8 | 4
        case .roundRobin(let priority): Int64(priority) << 8 | 5
        }
    }

    init?(packed: Int64) {
        let value = packed >> 8
        switch packed & 0xFF {
        case 1: self = .fifo(Int(value))
        case 2: self = .nice(Int(value))
        case 3: self = .normal(.sourceCallsServer)
        case 4: self = .normal(.refused(errno: Int32(value)))
        case 5: self = .roundRobin(Int(value))
        default: return nil
        }
    }
}

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

/// The calling thread's name, for `top` and debuggers; put back after a session.
struct ThreadName: ~Copyable {
    private var old: InlineArray<16, CChar> = InlineArray(repeating: 0)

    /// - Parameter name: Its first 15 bytes count.
    init(setting name: String) {
        var span = old.mutableSpan
        let got = unsafe span.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return -EINVAL }
            return unsafe cm_thread_name_get(base, Int32(buffer.count))
        }
        // A name that could not be put back is not taken away.
        guard got >= 0 else { return }
        _ = unsafe cm_thread_name_set(String(decoding: name.utf8.prefix(15), as: UTF8.self))
    }

    consuming func restore() {
        let span = old.span
        _ = unsafe span.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress, unsafe base.pointee != 0 else { return Int32(0) }
            return unsafe cm_thread_name_set(base)
        }
    }
}
