import ArgumentParser
import CaptureGate

/// `capturegate controls`: lists, reads and sets what can be set on a device.
struct ControlsCommand: AsyncParsableCommand, SignalHandlingCommand {
    static let configuration = CommandConfiguration(
        commandName: "controls",
        abstract: "List, read and set controls of a device.",
        discussion: """
            Without a NAME, lists all controls with their ranges. NAME reads a control, and NAME=VALUE sets it.

              capturegate controls C920
              capturegate controls C920 brightness
              capturegate controls C920 auto_exposure=manual exposure_time_absolute=200
              capturegate controls C920 zoom_absolute=50% --strict
              capturegate controls Podcast mic_capture_volume=-6dB
              capturegate controls C920 --reset

            VALUE is a number, on, off, an item of a menu, a percentage of the range, or a volume in decibels. All names and \
            values are checked before the first one is set. Controls are set in the order in which you write them. \
            The option --reset also resets controls that an automatic mode sets.

            The command opens the device, so it needs permission: 'still' for a camera, 'meter' for a microphone. It uses up a \
            permission for one capture. It captures nothing, and works while another program captures.
            """
    ).parsedAlone

    @Argument(
        help: ArgumentHelp("Device: id, node or part of its name.", valueName: "device"),
        completion: DeviceCompletion.any)
    var device: String

    /// All words after the device; `NAME=VALUE` has no dashes,
    /// as in v4l2-ctl and amixer, and can't clash with options.
    @Argument(help: ArgumentHelp("Control to read, or to set to a value.", valueName: "name[=value]"))
    var words: [String] = []

    @Flag(help: "Reset the controls that you name, or all of them.")
    var reset = false

    /// Off by default: a device that rounds 49 % to 50 % has done what it can.
    @Flag(help: "Fail with exit code 78 if the device changes a value.")
    var strict = false

    @OptionGroup var json: JSONOption

    /// Runs the operation, writes the result, then reports what is not as asked.
    func run() async throws {
        let requests = try words.map { word throws(CaptureError) in try ControlRequest(word, isReset: reset) }
        let device = try ControlTarget.pick(device, from: DeviceCatalog.scan(.identity))
        let operation = ControlOperation(device: device, requests: requests, isReset: reset)
        let outcome = try await ControlJob(operation: operation).run()
        let report = ControlReport(device: device, outcome: outcome, isListing: requests.isEmpty && !reset)
        if json.isOn {
            try StandardStream.output.line(report.json.text)
        } else {
            try StandardStream.output.lines(report.lines(TextStyle(for: .output)))
        }
        // After the output: the values are true whatever the exit code says.
        if let error = report.incompleteness { throw error }
        if strict, let error = report.deviation { throw error }
    }
}

/// Choice of the device whose controls are meant, among cameras and microphones.
enum ControlTarget {
    /// Device that the text fits.
    ///
    /// - Throws: `.usage` for `default`, which names two devices; `.noDevice` if none fits, or one of
    ///   each.
    static func pick(_ text: String, from devices: [Device]) throws(CaptureError) -> Device {
        guard text != "default" else {
            throw CaptureError(
                .usage, "The default camera and the default microphone are different devices.",
                remedies: [
                    Remedy(
                        "Name one of them.",
                        command: "capturegate controls \"$(capturegate devices --default camera)\"")
                ])
        }
        let query = DeviceQuery(text)
        let camera = fitting(query, .camera, devices)
        let microphone = fitting(query, .microphone, devices)
        // A webcam and its microphone often share a name; a guess might set the wrong one.
        if case .success(let camera) = camera, case .success(let microphone) = microphone {
            throw CaptureError(
                .noDevice, "\"\(text.visible)\" matches a camera and a microphone: \(camera.id), \(microphone.id).",
                remedies: [Remedy("Name one of them by its id.", .listDevices)])
        }
        if case .success(let device) = camera { return device }
        if case .success(let device) = microphone { return device }
        throw absent(text, devices, camera)
    }

    /// Device of one capability that fits, or the reason why none does.
    private static func fitting(
        _ query: DeviceQuery, _ capability: CapabilityName, _ devices: [Device]
    ) -> Result<Device, CaptureError> {
        Result { () throws(CaptureError) in try query.pick(from: devices, capability) }
    }

