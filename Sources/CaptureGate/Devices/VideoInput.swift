import CaptureRealtime
import Gate

/// Socket of a capture card, or the only input of a webcam.
///
/// *thread-safe*
public struct VideoInput: Hashable, Sendable {
    /// V4L2's number, 0 upwards.
    public let index: Int
    /// Driver's name, such as `HDMI 1`.
    public let name: String
    /// True for the input that is selected now.
    public let isCurrent: Bool
    /// Signal at the input; a driver may not know it for inputs that are not selected.
    public let signal: SignalState
    /// Standards that an analogue input can be set to, families and single ones; empty for any other input.
    public let standards: [VideoStandard]
    /// Timings of the incoming signal, for a digital input that is selected and has one.
    public internal(set) var timings: VideoTimings?
    /// Timings that a digital input can be set to, if it is selected.
    public internal(set) var takes: [VideoTimings] = []
}

extension [VideoInput] {
    /// Input that a person means: its number, its name in any case, or a part of a name that no other input has.
    ///
    /// - Throws: `.notAsAsked`, naming the inputs that there are.
    func named(_ text: String, of device: Device) throws(CaptureError) -> VideoInput {
        if let number = Int(text), let input = first(where: { $0.index == number }) { return input }
        let word = text.lowercased()
        if let input = first(where: { $0.name.lowercased() == word }) { return input }
        let similar = word.isEmpty ? [] : filter { $0.name.lowercased().contains(word) }
        if similar.count == 1 { return similar[0] }
        let all = map { "\($0.index) (\(QuestionText.visible($0.name)))" }.joined(separator: ", ")
        let named = "\(QuestionText.visible(device.name)) [\(device.id)]"
        let what = similar.isEmpty ? "no input" : "several inputs"
        throw CaptureError(
            .notAsAsked,
            "\(named) has \(what) \"\(QuestionText.visible(text))\": "
                + (isEmpty ? "it has no inputs to choose from." : "choose \(all)."),
            remedies: [Remedy("Choose one of these.", .listFormats(device: device.id.rawValue))])
    }
}

extension SignalState {
    /// Word for programs: `present`, `covered`, `no_power`, `no_signal`, `no_lock` or `out_of_range`.
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

    /// Phrase for people, which follows the name of the device or input.
    public var phrase: String {
        switch self {
        case .present: "has a signal"
        case .covered: "is covered by its shutter"
        case .noPower: "has no signal: no powered source is connected"
        case .noSignal: "has no signal"
        case .noLock: "can't lock on to its signal"
        case .outOfRange: "has a signal that is out of range"
        }
    }

    /// Error if frames do not show the input's signal, or will not.
    ///
    /// - Parameters:
    ///   - device: named in the text.
    ///   - kind: `.unavailable`, or `.notAsAsked` if a signal is required strictly.
    package func error(_ device: DeviceDescription, _ kind: CaptureError.Kind = .unavailable) -> CaptureError {
        if self == .covered { return .privacyShutter(closedOn: device) }
        return CaptureError(
            kind, "\(QuestionText.visible(device.name)) [\(device.id)] \(phrase).",
            remedies: [
                Remedy("Check the cable and the signal source."),
                Remedy("Or choose another input with --input.", .listDevices),
            ])
    }
}
