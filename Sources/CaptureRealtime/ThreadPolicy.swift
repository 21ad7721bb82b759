import CMedia
import CaptureBase

/// The calling thread's scheduling: raised for a session, and restored after it.
///
/// *session-bound*
struct ThreadPolicy: ~Copyable {
    private let thread = cm_gettid()
    private var policy = cm_policy()
    private var nice: Int32 = 0

    /// Above everything ordinary, below the kernel's own interrupt threads (50).
    private static let fifoPriority: Int32 = 20
    /// The value that desktop sound servers ask for.
    private static let niceValue: Int32 = -11

    init() {
        _ = unsafe cm_policy_get(&policy)
        _ = unsafe cm_nice_get(thread, &nice)
    }

    /// Asks for the best scheduling that the thread can get.
    ///
    /// - Parameters:
    ///   - allowed: False for a source that would starve the machine.
    ///   - broker: Asked if this process has no permission.
    func raise(allowed: Bool, by broker: (any RealtimeBroker)?) -> ThreadPriority {
        guard allowed else { return .normal(.sourceCallsServer) }
        let result = cm_policy_set_fifo(Self.fifoPriority)
        if result >= 0 { return .fifo(Int(Self.fifoPriority)) }
        if result == -EPERM, let broker, broker.raise(thread: thread, to: Self.fifoPriority) >= 0, let achieved {
            return achieved
        }
        return raiseNice()
    }

    /// The thread's present scheduling; a broker's own answer is not trusted.
    private var achieved: ThreadPriority? {
        var now = cm_policy()
        guard unsafe cm_policy_get(&now) >= 0 else { return nil }
        switch now.policy {
        case SCHED_FIFO: return .fifo(Int(now.priority))
        case SCHED_RR: return .roundRobin(Int(now.priority))
        default: return nil
        }
    }

    private func raiseNice() -> ThreadPriority {
        let result = cm_nice_set(thread, Self.niceValue)
        return result >= 0 ? .nice(Int(Self.niceValue)) : .normal(.refused(errno: -result))
    }

    /// Restores the scheduling. Dispatch never does it by itself: an unrelated block would run with the remaining priority.
    consuming func restore() {
        // A second try, and a third with the flag: if a pool's thread kept the priority, it would starve unrelated work.
        if !restorePolicy(), !restorePolicy() { restorePolicy(resettingOnFork: true) }
        if cm_nice_set(thread, nice) < 0 { _ = cm_nice_set(thread, nice) }
    }

    /// - Parameter resettingOnFork: Keeps the flag that rtkit set, which an unprivileged process may not clear.
    @discardableResult
    private func restorePolicy(resettingOnFork: Bool = false) -> Bool {
        var old = policy
        if resettingOnFork { old.resets_on_fork = 1 }
        return unsafe cm_policy_set(&old) >= 0
    }
}

extension ThreadPriority {
    /// Value in one word, for an atomic: the kind in the low byte, the number above; 0 for a thread that does not run.
    var packed: Int64 {
        switch self {
        case .fifo(let priority): Int64(priority) << 8 | 1
        case .nice(let value): Int64(value) << 8 | 2
        case .normal(.sourceCallsServer): 3
        case .normal(.refused(let errno)): Int64(errno) << 8 | 4
        case .roundRobin(let priority): Int64(priority) << 8 | 5
        case .notRunning, .other: 0
        }
    }

    /// `nil` for a thread that has not reported yet.
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

/// Service that may give a thread realtime priority if this process may not: rtkit.
///
/// *thread-safe*
public protocol RealtimeBroker: Sendable {
    /// Asks for the priority of one thread of this process. It may wait, but not for long: it is called on that very
    /// thread, after its device was opened and before its loop starts, never within the loop.
    ///
    /// - Parameters:
    ///   - thread: Id as of gettid(2).
    ///   - priority: Priority to ask for, as of SCHED_FIFO; the answer may be less.
    /// - Returns: 0 or more, or -errno. The answer is not trusted: the thread reads back its own scheduling.
    func raise(thread: Int32, to priority: Int32) -> Int32
}

/// The calling thread's name, for `top` and debuggers; restored after a session.
///
/// *session-bound*
struct ThreadName: ~Copyable {
    private var old: InlineArray<16, CChar> = InlineArray(repeating: 0)

    /// - Parameter name: Its first 15 bytes count: the kernel keeps 16 with the terminating 0.
    init(setting name: String) {
        var span = old.mutableSpan
        let got = unsafe span.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return -EINVAL }
            return unsafe cm_thread_name_get(base, Int32(buffer.count))
        }
        // A name that could not be restored is not replaced.
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
