import CaptureBase

/// Authorization of a subject for a capability, by the stored decisions and the administrator's policy.
///
/// *thread-safe*
public enum AuthorizationStatus: Hashable, Sendable {
    /// No record: asking can help. `previous` is a grant to an executable that has changed since.
    case notDetermined(previous: Grant? = nil)
    /// A permission can't change this, so no question is asked.
    case restricted(Restriction)
    /// A stored denial.
    case denied(Decision)
    /// A stored or the policy's yes, which may be for a lower level than needed.
    case authorized(Grant)
}

/// An obstacle that asking can't remove.
///
/// *thread-safe*
public struct Restriction: Hashable, Sendable {
    /// Origin of the obstacle.
    public enum Cause: Hashable, Sendable {
        /// A rule of the administrator.
        case policy(PolicyOrigin)
        /// The policy can't be read or understood. Nothing is allowed until it is repaired.
        case policyUnreadable(file: String)
        /// All devices of the capability are switched off for this user.
        case killSwitch
        /// The node's owner, group and mode refuse this user.
        case nodePermissions(node: String)
        /// The permission database can't be read. Nothing is allowed until it can.
        case store
        /// The kernel did not identify the process.
        case unknownSubject
        /// The capability has no level of this name and rank.
        case unknownLevel
    }

    public let cause: Cause
    /// One sentence for a person.
    public let reason: String
    public let remedies: [Remedy]

    public init(cause: Cause, reason: String, remedies: [Remedy]) {
        self.cause = cause
        self.reason = reason
        self.remedies = remedies
    }
}

extension AuthorizationStatus {
    /// True if anything is granted, at any level.
    public var isAuthorized: Bool { grant != nil }

    /// The grant, if there is one.
    public var grant: Grant? {
        if case .authorized(let grant) = self { grant } else { nil }
    }

    /// True if the grant is at least of this level and covers this device; any device's grant meets `.any`.
    public func meets(_ level: AccessLevel, on device: DeviceSelector = .any) -> Bool {
        guard let grant, grant.capability.has(level), grant.level >= level else { return false }
        return switch device {
        case .any: true
        case .id(let id): grant.device.covers(id)
        }
    }

    /// True if the grant is of the request's capability, at least of its level, and covers its device.
    public func meets(_ request: DeviceRequest) -> Bool {
        grant?.capability == request.capability && meets(request.level, on: request.device)
    }

    /// Rank for several statuses as one: restricted before denied before not determined before authorized.
    var severity: Int {
        switch self {
        case .restricted: 3
        case .denied: 2
        case .notDetermined: 1
        case .authorized: 0
        }
    }
}

extension Restriction {
    /// Restriction of an unknown program: a grant names a program, so none can apply.
    static func unknownSubject(_ error: CaptureError) -> Restriction {
        Restriction(
            cause: .unknownSubject, reason: "The program that asks can't be identified: \(error.message)",
            remedies: error.remedies.isEmpty
                ? [Remedy("Run the program where it can read /proc/self, or ask the administrator.")] : error.remedies)
    }

    /// Restriction of a kill switch, which applies before policy and store, and to every program of the user.
    static func killSwitch(_ capability: CapabilityName) -> Restriction {
        Restriction(
            cause: .killSwitch, reason: "All \(capability) capture is switched off for this user.",
            remedies: [Remedy("Switch it on again.", .switchOn(capability: capability.rawValue))])
    }

    /// Restriction of an unknown level, which could pass for a lower one in the question.
    static func unknownLevel(_ request: DeviceRequest) -> Restriction {
        let levels = request.capability.levels.map { "\"\($0.name)\"" }.joined(separator: " and ")
        return Restriction(
            cause: .unknownLevel,
            reason: "The \(request.capability) has only the levels \(levels).",
            remedies: [Remedy("Ask for one of these levels.")])
    }

    /// Restriction of an unreadable store: it may hold a denial, so nobody is allowed.
    static func store(_ error: CaptureError) -> Restriction {
        Restriction(
            cause: .store, reason: "The permissions can't be read, so nothing is allowed: \(error.message)",
            remedies: error.remedies.isEmpty
                ? [Remedy("Check the permission database.", .verifyLog)] : error.remedies)
    }
}
