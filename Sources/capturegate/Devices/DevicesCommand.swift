import ArgumentParser
import CaptureGate
import Synchronization

/// `capturegate devices`: lists devices, watches them, or prints the default one.
struct DevicesCommand: AsyncParsableCommand, SignalHandlingCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List microphones and cameras.",
        discussion: """
            Lists ids, names and formats. Captures nothing.

              capturegate devices
              capturegate devices /dev/video0
              capturegate devices --capability camera --json
              capturegate devices --watch
              camera=$(capturegate devices --default camera)
              capturegate record clip.mkv --camera "$camera" --for 5s

            All commands accept a device by its id, its node (/dev/video0), a link to the node, its ALSA name (hw:1,0), or a part \
            of its name. Ids stay the same when you replug a device. The devices test:bars and test:tone are built in. Microphones, \
            cameras and monitors of PipeWire have ids that begin with pipewire:.

            Formats are shown for idle devices. A capture card without a signal is marked, and --json lists its inputs. If a \
            device does not answer, the others are listed, and standard error says what to do. With --json, "faults" says it, too.
            """
    ).parsedAlone

    @Argument(
        help: ArgumentHelp("Device to show with all its modes.", valueName: "device"), completion: DeviceCompletion.any)
    var name: String?

    @OptionGroup var json: JSONOption

    @Flag(help: "Report changes until Ctrl-C.")
    var watch = false

    @Option(help: ArgumentHelp("Kind of device to list (default: both).", valueName: "kind"))
    var capability: CapabilityName?

    /// Prints an id alone, ready for `$(…)`: scripts should not parse a listing for people.
    @Option(
        name: .customLong("default"),
        help: ArgumentHelp(
            "Print only the id of the default device.",
            discussion: "If the machine has no such device, the exit code is 66.", valueName: "kind"))
    var choice: CapabilityName?

    /// Refuses options that `--default` would leave without effect.
    func validate() throws {
        if choice != nil, watch || capability != nil || name != nil {
            throw ValidationError("--default can't be combined with a device, --watch or --capability.")
        }
        if name != nil, watch {
            throw ValidationError("--watch reports all devices. Remove the device.")
        }
    }

    /// Runs the mode that the options choose.
    func run() async throws {
        if let choice { return try tell(choice) }
        if watch { return try await follow() }
        // A listing leaves nothing to close, so a signal may end it at once.
        SignalDispatcher.current?.useDefaultActions()
        let inventory = DeviceCatalog.inventory(.formats, of: capability)
        var listing = DeviceListing(inventory, capability: capability)
        if let name { try listing.keep(named: name) }
        if json.isOn {
            try StandardStream.output.line(listing.json.text)
        } else {
            let style = TextStyle(for: .output)
            try StandardStream.output.lines(name == nil ? listing.lines(style) : listing.details(style))
        }
        // Faults are warnings here: what could be found is listed, and the exit code is 0.
        let stream = StandardStream.error
        for fault in listing.faults {
            stream.note(ErrorReport(error: fault.error).lines(TextStyle(for: stream)).joined(separator: "\n"))
        }
    }

    /// Writes the id of the default device. The reason for the choice is the library's: the same that
    /// `record` would use.
    private func tell(_ capability: CapabilityName) throws {
        let device = try DeviceQuery.default.pick(from: DeviceCatalog.scan(.identity, of: capability), capability)
        let document: JSONValue = ["default": .string(device.id.rawValue)]
        try StandardStream.output.line(json.isOn ? document.text : device.id.rawValue)
    }

    /// Writes changes until a signal arrives, which is a success: the person has seen enough.
    private func follow() async throws {
        // Copied out: the task needs no more of the command.
        let (json, capability) = (json.isOn, capability)
        let task = Task { try await DeviceEvents(json: json, capability: capability).tellAll() }
        let signals = SignalSubscription { _ in task.cancel() }
        defer { withExtendedLifetime(signals) {} }
        try await task.value
    }
}

/// Devices of the machine, for people and for programs.
struct DeviceListing {
    private(set) var devices: [Device]
    private(set) var faults: [DeviceInventory.Fault]
    /// Only capability that is wanted; `nil` for both.
    let capability: CapabilityName?

    init(_ inventory: DeviceInventory, capability: CapabilityName?) {
        (devices, faults, self.capability) = (inventory.devices, inventory.faults, capability)
    }

    /// Keeps only the devices that a word means. There can be two: a
    /// webcam's camera and its microphone often have the same name.
    ///
    /// - Throws: `.noDevice` if it means none, or several of one kind.
    mutating func keep(named name: String) throws(CaptureError) {
        let kinds = capability.map { [$0] } ?? [.camera, .microphone]
        var (kept, errors): ([Device], [CaptureError]) = ([], [])
        for kind in kinds {
            do throws(CaptureError) { kept.append(try DeviceQuery(name).pick(from: devices, kind)) } catch {
                errors.append(error)
            }
        }
        guard !kept.isEmpty else {
            throw CaptureError(
                .noDevice, errors.map(\.message).joined(separator: " "),
                remedies: [Remedy("List the devices.", .listDevices)])
        }
        devices = kept
        faults.removeAll { fault in !kept.contains { $0.id == fault.device } }
    }

    /// All about each device.
    func details(_ style: TextStyle) -> [String] {
        devices.enumerated().flatMap { $0 == 0 ? $1.details(style) : [""] + $1.details(style) }
    }

