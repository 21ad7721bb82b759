import CaptureBase

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
