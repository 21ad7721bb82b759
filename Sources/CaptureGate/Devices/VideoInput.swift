import CMedia
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

/// Query of an idle camera for its inputs (`VIDIOC_ENUMINPUT`), and of the selected one for its signal, without
/// streaming.
struct CameraInputs {
    private let camera: Int32

    /// Opens, asks and closes a camera.
    ///
    /// - Returns: inputs alone; none where the node can't be opened or has none.
    static func read(_ node: String) -> FormatQueryResult {
        var reading = FormatQueryResult()
        let camera = cm_v4l2_open(node)
        guard camera >= 0 else {
            reading.note("open", camera)
            return reading
        }
        defer { _ = cm_close(camera) }
        reading.inputs = read(camera, noting: &reading)
        return reading
    }

    /// True if the selected input is a capture card's, whose standard or timings say how large a picture is: it takes other sizes
    /// too, which it scales to.
    static func hasSignalSize(_ camera: Int32) -> Bool {
        let current = cm_v4l2_g_input(camera)
        var raw = cm_v4l2_input()
        guard current >= 0, cm_v4l2_enuminput(camera, UInt32(current), &raw) >= 0 else { return false }
        return raw.capabilities & (takesTimings | takesStandards) != 0
    }

    /// Asks an open node.
    ///
    /// - Parameters:
    ///   - camera: descriptor.
    ///   - reading: gets the first call that fails.
    static func read(_ camera: Int32, noting reading: inout FormatQueryResult) -> [VideoInput] {
        let current = cm_v4l2_g_input(camera)
        if current < 0, ![EINVAL, ENOTTY, ENODATA].contains(0 &- current) { reading.note("VIDIOC_G_INPUT", current) }
        var inputs: [VideoInput] = []
        var raw = cm_v4l2_input()
        // A driver that never ends its list would hang the scan.
        while inputs.count < 64 {
            let result = cm_v4l2_enuminput(camera, UInt32(inputs.count), &raw)
            guard result >= 0 else {
                if ![EINVAL, ENOTTY, ENODATA].contains(0 &- result) { reading.note("VIDIOC_ENUMINPUT", result) }
                break
            }
            inputs.append(CameraInputs(camera: camera).input(raw, isCurrent: inputs.count == current))
        }
        return inputs
    }

    /// Input with its signal. The inputs are not switched: another process may be capturing from the selected one.
    private func input(_ raw: cm_v4l2_input, isCurrent: Bool) -> VideoInput {
        let name = withUnsafeBytes(of: raw.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        var signal = SignalState(status: raw.status)
        var timings = cm_v4l2_timings()
        var found: VideoTimings?
        let takesTimings = raw.capabilities & Self.takesTimings != 0
        let isDigital = isCurrent && takesTimings
        let powerBit = takesTimings ? CameraInput.powerBit(of: raw.index, camera) : 0
        // Receivers of HDMI detect power apart from a signal: a source that sleeps is connected, but off.
        if signal == .present, SignalState.isPowerless(camera, powerBit) { signal = .noPower }
        if isDigital {
            let result = cm_v4l2_query_dv_timings(camera, &timings)
            if result >= 0 { found = VideoTimings(SignalTimings(timings)) }
            signal = SignalState(query: result) ?? signal
        }
        return VideoInput(
            index: Int(raw.index), name: name, isCurrent: isCurrent, signal: signal,
            standards: VideoStandard.parts(of: raw.standards), timings: found, takes: isDigital ? takes() : [])
    }

    /// V4L2_IN_CAP_DV_TIMINGS
    private static let takesTimings: UInt32 = 2
    /// V4L2_IN_CAP_STD.
    private static let takesStandards: UInt32 = 4

    /// Supported timings of the selected input; V4L2 lists those of no other.
    private func takes() -> [VideoTimings] {
        var list: [VideoTimings] = []
        var timings = cm_v4l2_timings()
        while list.count < 512, cm_v4l2_enum_dv_timings(camera, UInt32(list.count), &timings) >= 0 {
            list.append(VideoTimings(SignalTimings(timings)))
        }
        return list
    }
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
                + (isEmpty ? "it has none to choose." : "there are \(all)."),
            remedies: [Remedy("Name one of these.", .listFormats(device: device.id.rawValue))])
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
        case .noPower: "has no signal: nothing that is switched on is connected"
        case .noSignal: "has no signal"
        case .noLock: "has a signal that it can't lock on to"
        case .outOfRange: "has a signal out of its range"
        }
    }

    /// Error where there are no true frames, or will be none.
    ///
    /// - Parameters:
    ///   - device: named in the text.
    ///   - kind: `.unavailable`, or `.notAsAsked` where a signal was asked for strictly.
    package func error(_ device: DeviceDescription, _ kind: CaptureError.Kind = .unavailable) -> CaptureError {
        if self == .covered { return .privacyShutter(closedOn: device) }
        return CaptureError(
            kind, "\(QuestionText.visible(device.name)) [\(device.id)] \(phrase).",
            remedies: [
                Remedy("Look at the cable and at what sends."),
                Remedy("Or choose another input with --input.", .listDevices),
            ])
    }
}
