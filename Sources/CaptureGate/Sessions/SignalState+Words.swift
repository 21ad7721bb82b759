import CaptureRealtime
import Gate

extension SignalState {
    /// For programs: `present`, `covered`, `no_power`, `no_signal`, `no_lock` or `out_of_range`.
    public var word: String {
        switch self {
        case .present: "present"
        case .covered: "covered"
        case .noPower: "no_power"
        case .noSignal: "no_signal"
        case .noLock: "no_lock"
        case .outOfRange: "out_of_range"
        }
    }

    /// For people; after the name of the device or input.
    public var phrase: String {
        switch self {
        case .present: "has a signal"
        case .covered: "is covered by its shutter"
        case .noPower: "has no signal: nothing that is switched on is connected"
        case .noSignal: "has no signal"
        case .noLock: "has a signal that it can't lock on to"
        case .outOfRange: "has a signal out of its range"
        }
    }

    /// The error where there are no true pictures, or will be none.
    ///
    /// - Parameter kind: `.unavailable`, or `.notAsAsked` where that was asked for strictly.
    package func error(_ device: DeviceDescription, _ kind: CaptureError.Kind = .unavailable) -> CaptureError {
        if self == .covered { return .privacyShutter(closedOn: device) }
        return CaptureError(
            kind, "\(QuestionText.visible(device.name)) [\(device.id)] \(phrase).",
            remedies: [
                Remedy("Look at the cable and at what sends."),
                Remedy("Or choose another input with --input.", command: "capturegate devices"),
            ])
    }
}
