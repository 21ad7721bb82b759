/// One line for the audit log; the store adds the number and the chain of hashes.
///
/// *thread-safe*
public struct AuditEvent: Hashable, Sendable, Codable {
    public enum Kind: String, Hashable, Sendable, Codable {
        /// Somebody decided, at a prompt, by command or by policy.
        case decision
        /// A capture was refused.
        case refusal
        /// A question ended without an answer.
        case dismissal
        case start
        case stop
        /// A running capture was ended by the gate.
        case revocation
        /// Decisions were removed.
        case removal
        case killSwitch
        /// The store itself was changed: its format, or the latest time it has seen.
        case upkeep
    }

    public let kind: Kind
    public let at: GateInstant
    public let subject: Subject?
    public let capability: CapabilityName?
    public let level: AccessLevel?
    public let devices: [DeviceID]
    /// The decision it rests on.
    public let decision: Int64?
    /// Audio or video frames delivered to the program (`stop`, `revocation`).
    public let frames: UInt64?
    /// Bytes delivered to the program (`stop`, `revocation`).
    public let bytes: UInt64?
    /// What happened, one short sentence.
    public let detail: String

    public init(
        _ kind: Kind, at: GateInstant, subject: Subject?, capability: CapabilityName? = nil, level: AccessLevel? = nil,
        devices: [DeviceID] = [], decision: Int64? = nil, frames: UInt64? = nil, bytes: UInt64? = nil, detail: String
    ) {
        self.kind = kind
        self.at = at
        self.subject = subject
        self.capability = capability
        self.level = level
        self.devices = devices
        self.decision = decision
        self.frames = frames
        self.bytes = bytes
        self.detail = detail
    }
}