    /// Error if nothing fits.
    private static func absent(
        _ text: String, _ devices: [Device], _ camera: Result<Device, CaptureError>
    ) -> CaptureError {
        // Several cameras fit: the query's own sentence names them and so says more.
        if case .failure(let error) = camera, error.message.contains("\" matches ") { return error }
        let ids = devices.map(\.id.rawValue).joined(separator: ", ")
        return CaptureError(
            .noDevice, "No camera or microphone matches \"\(text.visible)\".",
            remedies: [Remedy("Choose one of: \(ids).", .listDevices)])
    }
}

/// Word of the command line: `NAME` or `NAME=VALUE`.
struct ControlRequest: Sendable {
    let name: String
    /// Text after the first equals sign, unchanged: its meaning depends on the control's kind.
    let value: String?

    /// Splits a word.
    ///
    /// - Parameters:
    ///   - word: as it was typed.
    ///   - isReset: true if defaults are requested, which a value would contradict.
    /// - Throws: `.usage`.
    init(_ word: String, isReset: Bool) throws(CaptureError) {
        // Once, and with empty parts: `NAME=` sets a text control to the empty text, and a value may contain
        // `=`.
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        name = String(parts[0])
        value = parts.count == 2 ? String(parts[1]) : nil
        // Catches `=5` before the device is opened.
        guard name.contains(where: { $0.isLetter }) else {
            throw CaptureError(
                .usage, "\"\(word.visible)\" is neither NAME nor NAME=VALUE.",
                remedies: [Remedy("See 'capturegate help controls'.")])
        }
        if isReset, value != nil {
            throw CaptureError(
                .usage, "--reset sets \(name.visible) to its default, so it can't take a value.",
                remedies: [Remedy("Remove the value or --reset.")])
        }
    }
}

/// Controls of a device, for people and for programs.
struct ControlReport {
    let device: Device
    private let results: [ControlResult]
    private let failures: [ControlReset.Failure]
    /// True if all controls were asked for, with their ranges.
    let isListing: Bool

    init(device: Device, outcome: ControlOutcome, isListing: Bool) {
        self.device = device
        results = outcome.results
        failures = outcome.failures
        self.isListing = isListing
    }

    /// Table with ranges and menu items if all were requested; otherwise one line per control.
    func lines(_ style: TextStyle) -> [String] {
        guard isListing else { return results.map(line) }
        guard !results.isEmpty else { return ["\(titled) has no controls."] }
        // Laid out before the items are put between: they must not widen the columns.
        let rows = Table(rows: results.map { Self.row($0.control) }).lines
        let title = style.bold(titled)
        return [title] + zip(results, rows).flatMap { [$1] + Self.items($0.control, style) }
    }

    /// Controls for programs, one shape for listing, reading and setting.
    var json: JSONValue {
        ["device": .string(device.id.rawValue), "controls": .array(results.map(\.json))]
    }

    /// Error about controls that did not take their defaults; `nil` if all did.
    var incompleteness: CaptureError? {
        guard let first = failures.first else { return nil }
        // All are named, with the kind of the first: causes of a reset are mostly one and the same.
        let names = failures.map(\.control.name).joined(separator: ", ")
        return CaptureError(
            first.error.kind, "\(titled) could not be reset completely: \(names).",
            errno: first.error.errno, underlying: failures.map(\.error))
    }

    /// Error of `--strict` about controls that took another value; `nil` if all are as asked.
    var deviation: CaptureError? {
        let others = results.filter { !$0.isAsAsked }
        guard !others.isEmpty else { return nil }
        // Drivers clamp and round silently (V4L2's VIDIOC_S_CTRL may), so what was set is compared with what
        // was read back.
        let sentences = others.map { "\($0.control.name) is \($0.control.shown) instead of \($0.asked?.text ?? "")" }
        return CaptureError(
            .notAsAsked,
            "\(titled) took other values: \(sentences.joined(separator: "; ")).",
            remedies: [Remedy("Remove --strict to accept these values.")])
    }

    /// Name and id of the device.
    private var titled: String { "\(device.name.visible) [\(device.id.rawValue.visible)]" }

