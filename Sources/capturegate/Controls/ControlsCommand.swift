import ArgumentParser
import CaptureGate

/// `capturegate controls`: lists, reads and sets what can be set on a device.
struct ControlsCommand: AsyncParsableCommand, SignalHandlingCommand {
    static let configuration = CommandConfiguration(
        commandName: "controls",
        abstract: "List, read and set what can be set on a camera or a microphone.",
        discussion: """
            DEVICE is an id, or a part of a name that only one device has. Without a NAME all controls are listed with \
            their ranges; NAME reads one, NAME=VALUE sets it and reads it back. A VALUE is a number, on or off, an item \
            of a menu by its number or name, a percentage of the range, or decibels of a volume. Names and values are \
            all checked before the first one is set; they are set in the order they are written in.

            It opens the device, so it is asked for as a capture is: 'still' of a camera and 'meter' of a microphone are \
            enough, a grant for once is used up, and the audit log tells of it. It captures nothing, and works while \
            something else captures.

              capturegate controls C920
              capturegate controls C920 brightness
              capturegate controls C920 auto_exposure=manual exposure_time_absolute=200
              capturegate controls C920 zoom_absolute=50% --strict
              capturegate controls Podcast mic_capture_volume=-6dB
              capturegate controls C920 --reset
            """)

    @Argument(
        help: ArgumentHelp("An id, or a part of a name.", valueName: "device"), completion: DeviceCompletion.any)
    var device: String

    /// All words behind the device; `NAME=VALUE` has no dashes, as in v4l2-ctl and amixer, and can't clash
    /// with options.
    @Argument(help: ArgumentHelp("What to read, or to set.", valueName: "name[=value]"))
    var words: [String] = []

    @Flag(
        help: """
            Set the named controls to their defaults, or all where none is named; those that an automatic holds, too.
            """)
    var reset = false

    /// Off by default: a device that rounds 49 % to 50 % has done what it can.
    @Flag(help: "Exit with 78 where a device took another value than it was given.")
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
    /// - Throws: `.usage` for `default`, which names two devices; `.noDevice` where none fits, or one of
    ///   each.
    static func pick(_ text: String, from devices: [Device]) throws(CaptureError) -> Device {
        guard text != "default" else {
            throw CaptureError(
                .usage, "The default camera and the default microphone are two devices.",
                remedies: [
                    Remedy(
                        "Name the one you mean.",
                        command: "capturegate controls \"$(capturegate devices --default camera)\"")
                ])
        }
        let query = DeviceQuery(text)
        let camera = fitting(query, .camera, devices)
        let microphone = fitting(query, .microphone, devices)
        // A webcam and its microphone often share a name; a guess might set the wrong one.
        if case .success(let camera) = camera, case .success(let microphone) = microphone {
            throw CaptureError(
                .noDevice, "\"\(text.visible)\" fits a camera and a microphone: \(camera.id), \(microphone.id).",
                remedies: [Remedy("Name the one you mean by its id.", command: "capturegate devices")])
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

    /// Error where nothing fits.
    private static func absent(
        _ text: String, _ devices: [Device], _ camera: Result<Device, CaptureError>
    ) -> CaptureError {
        // Several cameras fit: the query's own sentence names them and so says more.
        if case .failure(let error) = camera, error.message.contains("fits") { return error }
        let ids = devices.map(\.id.rawValue).joined(separator: ", ")
        return CaptureError(
            .noDevice, "There is no camera and no microphone \"\(text.visible)\".",
            remedies: [Remedy("Choose one of: \(ids).", command: "capturegate devices")])
    }
}

/// Word of the command line: `NAME` or `NAME=VALUE`.
struct ControlRequest: Sendable {
    let name: String
    /// Text behind the first equals sign, as it was written: what it means depends on the control's kind.
    let value: String?

    /// Splits a word.
    ///
    /// - Parameters:
    ///   - word: as it was written.
    ///   - isReset: true if defaults are asked for, which a value would contradict.
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
                .usage, "--reset sets \(name.visible) to its default, and a value is given as well.",
                remedies: [Remedy("Leave out the one or the other.")])
        }
    }
}
