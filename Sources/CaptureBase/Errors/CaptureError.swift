/// What went wrong, where, and what a person can do about it: the one error of everything above the capture thread.
///
/// *thread-safe*
public struct CaptureError: Error, Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, Codable {
        /// The call or the command line is wrong.
        case usage
        /// A file that was to be read is malformed.
        case badInput
        case noDevice
        /// The device is there and can't be used.
        case unavailable
        case deviceGone
        case stalled
        case busy
        case fileExists
        case inputOutput
        case diskFull
        /// Denied, restricted, or nobody could be asked.
        case notAuthorized
        /// The question was dismissed or timed out, or the prompter failed. Nothing is stored.
        case dismissed
        case revoked
        case expired
        /// The device would not do what was asked strictly.
        case notAsAsked
        case configuration
        case store
        case cancelled
        case timedOut
        /// One or more conditions failed; `underlying` has the error of each.
        case conditionFailed
        /// The operations depend on each other in a circle, or a group and its child exclude each other.
        case deadlock
    }

    public let kind: Kind
    /// One sentence: what is wrong and where. What does not show as itself is written as `\u{…}`.
    public let message: String
    /// The kernel's or a library's number, positive; 0 where there is none.
    public let errno: Int32
    public let remedies: [Remedy]
    /// The errors of all failed conditions, or the cause.
    public let underlying: [CaptureError]

    public init(
        _ kind: Kind, _ message: String, errno: Int32 = 0, remedies: [Remedy] = [], underlying: [CaptureError] = []
    ) {
        self.kind = kind
        // Names of devices, files and programs stand in it, and whoever catches it prints it.
        self.message = message.visible
        self.errno = errno
        self.remedies = remedies
        self.underlying = underlying
    }
}
