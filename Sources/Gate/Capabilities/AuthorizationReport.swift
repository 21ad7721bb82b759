import CaptureBase

/// What a capability says of itself at one moment.
///
/// *thread-safe*
public struct AuthorizationReport: Sendable {
    public let availability: Availability
    public let status: AuthorizationStatus
    /// Why it can't be used as required, with what to do; `nil` if it can.
    public let refusal: CaptureError?
    /// Whether a person's answer could change that.
    public let isAskable: Bool

    public init(availability: Availability, status: AuthorizationStatus, refusal: CaptureError?, isAskable: Bool) {
        self.availability = availability
        self.status = status
        self.refusal = refusal
        self.isAskable = isAskable
    }

    /// The report of a capability without devices.
    init(name: CapabilityName, availability: Availability, status: AuthorizationStatus, in gatekeeper: Gatekeeper) {
        let notice = RefusalNotice(subject: gatekeeper.subject, capability: name)
        let absence = notice.absence(availability)
        let refusal = absence ?? notice.refusal(of: status)
        var isUndetermined = false
        if case .notDetermined = status { isUndetermined = true }
        self.init(
            availability: availability, status: status, refusal: refusal,
            isAskable: absence == nil && isUndetermined)
    }
}
