import CaptureBase

extension CapabilityName {
    /// The place where clips go: nobody is asked for it.
    public static let storage = CapabilityName(rawValue: "storage")
}

extension Capability {
    /// The place where clips go: it must exist, be writable and have room. Status only: there is nothing to ask.
    ///
    /// *thread-safe*
    public struct Storage: CapabilityType {
        public struct Requirement: Hashable, Sendable {
            public let directory: String
            /// The room that is needed, bytes.
            public let freeBytes: Int64
        }

        public let requirement: Requirement
        private let inspector: any StorageInspector

        public init(_ directory: String, freeBytes: Int64 = 0, by inspector: any StorageInspector) {
            requirement = Requirement(directory: directory, freeBytes: freeBytes)
            self.inspector = inspector
        }

        public var name: CapabilityName { .storage }

        public func availability(in gatekeeper: Gatekeeper) async -> Availability {
            await report(in: gatekeeper).availability
        }

        public func authorizationStatus(in gatekeeper: Gatekeeper) async -> AuthorizationStatus {
            await report(in: gatekeeper).status
        }

        public func requestAuthorization(in gatekeeper: Gatekeeper) async throws(CaptureError) {
            if let refusal = await report(in: gatekeeper).refusal { throw refusal }
        }

        public func report(in gatekeeper: Gatekeeper) async -> AuthorizationReport {
            report(await inspector.inspect(requirement.directory), in: gatekeeper)
        }
    }
}

extension Capability.Storage {
    private func report(_ state: StorageState, in gatekeeper: Gatekeeper) -> AuthorizationReport {
        switch state {
        case .absent: absent("There is no folder \(requirement.directory).", "Make it, or name another one.")
        case .notDirectory: absent("\(requirement.directory) is not a folder.", "Name another one.")
        case .directory(false, _): restricted("\(requirement.directory) is not writable for this user.")
        case .directory(true, let free) where free < requirement.freeBytes: full(free)
        case .directory(true, _):
            AuthorizationReport(
                availability: .available, status: status(in: gatekeeper), refusal: nil, isAskable: false)
        }
    }

    private func absent(_ reason: String, _ advice: String) -> AuthorizationReport {
        let error = CaptureError(.inputOutput, reason, remedies: [Remedy(advice)])
        return AuthorizationReport(
            availability: .absent(requirement.directory), status: .notDetermined(), refusal: error, isAskable: false)
    }

    private func restricted(_ reason: String) -> AuthorizationReport {
        let remedies = [
            Remedy("See who may write there.", command: "ls -ld \(RefusalNotice.quoted(requirement.directory))")
        ]
        let restriction = Restriction(
            cause: .nodePermissions(node: requirement.directory), reason: reason, remedies: remedies)
        let error = CaptureError(.notAuthorized, reason, remedies: remedies)
        return AuthorizationReport(
            availability: .available, status: .restricted(restriction), refusal: error, isAskable: false)
    }

    private func full(_ free: Int64) -> AuthorizationReport {
        let needed = requirement.freeBytes
        let error = CaptureError(
            .diskFull, "\(requirement.directory) has \(free) bytes free, and \(needed) are needed.",
            remedies: [Remedy("Make room, or name another folder.")])
        return AuthorizationReport(
            availability: .absent("\(needed) bytes in \(requirement.directory)"), status: .notDetermined(),
            refusal: error, isAskable: false)
    }

    /// Nobody decided: the file system allows it.
    private func status(in gatekeeper: Gatekeeper) -> AuthorizationStatus {
        guard case .success(let subject) = gatekeeper.subject else { return .notDetermined() }
        let decision = Decision(
            verdict: .allow, subject: subject, capability: .storage, level: AccessLevel(name: "write", rank: 1),
            device: .any, lifetime: .always, decidedBy: .system, decidedAt: gatekeeper.clock.now)
        return Grant(decision).map { .authorized($0) } ?? .notDetermined()
    }
}

/// Looks at the place where clips go; implemented where the file system is known.
///
/// *thread-safe*
public protocol StorageInspector: Sendable {
    func inspect(_ directory: String) async -> StorageState
}

/// What was found at a place where clips are to go.
///
/// *thread-safe*
public enum StorageState: Hashable, Sendable {
    case absent
    /// It is there and is no folder.
    case notDirectory
    /// - Parameters:
    ///   - isWritable: for this user.
    ///   - freeBytes: what this user may still use.
    case directory(isWritable: Bool, freeBytes: Int64)
}
