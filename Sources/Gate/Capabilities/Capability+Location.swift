import CaptureBase

extension CapabilityName {
    /// Position of the machine, as named in grants and policy files.
    public static let location = CapabilityName(rawValue: "location")
}

/// Accuracy of a position: the levels of `Capability.Location`, coarsest first. A permission for a finer one holds for the
/// coarser ones.
///
/// *thread-safe*
public enum LocationAccuracy: Int, LeveledRequirement, CaseIterable {
    case country = 1
    case city
    case neighbourhood
    case street
    case exact
}

extension Capability {
    /// Right to know where the machine is.
    ///
    /// The gate asks the person. The machine's location service may decide as well: its refusal is a denial, with its reason. Its
    /// answer is known only after it was asked, which `Authorize` and `position(in:within:)` do. Reading the status asks nobody.
    ///
    /// *thread-safe*
    public struct Location: CapabilityType {
        /// An accuracy, and the reason, which the question shows.
        public struct Requirement: LeveledRequirement {
            public let accuracy: LocationAccuracy
            public let purpose: String
            public var level: AccessLevel { accuracy.level }
        }

        public let requirement: Requirement
        private let service: any LocationService

        /// Describes the access that is needed. Never asks.
        ///
        /// - Parameters:
        ///   - accuracy: how exact the position is to be.
        ///   - purpose: reason, which the question shows.
        ///   - service: the machine's location service, which the gate does not know.
        public init(_ accuracy: LocationAccuracy, purpose: String, by service: any LocationService) {
            requirement = Requirement(accuracy: accuracy, purpose: purpose)
            self.service = service
        }

        public var name: CapabilityName { .location }

        public func availability(in gatekeeper: Gatekeeper) async -> Availability {
            await report(in: gatekeeper).availability
        }

        public func authorizationStatus(in gatekeeper: Gatekeeper) async -> AuthorizationStatus {
            await report(in: gatekeeper).status
        }

        public func requestAuthorization(in gatekeeper: Gatekeeper) async throws(CaptureError) {
            let (service, accuracy) = (service, requirement.accuracy)
            try await authorization().request(in: gatekeeper) { await service.ask(for: accuracy) }
        }

        public func report(in gatekeeper: Gatekeeper) async -> AuthorizationReport {
            await authorization().report(in: gatekeeper)
        }

        /// Position of the machine now. Uses up a grant for one use, and writes the use to the audit log.
        ///
        /// - Parameters:
        ///   - gatekeeper: the gate that decides.
        ///   - limit: time that the service may take.
        /// - Throws: `.notAuthorized` if it is not allowed, by the gate or by the service; `.unavailable` or `.timedOut` if the
        ///   service has no position. The gate asks nobody here: `AuthorizedFor` does that before.
        public func position(
            in gatekeeper: Gatekeeper, within limit: Duration = .seconds(30)
        ) async throws(CaptureError) -> GeographicPosition {
            let (service, accuracy) = (service, requirement.accuracy)
            return try await authorization().use(in: gatekeeper) { () async throws(CaptureError) in
                try await service.position(accuracy, within: limit)
            }
        }

        private func authorization() async -> ServiceAuthorization {
            let request = DeviceRequest(
                capability: .location, level: requirement.level, device: .id(service.description.id),
                purpose: requirement.purpose)
            return ServiceAuthorization(
                request: request, service: service.description, state: await service.state(for: requirement.accuracy),
                hasSay: true)
        }
    }
}

/// A location service of the machine; implemented where the system bus is known.
///
/// *thread-safe*
public protocol LocationService: Sendable {
    /// The service, as a question shows it. A decision about its id is one about it.
    var description: DeviceDescription { get }

    /// State for an accuracy. Asks nobody, and does not determine the position.
    func state(for accuracy: LocationAccuracy) async -> ServiceState

    /// Asks the service whether this program may know the position; it may ask a person.
    func ask(for accuracy: LocationAccuracy) async -> ServiceAnswer

    /// Finds the position.
    ///
    /// - Throws: `.notAuthorized` for the service's no; `.unavailable` or `.timedOut` if there is no position.
    func position(_ accuracy: LocationAccuracy, within limit: Duration) async throws(CaptureError) -> GeographicPosition
}

/// A position on the earth, by WGS 84.
///
/// *thread-safe*
public struct GeographicPosition: Hashable, Sendable {
    /// Degrees north of the equator, -90 to 90.
    public let latitude: Double
    /// Degrees east of Greenwich, -180 to 180.
    public let longitude: Double
    /// Radius within which the machine is, metres.
    public let accuracy: Double

    /// - Returns: `nil` for numbers that are no place on the earth.
    public init?(latitude: Double, longitude: Double, accuracy: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude), accuracy.isFinite, accuracy >= 0
        else { return nil }
        self.latitude = latitude
        self.longitude = longitude
        self.accuracy = accuracy
    }
}
