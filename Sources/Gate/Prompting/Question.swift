import CaptureBase

/// What a person is asked: one question for all the devices of an operation.
///
/// *thread-safe*
public struct Question: Hashable, Sendable {
    /// One device of the question.
    public struct Item: Hashable, Sendable {
        /// What was asked for. The answer is stored for `request.device`: where that is `.any`, a yes speaks of every
        /// device of the capability, and the person must read so.
        public let request: DeviceRequest
        /// The device it means now.
        public let device: DeviceDescription

        public init(request: DeviceRequest, device: DeviceDescription) {
            self.request = request
            self.device = device
        }
    }

    public let subject: Subject
    public let items: [Item]
    /// The choices to offer, the safest first.
    public let lifetimes: [Lifetime]
    /// A grant to the same path whose executable has changed since.
    public let previous: Grant?

    public init(subject: Subject, items: [Item], lifetimes: [Lifetime], previous: Grant? = nil) {
        self.subject = subject
        self.items = items
        self.lifetimes = lifetimes
        self.previous = previous
    }
}

/// How a question ended.
public enum Answer: Hashable, Sendable {
    case allow(Lifetime)
    case deny
    /// The person turned away, or the operation was cancelled. Nothing is stored, and it is not a denial.
    case dismissed
    /// The prompter's own deadline passed. Nothing is stored.
    case timedOut
    /// The prompter could not ask. Nothing is stored.
    case failed(CaptureError)
}