    /// Listing by capability, with a remark below each list and notes at the end.
    func lines(_ style: TextStyle) -> [String] {
        var lines: [String] = []
        for capability in [CapabilityName.camera, .microphone] where self.capability ?? capability == capability {
            let listed = devices.filter { $0.capability == capability }
            lines += (lines.isEmpty ? [] : [""]) + [style.bold(capability == .camera ? "Cameras" : "Microphones")]
            lines += Table(rows: listed.map(row)).lines.map { "  " + $0 }
            if let remark = remark(on: capability) { lines.append("  " + remark) }
        }
        // Two devices of one name: without the note a person would wonder which id is which.
        let notes = devices.compactMap { device in
            device.ambiguity.map { "\(device.id.rawValue.visible): \($0.visible)" }
        }
        return lines + (notes.isEmpty ? [] : [""] + notes.map { "Note: \($0)." })
    }

    /// Remark below a list that has no real device, or that may lack some.
    private func remark(on capability: CapabilityName) -> String? {
        // A fault without a device means that the search itself failed.
        if faults.contains(where: { $0.capability == capability && $0.device == nil }) {
            return "Some devices could not be read, so there may be more."
        }
        let hasReal = devices.contains { $0.capability == capability && !$0.isBuiltIn }
        return hasReal ? nil : "This machine has no real \(capability)."
    }

    /// Listing for programs. It contains "default" only for a single capability, since each has its own.
    var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("devices", .array(devices.map(\.json))),
            ("faults", .array(faults.map(\.json))),
        ]
        if let capability {
            // A missing default is a result here, not an error: the member is null.
            let choice = try? DeviceQuery.default.pick(from: devices, capability)
            members.append(("default", .optional(choice?.id.rawValue)))
        }
        return .object(members)
    }

    /// Cells of a device's row.
    private func row(_ device: Device) -> [String] {
        // Formats may be known in part: what could be read is shown with the remark.
        let isFaulty = faults.contains { $0.device == device.id }
        let formats =
            switch device.formats {
            case .unknown where isFaulty: "formats could not be read"
            case _ where isFaulty: device.formats.phrase + "; some formats could not be read"
            default: device.formats.phrase
            }
        let said = device.signalPhrase.map { "\($0); \(formats)" } ?? formats
        return [
            device.id.rawValue.visible, device.systemName.visible, device.name.visible, device.availability.phrase,
            said,
        ]
    }
}

extension DeviceInventory.Fault {
    /// Fault for programs; "id" names the device whose formats could not be read, and is null if devices
    /// may be missing.
    fileprivate var json: JSONValue {
        [
            "capability": .string(capability.rawValue), "id": .optional(device?.rawValue),
            "error": ErrorReport(error: error).json,
        ]
    }
}

/// Hot-plug events, one line each.
struct DeviceEvents {
    let json: Bool
    /// Only capability that is wanted; `nil` for both.
    let capability: CapabilityName?

    /// Writes events until the task is cancelled.
    ///
    /// - Throws: `.unavailable` if udev events are not available; an error of writing standard output.
    func tellAll() async throws {
        // Devices that are present at the start have the time of the first scan, so all later times are changes.
        var beginning: Duration?
        for await event in DeviceMonitor() {
            let begin = beginning ?? event.noticed
            beginning = begin
            let line = Entry(event, isInitial: event.noticed == begin)
            guard capability == nil || line.device.capability == capability else { continue }
            try StandardStream.output.line(json ? line.json.text : line.text)
        }
        // The sequence has ended by itself, so nothing would ever come.
        if !Task.isCancelled { throw Self.silent }
    }

    /// Error for a machine, often a sandbox, without udev events.
    private static var silent: CaptureError {
        CaptureError(
            .unavailable, "New and removed devices can't be reported: udev is not available.",
            remedies: [
                Remedy(
                    "In a sandbox, allow netlink sockets. Otherwise list the devices again from time to time.",
                    .listDevices)
            ])
    }

    /// One change of one device.
    private struct Entry {
        /// Verb as udev has it: add, remove, change.
        let word: String
        let device: Device
        /// CLOCK_MONOTONIC, so that a change can be set beside a clip's timestamps.
        let nanoseconds: Int64
        /// True if the device was there when the watch began.
        let isInitial: Bool

        init(_ event: DeviceMonitor.Event, isInitial: Bool) {
            (word, device) =
                switch event.change {
                case .added(let device): ("add", device)
                case .removed(let device): ("remove", device)
                case .changed(let device): ("change", device)
                }
            nanoseconds = event.noticed.exactNanoseconds
            self.isInitial = isInitial
        }

        /// Change for programs.
        var json: JSONValue {
            [
                "event": .string(word), "id": .string(device.id.rawValue), "name": .string(device.name),
                "capability": .string(device.capability.rawValue), "available": .bool(device.availability.isAvailable),
                "nodes": .strings(device.nodes), "at_ns": .integer(nanoseconds), "initial": .bool(isInitial),
            ]
        }

        /// Change for people; an initial device is "present", since nothing was added.
        var text: String {
            let word = isInitial ? "present" : word
            // A device that is gone has no state.
            let state = self.word == "remove" ? "" : "  (\(device.availability.phrase))"
            return
                "\(word.padded(to: 7))  \(device.capability.rawValue.padded(to: 10))  \(device.id.rawValue.visible)  "
                + device.name.visible + state
        }
    }
}
