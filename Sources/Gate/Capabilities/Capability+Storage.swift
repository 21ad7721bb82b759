import CaptureBase

extension CapabilityName {
    /// Directory for clips, which needs no permission.
    public static let storage = CapabilityName(rawValue: "storage")
}

extension Capability {
    /// A directory for clips: it must exist, be writable and have enough free space. It has a status only: there is
    /// nothing to ask.
    ///
    /// *thread-safe*
    public struct Storage: CapabilityType {
        /// A directory and the space needed in it.
        public struct Requirement: Hashable, Sendable {
            public let directory: String
            /// Free space needed, bytes.
            public let freeBytes: Int64
        }

        public let requirement: Requirement
        private let inspector: any StorageInspector

        /// Requires a directory.
        ///
        /// - Parameters:
        ///   - directory: Path of the directory.
        ///   - freeBytes: Free space needed, bytes.
        ///   - inspector: Reads the file system, which the gate does not know.
        public init(_ directory: String, freeBytes: Int64 = 0, by inspector: any StorageInspector) {
            requirement = Requirement(directory: directory, freeBytes: freeBytes)
            self.inspector = inspector
        }

        public var name: CapabilityName { .storage }
        /// Always `nil`: storage needs no grant.
        public var requiredLevel: AccessLevel? { nil }

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
    /// Meaning of what the inspector found. Missing space counts as absent, not as refused: nobody forbids it.
    private func report(_ state: StorageState, in gatekeeper: Gatekeeper) -> AuthorizationReport {
        switch state {
        case .absent:
            absent("The directory \(requirement.directory) does not exist.", "Create it, or choose another one.")
        case .notDirectory: absent("\(requirement.directory) is not a directory.", "Choose a directory.")
        case .directory(false, _): restricted("The directory \(requirement.directory) is not writable for this user.")
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
            Remedy("See who can write to it.", command: "ls -ld \(ShellQuote.word(requirement.directory))")
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
            .diskFull, "\(requirement.directory) has \(free) bytes free, but \(needed) are needed.",
            remedies: [Remedy("Free some space, or choose another directory.")])
        return AuthorizationReport(
            availability: .absent("\(needed) bytes in \(requirement.directory)"), status: .notDetermined(),
            refusal: error, isAskable: false)
    }

    /// Status of a usable directory: the file system allows it, and nobody decided.
    private func status(in gatekeeper: Gatekeeper) -> AuthorizationStatus {
        guard case .success(let subject) = gatekeeper.subject else { return .notDetermined() }
        let decision = Decision(
            verdict: .allow, subject: subject, capability: .storage, level: AccessLevel(name: "write", rank: 1),
            device: .any, lifetime: .always, decidedBy: .system, decidedAt: gatekeeper.clock.now)
        return Grant(decision).map { .authorized($0) } ?? .notDetermined()
    }
}

/// Inspects directories for clips; implemented where the file system is known.
///
/// *thread-safe*
public protocol StorageInspector: Sendable {
    /// Inspects a directory without writing to it.
    func inspect(_ directory: String) async -> StorageState
}

/// State of a directory for clips.
///
/// *thread-safe*
public enum StorageState: Hashable, Sendable {
    /// Nothing has this name.
    case absent
    /// The path exists, but is not a directory.
    case notDirectory
    /// - Parameters:
    ///   - isWritable: For this user.
    ///   - freeBytes: Space that this user may still use.
    case directory(isWritable: Bool, freeBytes: Int64)
}
