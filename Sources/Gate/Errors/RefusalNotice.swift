import CaptureBase

/// Puts a refusal into words: one sentence, and what a person can do about it.
///
/// *thread-safe*
struct RefusalNotice: Sendable {
    let subject: Result<Subject, CaptureError>
    let capability: CapabilityName
    /// What was asked for, where it is a device.
    let request: DeviceRequest?
    /// The device it means now.
    let device: DeviceDescription?
    /// The later clock that keeps a permission from deciding.
    let laterClock: LaterClock?

    init(
        subject: Result<Subject, CaptureError>, capability: CapabilityName, request: DeviceRequest? = nil,
        device: DeviceDescription? = nil, laterClock: LaterClock? = nil
    ) {
        self.laterClock = laterClock
        self.subject = subject
        self.capability = capability
        self.request = request
        self.device = device
    }

    /// "the microphone HD Pro Webcam C920 (usb-046d_C920)", as far as it is known.
    var thing: String {
        guard let device else { return "the \(capability)" }
        return "the \(capability) \(device.name) (\(device.id))"
    }

    /// The path of the program that asks.
    var program: String {
        if case .success(let subject) = subject { subject.executable.path } else { "this program" }
    }

    /// `nil` if it is there; a device that is busy is there.
    func absence(_ availability: Availability) -> CaptureError? {
        guard case .absent(let sought) = availability else { return nil }
        return CaptureError(
            .noDevice, "There is no such \(capability): \(sought)",
            remedies: [Remedy("See which devices there are.", command: "capturegate devices")])
    }

    /// `nil` if nobody holds it.
    func busyError(_ availability: Availability) -> CaptureError? {
        guard case .busy(let holder) = availability else { return nil }
        guard let holder else {
            return CaptureError(
                .busy, "\(capitalized(thing)) is in use by another process that can't be seen from here.",
                remedies: [
                    Remedy(
                        "Close it; where it is another user's, root sees which it is.",
                        command: "sudo capturegate status")
                ])
        }
        return CaptureError(
            .busy, "\(capitalized(thing)) is in use by \(holder.command) (process \(holder.processID)).",
            remedies: [Remedy("Close \(holder.command), then try again.", command: "kill \(holder.processID)")])
    }

    func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
