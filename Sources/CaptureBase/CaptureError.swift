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
        /// The device does not exist.
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
        /// Denied, restricted, or there was no way to ask.
        case notAuthorized
        /// The question was dismissed or timed out, or the prompter failed. Nothing is stored.
        case dismissed
        /// The permission was revoked during a capture, or all devices were switched off.
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
    /// Error number of the kernel or a library, positive; 0 if there was no such error.
    public let errno: Int32
    /// Remedies, in the order of display.
    public let remedies: [Remedy]
    /// Errors of all failed conditions, or the cause.
    public let underlying: [CaptureError]

    public init(
        _ kind: Kind, _ message: String, errno: Int32 = 0, remedies: [Remedy] = [], underlying: [CaptureError] = []
    ) {
        self.kind = kind
        // It contains names of devices, files and programs, and the catcher of the error prints it.
        self.message = message.visible
        self.errno = errno
        self.remedies = remedies
        self.underlying = underlying
    }
}

extension CaptureError: CustomStringConvertible {
    /// The sentence, for the message of a test or a log.
    public var description: String { message }
}

extension CaptureError {
    /// Error text for a person: the problem, then the remedies, one on each line.
    ///
    /// Commands of other programs follow a colon, as they are typed. The remedies of `underlying` errors come after its own.
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
        // Paths and programs' names are part of both, as of the message.
        let text = text.visible
        guard let command else { return text }
        return (text.hasSuffix(".") ? String(text.dropLast()) : text) + ": " + command.visible
    }
}

/// A way for a person to lift a refusal or cure a failure.
///
/// *thread-safe*
public struct Remedy: Hashable, Sendable {
    /// One sentence in the imperative.
    public let text: String
    /// Step that does it, for a button or a command line; `nil` if only hands help, or a change of the program.
    public let action: Action?

    public init(_ text: String, _ action: Action? = nil) {
        self.text = text
        self.action = action
    }

    /// Creates a remedy that a command of another program carries out.
    public init(_ text: String, command: String) {
        self.init(text, .run(command: command))
    }

    /// Exact command of another program that does it; `nil` for the gate's own steps, which `action` names.
    public var command: String? {
        if case .run(let command) = action { command } else { nil }
    }
}

extension Remedy {
    /// Step that a program can offer: the tools of the gate have a command for each, and an app its own button.
    ///
    /// Capabilities, devices, programs and levels are spelled as in grants and policy files.
    public enum Action: Hashable, Sendable {
        /// Show the devices that there are.
        case listDevices
        /// Show the formats, rates and inputs of a device.
        case listFormats(device: String)
        /// Show devices, their holders and the permissions.
        case showStatus
        /// Show holders that only root sees.
        case showHiddenHolders
        /// Show the controls of a device, with their ranges.
        case showControls(device: String)
        /// Set a control by hand, after its automatic control was set to `manual`.
        case takeOver(control: String, device: String, automatic: String, manual: String)
        /// Allow a program what it was refused.
        case grant(Permission)
        /// Switch all devices of a capability on again.
        case switchOn(capability: String)
        /// Show how all devices of a capability are switched off.
        case showSwitches
        /// Have the store forget a clock that was ahead.
        case forgetLaterClock
        /// Verify the audit log.
        case verifyLog
        /// Find mistakes in the administrator's rules.
        case checkPolicy
        /// Record with a mode that needs less.
        case record(Mode)
        /// Record through the sound server.
        case recordThroughServer
        /// Finish an interrupted recording.
        case recover(path: String)
        /// Record to standard output, and have another program make a file of it that is not made here.
        case transcode(path: String, sound: Bool, picture: Bool)
        /// Run a command of another program, as a shell reads it.
        case run(command: String)
    }

    /// Permission that a person can give.
    public struct Permission: Hashable, Sendable {
        /// Name of the capability.
        public let capability: String
        /// Path of the program that was refused; `nil` for the one that offers the remedy.
        public let program: String?
        /// Id of the device; `nil` for any.
        public let device: String?
        /// Name of the level; `nil` for the capability's highest.
        public let level: String?
        /// True for one capture, false for a permanent permission.
        public let isOnce: Bool

        public init(
            _ capability: String, to program: String? = nil, device: String? = nil, level: String? = nil,
            isOnce: Bool = false
        ) {
            self.capability = capability
            self.program = program
            self.device = device
            self.level = level
            self.isOnce = isOnce
        }
    }

    /// Mode of a camera, to record with.
    public struct Mode: Hashable, Sendable {
        /// Id of the camera.
        public let device: String
        /// Width and height in pixels.
        public let width: Int
        public let height: Int
        public let frameRate: FrameRate
        public let pixelFormat: PixelFormat

        public init(device: String, width: Int, height: Int, frameRate: FrameRate, pixelFormat: PixelFormat) {
            self.device = device
            self.width = width
            self.height = height
            self.frameRate = frameRate
            self.pixelFormat = pixelFormat
        }
    }
}
