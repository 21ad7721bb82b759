import CaptureBase

/// Wording of a refusal: one sentence, and what a person can do about it.
///
/// *thread-safe*
struct RefusalNotice: Sendable {
    /// The program that asks, or the error that hides it.
    let subject: Result<Subject, CaptureError>
    let capability: CapabilityName
    /// The request, if it is for a device.
    let request: DeviceRequest?
    /// The device that it means now.
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

    /// Name for a sentence: `the microphone "HD Pro Webcam C920" (usb-046d_C920)`, as far as it is known.
    var thing: String {
        guard let device else { return "the \(capability)" }
        return "the \(capability) \"\(device.name)\" (\(device.id))"
    }

    /// Path of the program that asks.
    var program: String {
        if case .success(let subject) = subject { subject.executable.path } else { "this program" }
    }

    /// Error for an absent device; `nil` if it is there, also if it is busy.
    func absence(_ availability: Availability) -> CaptureError? {
        guard case .absent(let sought) = availability else { return nil }
        return CaptureError(
            .noDevice, "No \(capability) was found: \(sought)",
            remedies: [Remedy("List the devices.", .listDevices)])
    }

    /// Error for a device that another process holds; `nil` if nobody does.
    func busyError(_ availability: Availability) -> CaptureError? {
        guard case .busy(let holder) = availability else { return nil }
        guard let holder else {
            return CaptureError(
                .busy, "\(capitalized(thing)) is in use by a process that you can't see, such as another user's.",
                remedies: [Remedy("Let root find the process, then close it.", .showHiddenHolders)])
        }
        return CaptureError(
            .busy, "\(capitalized(thing)) is in use by \(holder.command) (process \(holder.processID)).",
            remedies: [Remedy("Close \(holder.command), then try again.", command: "kill \(holder.processID)")])
    }

    func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}

extension RefusalNotice {
    /// Error for a status that does not allow the request; `nil` if it does.
    func refusal(of status: AuthorizationStatus) -> CaptureError? {
        switch status {
        case .restricted(let restriction): restricted(restriction)
        case .denied(let decision): denied(decision)
        case .notDetermined(let previous): undetermined(previous)
        case .authorized(let grant): tooLow(grant)
        }
    }

    private func restricted(_ restriction: Restriction) -> CaptureError {
        CaptureError(restriction.cause.kind, restriction.reason, remedies: restriction.remedies)
    }

    /// A denial applies until somebody removes it.
    private func denied(_ decision: Decision) -> CaptureError {
        let date = CalendarDate(nanosecondsSince1970: decision.decidedAt.wallNanoseconds)
        return CaptureError(
            .notAuthorized, "\(program) may not use \(thing): denied on \(date) by \(decision.decidedBy.description).",
            remedies: [Remedy("Allow it.", .grant(permission(on: decision.device)))])
    }

    /// Nobody decided yet, or the yes was for another version of the program.
    private func undetermined(_ previous: Grant?) -> CaptureError {
        if let laterClock { return outrun(by: laterClock) }
        guard let previous else {
            return CaptureError(
                .notAuthorized, "\(program) needs permission to use \(thing).", remedies: grantRemedies)
        }
        let date = CalendarDate(nanosecondsSince1970: previous.decidedAt.wallNanoseconds)
        return CaptureError(
            .notAuthorized,
            "\(program) has changed since it was allowed to use \(thing) on \(date). It needs a new permission.",
            remedies: grantRemedies)
    }

    /// The yes is over by a clock that the store saw and that may have been wrong.
    private func outrun(by later: LaterClock) -> CaptureError {
        let end = CalendarDate(nanosecondsSince1970: later.end)
        let seen = CalendarDate(nanosecondsSince1970: later.seen)
        return CaptureError(
            .notAuthorized,
            "\(program) may not use \(thing). Its permission until \(end) counts as expired: the clock once showed \(seen).",
            remedies: [.forgetLaterClock] + grantRemedies)
    }

    /// The yes is for a lower level; `nil` if it is high enough.
    private func tooLow(_ grant: Grant) -> CaptureError? {
        guard let request, grant.level < request.level else { return nil }
        return tooLow(grant, for: request.level)
    }

