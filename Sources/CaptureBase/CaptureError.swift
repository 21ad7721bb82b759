/// A failure, its place and its remedies: the one error of everything above the capture thread.
///
/// *thread-safe*
public struct CaptureError: Error, Hashable, Sendable {
    /// Kind of failure, for programs; people read the message.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// The call or the command line is wrong.
        case usage
        /// An input file is malformed.
        case badInput
        /// There is no such device.
        case noDevice
        /// The device is there and can't be used.
        case unavailable
        /// The device was unplugged.
        case deviceGone
        /// The device delivers nothing any more.
        case stalled
        /// Another process holds the device.
        case busy
        case fileExists
        case inputOutput
        case diskFull
        /// Denied, restricted, or nobody could be asked.
        case notAuthorized
        /// The question was dismissed or timed out, or the prompter failed. Nothing is stored.
        case dismissed
        /// The permission was taken back during a capture, or all devices were switched off.
        case revoked
        /// The permission's time ended during a capture.
        case expired
        /// The device can't do what was requested strictly.
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
    /// One sentence: the problem and its place. Characters that do not show as themselves are written as `\u{…}`.
    public let message: String
    /// The kernel's or a library's error number, positive; 0 where there is none.
    public let errno: Int32
    /// Remedies, in the order in which they are shown.
    public let remedies: [Remedy]
    /// Errors of all failed conditions, or the cause.
    public let underlying: [CaptureError]

    public init(
        _ kind: Kind, _ message: String, errno: Int32 = 0, remedies: [Remedy] = [], underlying: [CaptureError] = []
    ) {
        self.kind = kind
        // Names of devices, files and programs are part of it, and whoever catches the error prints it.
        self.message = message.visible
        self.errno = errno
        self.remedies = remedies
        self.underlying = underlying
    }
}

extension CaptureError {
    /// Error text for a person: the problem, then the remedies, one on each line.
    ///
    /// Commands follow a colon, as they are typed. The remedies of `underlying` errors come after its own.
    public var notice: String {
        ([message] + allRemedies.map { "  " + $0.line }).joined(separator: "\n")
    }

    /// Remedies, those of the underlying errors included; each once.
    public var allRemedies: [Remedy] {
        var all: [Remedy] = []
        for remedy in remedies + underlying.flatMap(\.allRemedies) where !all.contains(remedy) { all.append(remedy) }
        return all
    }
}

extension Remedy {
    /// The sentence, and the command that does it.
    fileprivate var line: String {
        guard let command else { return text }
        return (text.hasSuffix(".") ? String(text.dropLast()) : text) + ": " + command
    }
}

/// A way for a person to lift a refusal or cure a failure.
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
