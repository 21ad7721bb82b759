#if PipeWire
    import ArgumentParser
    import CaptureGate
    import GatePipeWire
    import GateStore
    import GateSupervisor
    import LinuxSystem

    /// `capturegate pipewire`: offers cameras and microphones to PipeWire's programs, with the gate's permission.
    struct PipeWireCommand: AsyncParsableCommand, SignalHandlingCommand {
        static let configuration = CommandConfiguration(
            commandName: "pipewire",
            abstract: "Give programs of PipeWire the devices that you allow.",
            discussion: """
                Browsers and conference programs get their devices from PipeWire. This command asks you for each program. It \
                runs until Ctrl-C, and normally starts with the session.

                  capturegate pipewire
                  capturegate pipewire --camera none --microphone Podcast
                  systemctl --user enable --now capturegate-pipewire

                Each program sees a separate node for each device. The capture starts when the program uses the node, if it has \
                permission or you allow it. No other program gets data from that node. When the permission ends, the node falls \
                silent and disappears.

                On a machine with a broker, PipeWire has no other devices than these.

                With --json, each event is a line on standard output.
                """
        ).parsedAlone

        @Option(
            help: ArgumentHelp(
                "Camera to offer (default: all). Repeat for several.", discussion: "The value none offers no camera.",
                valueName: "id"), completion: DeviceCompletion.camera(or: ["none"]))
        var camera: [String] = []

        @Option(
            help: ArgumentHelp(
                "Microphone to offer (default: all). Repeat for several.",
                discussion: "The value none offers no microphone.", valueName: "id"),
            completion: DeviceCompletion.microphone(or: ["none"]))
        var microphone: [String] = []

        @OptionGroup var json: JSONOption

        /// Serves until a signal arrives, which is a success.
        func run() async throws {
            let listing = DeviceCatalog.scan(.identity)
            let cameras = try OfferedChoice(camera, .camera, listing)
            let microphones = try OfferedChoice(microphone, .microphone, listing)
            let isJSON = json.isOn
            // If nobody reads the events, it continues to serve.
            let tell: @Sendable (PipeWireGate.Event) -> Void = { try? Self.tell($0, isJSON) }
            let gate = PipeWireGate(gatekeeper: try Self.gatekeepers(), onEvent: tell)
            let devices = OfferedDevices.changes(
                choosing: { listing in listing.filter { cameras.has($0) || microphones.has($0) } },
                onFailure: { tell(.failed($0)) })
            let task = Task { try await gate.run(offering: devices) }
            let signals = SignalSubscription { _ in task.cancel() }
            defer { withExtendedLifetime(signals) {} }
            try await task.value
        }

        /// Makes a gate for each program. With a broker, the broker decides about that program. Otherwise this user's decisions
        /// apply. The programs could write to this user's store, so a permission that was stored after the start counts only if it
        /// was given here.
        private static func gatekeepers() throws(CaptureError)
            -> @Sendable (Subject, Int32) throws(CaptureError) -> Gatekeeper
        {
            if BrokerLink.machine != nil { return brokered }
            let user = try UserStore.open()
            let store = try SupervisedStore(user) { StandardStream.error.note("capturegate: \($0.visible)") }
            return { subject, _ throws(CaptureError) in
                Gatekeeper.supervising(subject, store: store, promptLock: StorePromptLock(of: user))
            }
        }

        private static let brokered: @Sendable (Subject, Int32) throws(CaptureError) -> Gatekeeper = {
            subject, process throws(CaptureError) in
            guard let handle = try? ProcessHandle(process: process) else { throw .otherProgram(process) }
            let link = BrokerLink(for: handle, of: BrokerLink.machineUser)
            // The broker identified the program, too. Both must have found the same one.
            guard try link.subject() == subject else { throw .otherProgram(process) }
            return Gatekeeper.system(by: link, prompter: PrompterChain.system)
        }

        private static func tell(_ event: PipeWireGate.Event, _ json: Bool) throws {
            if json { return try StandardStream.output.line(event.json.text) }
            if let line = event.line { StandardStream.error.note(line.visible) }
        }
    }

    /// Devices of one kind that are offered.
    struct OfferedChoice {
        /// `nil` for all real devices.
        private let ids: Set<DeviceID>?
        private let capability: CapabilityName

        /// Reads an option.
        ///
        /// - Parameters:
        ///   - said: ids, parts of names, or `none`; empty for all.
        ///   - capability: kind of device.
        ///   - listing: the machine's devices, which must include each named one.
        init(_ said: [String], _ capability: CapabilityName, _ listing: [Device]) throws(CaptureError) {
            self.capability = capability
            guard !said.isEmpty else {
                ids = nil
                return
            }
            guard said != ["none"] else {
                ids = []
                return
            }
            var ids: Set<DeviceID> = []
            for text in said {
                let device = try DeviceQuery(text).pick(from: listing, capability)
                guard device.provided == nil else { throw .isPipeWires(device) }
                ids.insert(device.id)
            }
            self.ids = ids
        }

        func has(_ device: Device) -> Bool {
            guard device.capability == capability else { return false }
            return ids?.contains(device.id) ?? !device.isBuiltIn
        }
    }

    extension CaptureError {
        /// Error for a request to offer a PipeWire node to PipeWire.
        fileprivate static func isPipeWires(_ device: Device) -> CaptureError {
            CaptureError(
                .usage, "\(device.id) is a PipeWire node already.",
                remedies: [Remedy("Offer a hardware device or a test device.", .listDevices)])
        }

        /// Error for a process id that now belongs to another program.
        fileprivate static func otherProgram(_ process: Int32) -> CaptureError {
            CaptureError(.notAuthorized, "Process \(process) has ended, or runs another program now.")
        }
    }

    extension PipeWireGate.Event {
        /// Event for people; `nil` for frequent events.
        fileprivate var line: String? {
            switch self {
            case .connected: "Offers devices to PipeWire's programs, until Ctrl-C."
            case .offered, .withdrawn: nil
            case .began(let subject, let device): "\(subject.executable.path) started to use \(device.name)."
            case .ended(let subject, let device, nil): "\(subject.executable.path) stopped using \(device.name)."
            case .ended(let subject, let device, let error?):
                "\(subject.executable.path) can't use \(device.name) any more: \(error.message)"
            case .unknown(let process, let error): "Note: Process \(process) gets no device: \(error.message)"
            case .intruded(let subject, let device, let process):
                "Process \(process) connected to the node of \(device.name) for \(subject.executable.path). The node was "
                    + "stopped at once, and returns in a few seconds."
            case .failed(let error): "Note: \(error.message)"
            }
        }

        /// Event for programs.
        fileprivate var json: JSONValue {
            switch self {
            case .connected: ["event": "connected"]
            case .offered(let subject, let device): Self.about("offered", subject, device)
            case .withdrawn(let subject, let device): Self.about("withdrawn", subject, device)
            case .began(let subject, let device): Self.about("began", subject, device)
            case .ended(let subject, let device, let error): Self.about("ended", subject, device, error)
            case .unknown(let process, let error):
                ["event": "unknown", "process": .count(process), "error": ErrorReport(error: error).json]
            case .intruded(let subject, let device, let process):
                Self.about("intruded", subject, device, by: process)
            case .failed(let error): ["event": "failed", "error": ErrorReport(error: error).json]
            }
        }

        private static func about(
            _ event: String, _ subject: Subject, _ device: Device, _ error: CaptureError? = nil,
            by process: Int32? = nil
        ) -> JSONValue {
            [
                "event": .string(event), "program": .string(subject.executable.path),
                "capability": .string(device.capability.rawValue), "device": .string(device.id.rawValue),
                "error": error.map { ErrorReport(error: $0).json } ?? .null,
                "process": process.map { .count($0) } ?? .null,
            ]
        }
    }
#endif
