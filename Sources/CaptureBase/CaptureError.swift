import CaptureBase

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

extension CaptureError {
    /// The error as a person reads it: what is wrong, then what can be done about it, a line each.
    ///
    /// Commands stand after a colon, as they are typed. The remedies of `underlying` errors come after its own.
    public var notice: String {
        ([message] + allRemedies.map { "  " + $0.line }).joined(separator: "\n")
    }

    /// What can be done about it, those of the underlying errors included; each once.
    public var allRemedies: [Remedy] {
        var all: [Remedy] = []
        for remedy in remedies + underlying.flatMap(\.allRemedies) where !all.contains(remedy) { all.append(remedy) }
        return all
    }
}

extension Remedy {
    fileprivate var line: String {
        guard let command else { return text }
        return (text.hasSuffix(".") ? String(text.dropLast()) : text) + ": " + command
    }
}

/// What a person can do about a refusal or a failure.
///
/// *thread-safe*
public struct Remedy: Hashable, Sendable, Codable {
    /// One sentence in the imperative.
    public let text: String
    /// The exact command that does it, where one does.
    public let command: String?

    public init(_ text: String, command: String? = nil) {
        self.text = text
        self.command = command
    }
}
