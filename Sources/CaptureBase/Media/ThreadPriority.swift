/// Priority that a capture thread got.
///
/// *thread-safe*
public enum ThreadPriority: Hashable, Sendable, CustomStringConvertible {
    /// SCHED_FIFO at this priority, 1 to 99: sched(7).
    case fifo(Int)
    /// SCHED_RR at this priority, 1 to 99, as rtkit gives it.
    case roundRobin(Int)
    /// An ordinary thread with this nice value, -20 to 19.
    case nice(Int)
    /// An ordinary thread, for a reason.
    case normal(Refusal)
    /// The thread does not run yet, or never did.
    case notRunning
    /// Words of another release, read from JSON.
    case other(String)

    /// Reason for which a thread has no raised priority.
    public enum Refusal: Hashable, Sendable {
        /// A PCM plugin that spins or calls a server must not starve the rest of the machine.
        case sourceCallsServer
        /// The system refused both a realtime policy and a better nice value.
        case refused(errno: Int32)
    }

    /// Words for a person; also the form in JSON.
    public var description: String {
        switch self {
        case .fifo(let priority): "\(Self.fifo)\(priority)"
        case .roundRobin(let priority): "\(Self.roundRobin)\(priority)"
        case .nice(let value): "\(Self.nice)\(value)"
        case .normal(let refusal): "\(Self.normal)\(refusal)"
        case .notRunning: Self.waiting
        case .other(let words): words
        }
    }

    private static let (fifo, roundRobin, nice, normal) = ("SCHED_FIFO ", "SCHED_RR ", "nice ", "normal: ")
    private static let waiting = "not running yet"

    /// Reads what ``description`` has written; any other text is ``other(_:)``.
    public init(_ text: String) {
        if let priority = Self.number(text, behind: Self.fifo) {
            self = .fifo(priority)
        } else if let priority = Self.number(text, behind: Self.roundRobin) {
            self = .roundRobin(priority)
        } else if let value = Self.number(text, behind: Self.nice) {
            self = .nice(value)
        } else if text.hasPrefix(Self.normal), let refusal = Refusal(String(text.dropFirst(Self.normal.count))) {
            self = .normal(refusal)
        } else {
            self = text == Self.waiting ? .notRunning : .other(text)
        }
    }

    private static func number(_ text: String, behind prefix: String) -> Int? {
        text.hasPrefix(prefix) ? Int(text.dropFirst(prefix.count)) : nil
    }
}

extension ThreadPriority.Refusal: CustomStringConvertible {
    /// setpriority(2) refuses a better nice value with one of the two.
    private static let errors: [Int32: String] = [1: "Operation not permitted", 13: "Permission denied"]
    private static let (server, other) = ("the device is a plugin that may wait for a server", "error ")

    public var description: String {
        switch self {
        case .sourceCallsServer: Self.server
        case .refused(let errno): Self.errors[errno] ?? "\(Self.other)\(errno)"
        }
    }

    /// Reads what ``description`` has written; `nil` for anything else.
    init?(_ text: String) {
        if text == Self.server {
            self = .sourceCallsServer
        } else if let errno = Self.errors.first(where: { $0.value == text })?.key ?? Self.number(text) {
            self = .refused(errno: errno)
        } else {
            return nil
        }
    }

    private static func number(_ text: String) -> Int32? {
        text.hasPrefix(other) ? Int32(text.dropFirst(other.count)) : nil
    }
}

extension ThreadPriority: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
