import ArgumentParser
import CaptureGate
import Synchronization

/// `capturegate devices`
struct DevicesCommand: AsyncParsableCommand, SignalHandlingCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List microphones and cameras, and watch them come and go.",
        discussion: """
            An id outlives replugging and renumbering; grants and `record` take it, or a part of the name that only one \
            device has. test:bars and test:tone are built in and show no real picture and no real sound. Formats are \
            asked of idle devices alone; nothing is captured. A capture card whose input has no signal is told so, and \
            --json lists its inputs. Where a device does not answer, the others are listed all \
            the same; standard error says what went wrong and what to do, and so does "faults" with --json.

              capturegate devices
              capturegate devices --capability camera --json
              capturegate devices --watch
              camera=$(capturegate devices --default camera)
              capturegate record clip.mkv --camera "$camera" --for 5s
            """)

    @OptionGroup var json: JSONOption

    @Flag(help: "Go on and tell what comes, goes and changes, until Ctrl-C.")
    var watch = false

    @Option(help: "Only microphones, or only cameras.")
    var capability: CapabilityName?

    @Option(
        name: .customLong("default"),
        help: "Print just the id of the machine's choice of microphone or camera; exit code 66 if there is none.")
    var choice: CapabilityName?

    func validate() throws {
        if choice != nil, watch || capability != nil {
            throw ValidationError("--default stands alone, without --watch and --capability.")
        }
    }

    func run() async throws {
        if let choice { return try tell(choice) }
        if watch { return try await follow() }
        SignalDispatcher.current?.useDefaultActions()
        let inventory = DeviceCatalog.inventory(.formats, of: capability)
        let listing = DeviceListing(inventory: inventory, capability: capability)
        if json.isOn {
            try StandardStream.output.line(listing.json.text)
        } else {
            try StandardStream.output.lines(listing.lines(TextStyle(for: .output)))
        }
        // What is there is listed all the same, so this is no failure.
        let stream = StandardStream.error
        for fault in inventory.faults {
            stream.note(ErrorReport(error: fault.error).lines(TextStyle(for: stream)).joined(separator: "\n"))
        }
    }

    private func tell(_ capability: CapabilityName) throws {
        let device = try DeviceQuery.default.pick(from: DeviceCatalog.scan(.identity, of: capability), capability)
        let document: JSONValue = ["default": .string(device.id.rawValue)]
        try StandardStream.output.line(json.isOn ? document.text : device.id.rawValue)
    }

    private func follow() async throws {
        let (json, capability) = (json.isOn, capability)
        let task = Task { try await DeviceEvents(json: json, capability: capability).tellAll() }
        let signals = SignalSubscription { _ in task.cancel() }
        defer { withExtendedLifetime(signals) {} }
        try await task.value
    }
}
