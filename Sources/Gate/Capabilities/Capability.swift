import CaptureBase

/// Name of an aspect of the machine that a person must allow, such as `microphone`.
///
/// *thread-safe*
public struct CapabilityName: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Audio capture, as named in grants, policy files and on the command line.
    public static let microphone = CapabilityName(rawValue: "microphone")
    /// Video capture, as named in grants, policy files and on the command line.
    public static let camera = CapabilityName(rawValue: "camera")

    public var description: String { rawValue }
}

extension CapabilityName {
    /// Capabilities that have levels here, which commands and policy files know by name.
    package static let known: [CapabilityName] = [.microphone, .camera, .location, .photos]

    /// True for what a service of the machine gives, and no device.
    package var isOfService: Bool { self == .location || self == .photos }

    /// Levels of the capabilities that have a name here, lowest first; empty for a program's own capability, which makes
    /// its own.
    public var levels: [AccessLevel] {
        switch self {
        case .microphone: [.meter, .record]
        case .camera: [.still, .video]
        case .location: LocationAccuracy.allCases.map(\.level)
        case .photos: PhotosAccess.allCases.map(\.level)
        default: []
        }
    }

    /// True if a level is one of these, by its name *and* its rank: a question shows the one, and decisions compare the
    /// other. A program's own capability has any.
    public func has(_ level: AccessLevel) -> Bool { levels.isEmpty || levels.contains(level) }
}

/// Level of access to a capability, requested or granted; a higher level includes the lower ones.
///
/// Microphone: `.meter` < `.record`. Camera: `.still` < `.video`. Location: the cases of `LocationAccuracy`. Photos: those
/// of `PhotosAccess`. These capabilities have their own levels only, by name and rank: the gate refuses any other, in a
/// request and in a stored yes. A program's own capability makes its own levels.
///
/// A level limits the session that a permit opens; it is no promise of the program's: `.meter` opens a level meter,
/// `.still` takes still images, and frames need `.record` or `.video`.
///
/// *thread-safe*
public struct AccessLevel: Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
    public let name: String
    /// Order of the levels of one capability, 1 or more.
    public let rank: Int

    public init(name: String, rank: Int) {
        self.name = name
        self.rank = rank
    }

    /// Microphone: the loudness can be read, 20 times a second at most. The program gets no audio.
    public static let meter = AccessLevel(name: "meter", rank: 1)
    /// Microphone: audio may be recorded.
    public static let record = AccessLevel(name: "record", rank: 2)
    /// Camera: still images can be taken, once exposure has settled, one a second at most. The program gets no video.
    public static let still = AccessLevel(name: "still", rank: 1)
    /// Camera: video may be recorded.
    public static let video = AccessLevel(name: "video", rank: 2)

    public static func < (lower: AccessLevel, higher: AccessLevel) -> Bool { lower.rank < higher.rank }

    public var description: String { name }
}

/// A requirement that has a level: a grant of a lower one does not meet it.
///
/// A capability whose `Requirement` is one gets the comparison from the gate. `AccessLevel` is one, and an enumeration of
/// integers becomes one by conforming, its cases ordered by their raw values:
///
/// ```swift
/// enum Audience: Int, LeveledRequirement { case team = 1, everybody }
/// ```
///
/// *thread-safe*
public protocol LeveledRequirement: Sendable {
    /// Lowest level of a grant that meets it.
    var level: AccessLevel { get }
}

extension AccessLevel: LeveledRequirement {
    public var level: AccessLevel { self }
}

extension LeveledRequirement where Self: RawRepresentable, RawValue == Int {
    public var level: AccessLevel { AccessLevel(name: "\(self)", rank: rawValue) }
}

/// An aspect of the machine that a person must allow.
///
/// A program's own type provides a name, a requirement, availability, authorization and a way to ask. Its answers
/// decide conditions only: a `Permit` for devices comes from the gatekeeper's own reading, whatever a type answers.
///
/// *thread-safe*
public protocol CapabilityType: Sendable {
    /// The wanted part of the aspect, such as a level, a device and a purpose.
    associatedtype Requirement: Sendable

    var name: CapabilityName { get }
    /// The requirement of this value.
    var requirement: Requirement { get }

