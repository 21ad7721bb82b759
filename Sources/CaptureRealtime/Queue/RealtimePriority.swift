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
