import Gate

/// One rule of a policy file. What is `nil` is not looked at.
struct PolicyRule: Hashable, Sendable {
    enum Effect: String, Hashable, Sendable, CaseIterable {
        case allow, deny, ask
    }

    let effect: Effect
    let origin: PolicyOrigin
    var capabilities: Set<CapabilityName>?
    var level: AccessLevel?
    var devices: Set<DeviceID>?
    var users: Set<UInt32>?
    var groups: Set<UInt32>?
    var executables: Set<String>?
    var applications: Set<ApplicationID>?
    /// Nanoseconds since 1970 on the wall clock.
    var until: Int64?
    var reason: String?

    init(_ effect: Effect, origin: PolicyOrigin) {
        self.effect = effect
        self.origin = origin
    }
}