    /// Lowest level of a grant that meets the requirement; `nil` if any grant does. Only a `LeveledRequirement` has a
    /// default, its level: a comparison that nobody thought of does not compile.
    ///
    /// Whatever `report(in:)` says, nothing is executed by a grant of a lower level.
    var requiredLevel: AccessLevel? { get }

    /// Presence of the thing, and its holder if it is busy. Asks nobody.
    func availability(in gatekeeper: Gatekeeper) async -> Availability

    /// Status of the authorization. Asks nobody.
    func authorizationStatus(in gatekeeper: Gatekeeper) async -> AuthorizationStatus

    /// Asks a person, if asking can help, and returns when the answer is stored.
    /// - Throws: `.dismissed` if the question ended without an answer, `.noDevice` or `.notAuthorized` if it could not be asked. A
    ///   stored denial is not an error here: the status reports it.
    func requestAuthorization(in gatekeeper: Gatekeeper) async throws(CaptureError)

    /// Availability, status and their consequences, in one reading. Asks nobody. Has a default.
    func report(in gatekeeper: Gatekeeper) async -> AuthorizationReport
}

extension CapabilityType {
    public func report(in gatekeeper: Gatekeeper) async -> AuthorizationReport {
        let availability = await availability(in: gatekeeper)
        let status = await authorizationStatus(in: gatekeeper)
        return AuthorizationReport(name: name, availability: availability, status: status, in: gatekeeper)
    }

    /// The report, in which a grant of too low a level is a refusal: a program's own report need not compare.
    func comparedReport(in gatekeeper: Gatekeeper) async -> AuthorizationReport {
        let report = await report(in: gatekeeper)
        guard let requiredLevel, report.refusal == nil, let grant = report.status.grant, grant.level < requiredLevel
        else { return report }
        let notice = RefusalNotice(subject: gatekeeper.subject, capability: name)
        let absence = notice.absence(report.availability)
        return AuthorizationReport(
            availability: report.availability, status: report.status,
            refusal: absence ?? notice.tooLow(grant, for: requiredLevel), isAskable: absence == nil)
    }
}

extension CapabilityType where Requirement: LeveledRequirement {
    public var requiredLevel: AccessLevel? { requirement.level }
}

/// State of a capability at one moment.
///
/// *thread-safe*
public struct AuthorizationReport: Sendable {
    public let availability: Availability
    public let status: AuthorizationStatus
    /// Reason for which it can't be used as required, with what to do; `nil` if it can.
    public let refusal: CaptureError?
    /// True if a person's answer could change that.
    public let isAskable: Bool
    /// Snapshot on which a gatekeeper based the report; `nil` for a report made otherwise.
    var snapshot: AuthorizationSnapshot?

    public init(availability: Availability, status: AuthorizationStatus, refusal: CaptureError?, isAskable: Bool) {
        self.availability = availability
        self.status = status
        self.refusal = refusal
        self.isAskable = isAskable
    }

    /// Report of a capability without devices. Asking helps only where the thing is there and nothing is decided.
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
/// All requirements but `requests` have defaults, which go through the gatekeeper.
///
/// *thread-safe*
public protocol DeviceCapability: CapabilityType {
    /// Devices of the operation, one or more. One question asks for all of them; the answer is for all or none.
    var requests: [DeviceRequest] { get }
}

extension DeviceCapability {
    /// No level for all: the gatekeeper compares that of each request.
    public var requiredLevel: AccessLevel? { nil }

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

/// Namespace of capabilities: `Capability.Microphone`, `Capability.Camera`, `Capability.All`.
public enum Capability {}

extension Capability {
    /// Several devices in one question: all are allowed, or none.
    ///
    /// *thread-safe*
    public struct All: DeviceCapability {
        public let requirement: [DeviceRequest]

        /// - Parameter requests: One for each device, in the order in which they are shown.
        public init(_ requests: [DeviceRequest]) {
            requirement = requests
        }

        /// - Parameter parts: Capabilities whose devices are requested in one question.
        public init(_ parts: any DeviceCapability...) {
            requirement = parts.flatMap { $0.requests }
        }

        public var requests: [DeviceRequest] { requirement }

        /// Name of the only capability, or all names joined with `+`.
        public var name: CapabilityName {
            var names: [String] = []
            for request in requirement where !names.contains(request.capability.rawValue) {
                names.append(request.capability.rawValue)
            }
            return CapabilityName(rawValue: names.joined(separator: "+"))
        }
    }
}
