// error: type 'Lamp' does not conform to protocol 'CapabilityType'
// A capability whose requirement has no level says that any grant meets it; it does not forget to compare.
import CaptureGate

public struct Lamp: CapabilityType {
    public enum Brightness: Int, Sendable { case minimum, maximum }

    public let name = CapabilityName(rawValue: "lamp")
    public let requirement = Brightness.maximum
    #if !VIOLATION
        public let requiredLevel: AccessLevel? = AccessLevel(name: "maximum", rank: Brightness.maximum.rawValue)
    #endif

    public func availability(in gatekeeper: Gatekeeper) async -> Availability { .available }
    public func authorizationStatus(in gatekeeper: Gatekeeper) async -> AuthorizationStatus { .notDetermined() }
    public func requestAuthorization(in gatekeeper: Gatekeeper) async throws(CaptureError) {}
}