    /// Line about one control, with the requested value if the device took another.
    private func line(_ result: ControlResult) -> String {
        let asked = result.isAsAsked ? "" : " (\((result.asked?.text ?? "").visible) asked)"
        return "\(result.control.name): \(result.control.shown)\(asked)"
    }

    /// Cells of a control's row: name, kind, value, and what may be set.
    private static func row(_ control: DeviceControl) -> [String] {
        // A menu's range is its items, which follow below.
        let isMenu = control.kind == .menu || control.kind == .integerMenu
        let range = isMenu ? "" : control.rangeDescription
        let standard = control.defaultValue.map { "default \($0)" } ?? ""
        let notes = control.flags.words.joined(separator: ", ")
        let rest = [range, standard, notes].filter { !$0.isEmpty }.joined(separator: "; ")
        return ["  " + control.name, control.kind.rawValue, control.shown, rest]
    }

    /// Lines of a menu's items; the current one is marked.
    private static func items(_ control: DeviceControl, _ style: TextStyle) -> [String] {
        control.items.map { item in
            let line = "      \(item.number): \(item.name.visible)"
            return control.value == .integer(item.number) ? line : style.faint(line)
        }
    }
}

extension DeviceControl {
    /// Value as a person reads it.
    var shown: String {
        switch value {
        case nil: return kind == .button ? "button" : "-"
        case .text(let text): return "'\(text.visible)'"
        case .decibels(let level): return "\(level)dB"
        // Bit masks are read as hexadecimal, as v4l2-ctl shows them.
        case .integer(let number) where kind == .bitmask: return "0x\(String(UInt64(bitPattern: number), radix: 16))"
        case .integer(let number): return "\(number)\(meaning(number))"
        }
    }

    /// Meaning of a number, to be shown after it: a menu's item, on or off, decibels.
    private func meaning(_ number: Int64) -> String {
        if kind == .boolean { return number == 0 ? " (off)" : " (on)" }
        if let item = items.first(where: { $0.number == number }) { return " (\(item.name.visible))" }
        // A control with a range in decibels but no value at this number is muted.
        guard let decibels else { return "" }
        return decibels.value.map { " (\(NumberText.fixed($0, 2))dB)" } ?? " (silence)"
    }
}

extension ControlResult {
    /// Control for programs; "asked" and "as_asked" only if it was set.
    var json: JSONValue {
        var members = control.members
        if let asked { members += [("asked", asked.json), ("as_asked", .bool(isAsAsked))] }
        return .object(members)
    }
}

extension DeviceControl {
    /// Members of every control. Names and flags are V4L2's and ALSA's in lower case; "items" is empty for
    /// all but menus.
    fileprivate var members: [(String, JSONValue)] {
        [
            ("name", .string(name)), ("label", .string(label)), ("kind", .string(kind.rawValue)), ("id", .count(id)),
            ("value", value?.json ?? .null), ("minimum", .integer(range.lowerBound)),
            ("maximum", .integer(range.upperBound)), ("step", .integer(step)),
            ("default", defaultValue.map { .integer($0) } ?? .null), ("flags", .strings(flags.words)),
            ("items", .array(items.map { ["number": .integer($0.number), "name": .string($0.name)] })),
            ("decibels", decibels?.json ?? .null), ("automatic", automatic?.json ?? .null),
        ]
    }
}

extension ControlValue {
    /// Value in its own JSON type, so that a reader need not parse numbers.
    fileprivate var json: JSONValue {
        switch self {
        case .integer(let number): .integer(number)
        case .text(let text): .string(text)
        case .decibels(let level): .rounded(level, 2)
        }
    }
}

extension ControlDecibels {
    /// Range and value in decibels; ALSA gives hundredths, so two digits are exact.
    fileprivate var json: JSONValue {
        [
            "minimum": .rounded(range.lowerBound, 2), "maximum": .rounded(range.upperBound, 2),
            "value": value.map { .rounded($0, 2) } ?? .null,
        ]
    }
}

extension AutomaticControl {
    /// Control that overrides this one while it is on automatic, and its value for manual.
    fileprivate var json: JSONValue { ["control": .string(name), "manual": manual.json] }
}
