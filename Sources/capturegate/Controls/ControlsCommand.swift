import ArgumentParser
import CaptureGate

/// `capturegate controls`
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

    @Argument(help: ArgumentHelp("What to read, or to set.", valueName: "name[=value]"))
    var words: [String] = []

    @Flag(
        help: """
            Set the named controls to their defaults, or all where none is named; those that an automatic holds, too.
            """)
    var reset = false

    @Flag(help: "Exit with 78 where a device took another value than it was given.")
    var strict = false

    @OptionGroup var json: JSONOption

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
        if let error = report.incompleteness { throw error }
        if strict, let error = report.deviation { throw error }
    }
}
