import CaptureBase

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
