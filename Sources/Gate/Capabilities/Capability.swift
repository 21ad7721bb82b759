import CaptureBase

/// The name of an aspect of the machine that a person must allow, such as `microphone`.
///
/// *thread-safe*
public struct CapabilityName: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Sound capture: the word for it in grants, policy files and on the command line.
    public static let microphone = CapabilityName(rawValue: "microphone")
    /// Picture capture: the word for it in grants, policy files and on the command line.
    public static let camera = CapabilityName(rawValue: "camera")

    public var description: String { rawValue }
}

extension CapabilityName {
    /// The levels of the microphone and of the camera, lowest first; empty for a capability of a program's own, which makes
    /// its own.
    public var levels: [AccessLevel] {
        switch self {
        case .microphone: [.meter, .record]
        case .camera: [.still, .video]
        default: []
        }
    }

    /// Whether a level is one of these, by its name *and* its rank: a question shows the one, and decisions go by the other.
    /// A capability of a program's own has any.
    public func has(_ level: AccessLevel) -> Bool { levels.isEmpty || levels.contains(level) }
}

/// How much of a capability is asked for or granted; a higher level includes the lower ones.
///
/// Microphone: `.meter` < `.record`. Camera: `.still` < `.video`. These four are all there are of the two, by name and rank:
/// the gate refuses any other, in a request, and in a stored yes. A capability of one's own makes its own levels.
///
/// A level is what the session that a permit opens can do, and no promise of the program's: `.meter` opens what tells how
/// loud it is, `.still` what takes single pictures, and frames need `.record` or `.video`.
///
/// *thread-safe*
public struct AccessLevel: Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
    public let name: String
    /// Orders the levels of one capability, 1 upwards.
    public let rank: Int

    public init(name: String, rank: Int) {
        self.name = name
        self.rank = rank
    }

    /// Microphone: the loudness can be seen, 20 times a second at most; no sound is lent.
    public static let meter = AccessLevel(name: "meter", rank: 1)
    /// Microphone: sound may be recorded.
    public static let record = AccessLevel(name: "record", rank: 2)
    /// Camera: single pictures can be taken, once they have settled, one a second at most; no frame is lent.
    public static let still = AccessLevel(name: "still", rank: 1)
    /// Camera: moving pictures may be recorded.
    public static let video = AccessLevel(name: "video", rank: 2)

    public static func < (lower: AccessLevel, higher: AccessLevel) -> Bool { lower.rank < higher.rank }

    public var description: String { name }
}

/// An aspect of the machine that a person must allow.
///
/// A type of one's own says its name, its requirement, whether it is there, whether it is allowed and how to ask. What it
/// answers moves conditions only: a `Permit` for devices comes from the gatekeeper's own reading, whatever a type says.
///
/// *thread-safe*
public protocol CapabilityType: Sendable {
    /// What of the aspect is wanted, such as a level, a device and a purpose.
    associatedtype Requirement: Sendable

    var name: CapabilityName { get }
    var requirement: Requirement { get }

    /// Whether there is such a thing and whether it is free. Asks nobody.
    func availability(in gatekeeper: Gatekeeper) async -> Availability

    /// Whether it is allowed. Asks nobody.
    func authorizationStatus(in gatekeeper: Gatekeeper) async -> AuthorizationStatus

    /// Asks a person, if asking can help, and returns when the answer is stored.
    /// - Throws: `.dismissed` if the question ended without an answer, `.noDevice` or `.notAuthorized` if it was not
    ///   asked at all. A stored no is not an error here: the status says it.
    func requestAuthorization(in gatekeeper: Gatekeeper) async throws(CaptureError)

    /// Availability, status and what they come to, in one reading. Asks nobody. Has a default.
    func report(in gatekeeper: Gatekeeper) async -> AuthorizationReport
}

extension CapabilityType {
    public func report(in gatekeeper: Gatekeeper) async -> AuthorizationReport {
        let availability = await availability(in: gatekeeper)
        let status = await authorizationStatus(in: gatekeeper)
        return AuthorizationReport(name: name, availability: availability, status: status, in: gatekeeper)
    }
}

/// What a capability says of itself at one moment.
///
/// *thread-safe*
public struct AuthorizationReport: Sendable {
    public let availability: Availability
    public let status: AuthorizationStatus
    /// Why it can't be used as required, with what to do; `nil` if it can.
    public let refusal: CaptureError?
    /// Whether a person's answer could change that.
    public let isAskable: Bool

    public init(availability: Availability, status: AuthorizationStatus, refusal: CaptureError?, isAskable: Bool) {
        self.availability = availability
        self.status = status
        self.refusal = refusal
        self.isAskable = isAskable
    }

    /// The report of a capability without devices.
    init(name: CapabilityName, availability: Availability, status: AuthorizationStatus, in gatekeeper: Gatekeeper) {
        let notice = RefusalNotice(subject: gatekeeper.subject, capability: name)
        let absence = notice.absence(availability)
        let refusal = absence ?? notice.refusal(of: status)
        var isUndetermined = false
        if case .notDetermined = status { isUndetermined = true }
        self.init(
            availability: availability, status: status, refusal: refusal,
            isAskable: absence == nil && isUndetermined)
    }
}

/// A capability that consists of devices, so that an operation with it gets a `Permit`.
///
/// Everything has a default, through the gatekeeper, that follows from `requests`.
///
/// *thread-safe*
public protocol DeviceCapability: CapabilityType {
    /// The devices of the operation, 1 upwards: asked for in one question, all or nothing.
    var requests: [DeviceRequest] { get }
}

extension DeviceCapability {
    public func availability(in gatekeeper: Gatekeeper) async -> Availability {
        await gatekeeper.read(requests).availability
    }

    public func authorizationStatus(in gatekeeper: Gatekeeper) async -> AuthorizationStatus {
        await gatekeeper.read(requests).status
    }

    public func requestAuthorization(in gatekeeper: Gatekeeper) async throws(CaptureError) {
        try await gatekeeper.settle(requests)
    }

    public func report(in gatekeeper: Gatekeeper) async -> AuthorizationReport {
        await gatekeeper.read(requests).report(for: gatekeeper.subject)
    }
}

extension DeviceCapability where Requirement == DeviceRequest {
    public var name: CapabilityName { requirement.capability }
    public var requests: [DeviceRequest] { [requirement] }
}

/// Where capabilities have their names: `Capability.Microphone`, `Capability.Camera`, `Capability.All`.
public enum Capability {}

extension Capability {
    /// Several devices in one question: all are allowed, or none.
    ///
    /// *thread-safe*
    public struct All: DeviceCapability {
        public let requirement: [DeviceRequest]

        /// - Parameter requests: one a device, in the order in which they are shown.
        public init(_ requests: [DeviceRequest]) {
            requirement = requests
        }

        public init(_ parts: any DeviceCapability...) {
            requirement = parts.flatMap { $0.requests }
        }

        public var requests: [DeviceRequest] { requirement }

        /// The name of the only capability, else all names with `+` between.
        public var name: CapabilityName {
            var names: [String] = []
            for request in requirement where !names.contains(request.capability.rawValue) {
                names.append(request.capability.rawValue)
            }
            return CapabilityName(rawValue: names.joined(separator: "+"))
        }
    }
}
