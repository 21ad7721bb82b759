import CaptureBase

extension CapabilityName {
    /// The user's images, as named in grants and policy files.
    public static let photos = CapabilityName(rawValue: "photos")
}

/// Access to the user's images: the levels of `Capability.Photos`, lowest first.
///
/// *thread-safe*
public enum PhotosAccess: Int, LeveledRequirement, CaseIterable {
    /// Reading images.
    case read = 1
    /// Reading, adding and changing images.
    case write
}

extension Capability {
    /// Access to the user's pictures directory.
    ///
    /// `folder(in:)` gives its path to code that has the permission. A decision is about one directory: if the user's settings
    /// name another one later, the person is asked again. If a sandbox does not show that directory, the desktop's portal lets the
    /// person choose one.
    ///
    /// *thread-safe*
    public struct Photos: CapabilityType {
        /// An access, and the reason, which the question shows.
        public struct Requirement: LeveledRequirement {
            public let access: PhotosAccess
            public let purpose: String
            public var level: AccessLevel { access.level }
        }

        public let requirement: Requirement
        private let library: any PicturesLibrary

        /// Describes the access that is needed. Never asks.
        ///
        /// - Parameters:
        ///   - access: `.read`, or `.write` to add images.
        ///   - purpose: reason, which the question shows.
        ///   - library: finds the directory, which the gate does not know.
        public init(_ access: PhotosAccess, purpose: String, in library: any PicturesLibrary) {
            requirement = Requirement(access: access, purpose: purpose)
            self.library = library
        }

        public var name: CapabilityName { .photos }

        public func availability(in gatekeeper: Gatekeeper) async -> Availability {
            await report(in: gatekeeper).availability
        }

        public func authorizationStatus(in gatekeeper: Gatekeeper) async -> AuthorizationStatus {
            await report(in: gatekeeper).status
        }

        public func requestAuthorization(in gatekeeper: Gatekeeper) async throws(CaptureError) {
            let (library, access) = (library, requirement.access)
            try await authorization().request(in: gatekeeper) { await library.ask(for: access) }
        }

        public func report(in gatekeeper: Gatekeeper) async -> AuthorizationReport {
            await authorization().report(in: gatekeeper)
        }

        /// Path of the directory. Uses up a grant for one use, and writes the use to the audit log.
        ///
        /// - Parameter gatekeeper: the gate that decides.
        /// - Returns: an absolute path.
        /// - Throws: `.notAuthorized` if it is not allowed, `.unavailable` if no directory is known. Nobody is asked:
        ///   `AuthorizedFor` does that before.
        public func folder(in gatekeeper: Gatekeeper) async throws(CaptureError) -> String {
            let (library, access) = (library, requirement.access)
            // The directory of the decision, even if the settings name another one a moment later.
            let finding = await library.find(for: access)
            return try await authorization(finding).use(in: gatekeeper) { () async throws(CaptureError) in
                guard let path = finding.path else { return try await library.chosenFolder(for: access) }
                return path
            }
        }

        private func authorization() async -> ServiceAuthorization {
            authorization(await library.find(for: requirement.access))
        }

        private func authorization(_ finding: PicturesFinding) -> ServiceAuthorization {
            let request = DeviceRequest(
                capability: .photos, level: requirement.level, device: .id(finding.description.id),
                purpose: requirement.purpose)
            return ServiceAuthorization(
                request: request, service: finding.description, state: finding.state, hasSay: finding.path == nil)
        }
    }
}

/// The user's pictures directory, as far as it can be found without asking.
///
/// *thread-safe*
public struct PicturesFinding: Sendable {
    /// The directory, as a question shows it. A permission for its id is for this directory.
    public let description: DeviceDescription
    public let state: ServiceState
    /// Absolute path; `nil` if the user must choose a directory first.
    public let path: String?

    public init(_ description: DeviceDescription, _ state: ServiceState, path: String?) {
        self.description = description
        self.state = state
        self.path = path
    }
}

/// Finds the user's pictures directory. Implemented in a module that knows the user's settings and the session bus.
///
/// *thread-safe*
public protocol PicturesLibrary: Sendable {
    /// Finds the directory by the user's settings. Asks nobody.
    func find(for access: PhotosAccess) async -> PicturesFinding

    /// Has a person choose a directory, if the one of the settings can't be used from here.
    func ask(for access: PhotosAccess) async -> ServiceAnswer

    /// Directory that a person has chosen.
    ///
    /// - Throws: `.unavailable` if nobody has chosen one yet.
    func chosenFolder(for access: PhotosAccess) async throws(CaptureError) -> String
}