    /// Error for a yes of too low a level. The commands that grant know devices alone.
    func tooLow(_ grant: Grant, for level: AccessLevel) -> CaptureError {
        CaptureError(
            .notAuthorized, "\(program) may use \(thing) only at the level \"\(grant.level)\". It needs \"\(level)\".",
            remedies: request == nil ? [Remedy("Ask for the level \"\(level)\", and agree.")] : grantRemedies)
    }

    /// Error for a permit of too low a level.
    /// - Parameter level: The permit's.
    func permitTooLow(_ level: AccessLevel) -> CaptureError {
        let needed = request?.level.name ?? ""
        return CaptureError(
            .notAuthorized,
            "The permit for \(thing) has the level \"\(level)\". Opening it this way needs \"\(needed)\".",
            remedies: [Remedy("Ask for \"\(needed)\" in the operation's authorization.")] + grantRemedies)
    }

    /// The same refusal where a person would have to be asked and can't be.
    func refusal(_ refusal: CaptureError, obstacle: CaptureError) -> CaptureError {
        CaptureError(
            .notAuthorized, "\(refusal.message) \(obstacle.message)",
            remedies: refusal.remedies + obstacle.remedies, underlying: [obstacle])
    }
}

extension Restriction.Cause {
    /// Kind of the refusal.
    var kind: CaptureError.Kind {
        switch self {
        case .policy, .killSwitch, .nodePermissions, .unknownSubject, .unknownLevel: .notAuthorized
        case .policyUnreadable: .configuration
        case .store: .store
        }
    }
}

extension Decider: CustomStringConvertible {
    /// Decider for a sentence: "denied by …".
    public var description: String {
        switch self {
        case .person(let prompter): "a person (\(prompter))"
        case .command: "a command"
        case .policy(let origin): "policy (\(origin.file):\(origin.line))"
        case .system: "the system"
        }
    }
}

extension Remedy {
    /// Remedy for a store that saw a clock that was ahead.
    package static let forgetLaterClock = Remedy(
        "If the clock was wrong then, reset it in the database. This also removes the permissions with a time limit.",
        .forgetLaterClock)
}

extension RefusalNotice {
    /// The two ways to allow it: for one capture, and permanently.
    var grantRemedies: [Remedy] {
        [
            Remedy("Allow one capture.", .grant(permission(isOnce: true))),
            Remedy("Allow it permanently.", .grant(permission())),
        ]
    }

    /// Permission of exactly the refused program and device.
    /// - Parameters:
    ///   - device: The device that a denial names: a yes to any device would not lift it.
    ///   - isOnce: True for one capture.
    func permission(on device: DeviceSelector = .any, isOnce: Bool = false) -> Remedy.Permission {
        var id: String?
        if case .id(let named) = device == .any ? request?.device : device { id = named.rawValue }
        return Remedy.Permission(
            capability.rawValue, to: try? subject.get().executable.path, device: id, level: request?.level.name,
            isOnce: isOnce)
    }
}

extension CaptureError {
    /// Error for a camera whose closed privacy shutter would leave black frames only (`V4L2_CID_PRIVACY`).
    ///
    /// - Parameter device: The camera that reports it.
    public static func privacyShutter(closedOn device: DeviceDescription) -> CaptureError {
        CaptureError(
            .unavailable, "The privacy shutter of \(device.name) (\(device.id)) is closed.",
            remedies: [
                Remedy(
                    "Open it, then try again. It is a slider at the lens, or the key with a crossed-out camera.")
            ])
    }
}

/// A UTC date to the minute, as text: the standard library has no calendar.
///
/// After Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
///
/// *thread-safe*
struct CalendarDate: CustomStringConvertible, Sendable {
    let year: Int64
    let month: Int64
    let day: Int64
    let hour: Int64
    let minute: Int64

    init(nanosecondsSince1970: Int64) {
        let seconds = Self.floor(nanosecondsSince1970, by: 1_000_000_000)
        let days = Self.floor(seconds, by: 86400)
        let inDay = seconds - days * 86400
        hour = inDay / 3600
        minute = inDay / 60 % 60
        // Years that begin in March: the leap day is then the last of its year.
        let shifted = days + 719_468
        let era = Self.floor(shifted, by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var description: String { "\(year)-\(pad(month))-\(pad(day)) \(pad(hour)):\(pad(minute)) UTC" }

    private func pad(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// Division that rounds down, so that times before 1970 fall on the right day.
    private static func floor(_ value: Int64, by divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }
}
