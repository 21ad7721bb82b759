import ArgumentParser
import CaptureGate
import GateStore
import GateSupervisor
import LinuxSystem

/// `capturegate run -- COMMAND`: runs any program, and holds it to the gate.
struct RunCommand: AsyncParsableCommand, SignalHandlingCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run any program, held to the gate although it knows nothing of it.",
        discussion: """
            The program, and all that it starts, can open cameras and microphones only through this command, which asks as \
            for a recording of its own: each program and device has its own decision, and the audit log tells of it. When \
            the permission ends, so does the stream. Mixers and playback work as ever.

            Services that could capture for the program, or start others outside of the gate, are closed to it: PipeWire, \
            PulseAudio, JACK, the buses, systemd, abstract sockets, and whatever else listens at a socket that is not known \
            to be harmless. --allow opens one by name or by its path.

              capturegate run -- ffmpeg -f v4l2 -i /dev/video0 clip.mkv
              capturegate run --camera none -- arecord -D hw:0 memo.wav
              capturegate run --allow pulse --purpose "Video calls" -- firefox
            """
    ).parsedAlone

    @Option(
        help: ArgumentHelp("The camera that it may ask for, any, or none.", valueName: "id"),
        completion: DeviceCompletion.any)
    var camera = "any"

    @Option(
        help: ArgumentHelp("The microphone that it may ask for, any, or none.", valueName: "id"),
        completion: DeviceCompletion.any)
    var microphone = "any"

    @Option(help: ArgumentHelp("What it is for, as a person reads it when asked.", valueName: "text"))
    var purpose: String?

    @Option(
        name: .customLong("allow"),
        help: ArgumentHelp(
            "A service that it may connect to: \(Service.allCases.map(\.rawValue).joined(separator: ", ")), a socket's path; or usb, for raw devices.",
            valueName: "name"))
    var allowed: [String] = []

    @Flag(help: "Run it even if this kernel lacks a piece, and say what is not guaranteed.")
    var advisory = false

    @Argument(
        parsing: .postTerminator, help: ArgumentHelp("The program and its arguments, behind --.", valueName: "command"))
    var command: [String] = []

    func validate() throws {
        if command.isEmpty {
            throw ValidationError(
                "No program is named: write it behind --, as in 'capturegate run -- arecord memo.wav'.")
        }
    }

    /// Ends with the program's own status, or 128 and the signal that ended it, as a shell does.
    func run() async throws {
        let environment = ProcessEnvironment.current
        let path = try ProgramSearch(path: environment["PATH"]).path(of: command[0])
        let rules = SupervisionRules(
            camera: try Self.devices(camera, .camera), microphone: try Self.devices(microphone, .microphone),
            purpose: purpose ?? "Run under capturegate run",
            services: try ServiceRules(allowing: allowed.filter { $0 != "usb" }, environment: environment))
        let notice: Supervisor.Notice = { StandardStream.error.note("capturegate: \($0.visible)") }
        let user = try UserStore.open()
        let store = try SupervisedStore(user, notice: notice)
        let supervisor = Supervisor(
            rules: rules, nodes: SystemNodeDirectory(allowsBuses: allowed.contains("usb")), isAdvisory: advisory,
            gatekeeper: { Gatekeeper.supervising($0, store: store, promptLock: StorePromptLock(of: user)) },
            notice: notice)
        if advisory { warn() }
        let signals = Locked<SignalSubscription?>(nil)
        let ending = try await supervisor.run(
            path, arguments: command, environment: environment.map { "\($0.key)=\($0.value)" }.sorted()
        ) { run in
            // Ctrl-C reaches the program by itself: it is in the same group of the terminal.
            let subscription = SignalSubscription { number in
                if number != Signals.interrupt { run.signal(number) }
            }
            signals.withLock { $0 = subscription }
        }
        switch ending {
        case .exited(0): return
        case .exited(let status): throw ExitStatus(code: status)
        case .killed(let signal): throw ExitStatus(code: 128 + signal)
        case .timedOut, .cancelled, .lost: throw ExitStatus(code: 69)
        }
    }

    private func warn() {
        for piece in Boundary.missingPieces {
            StandardStream.error.note("capturegate: Not guaranteed here, since the kernel lacks it: \(piece).")
        }
    }

    private static func devices(_ text: String, _ capability: CapabilityName) throws(CaptureError)
        -> SupervisionRules.Devices
    {
        switch text {
        case "any": .any
        case "none": .none
        default: .only(try DeviceQuery(text).pick(from: DeviceCatalog.scan(.identity, of: capability), capability).id)
        }
    }
}

/// Looks a program up as a shell does: environ(7).
struct ProgramSearch {
    /// Value of PATH; `nil` where there is none.
    let path: String?

    /// - Throws: `.noDevice` where no such program may be executed.
    func path(of name: String) throws(CaptureError) -> String {
        if name.contains("/") { return try absolute(name) }
        let folders = (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":", omittingEmptySubsequences: false)
        for folder in folders {
            let candidate = folder.isEmpty ? "./\(name)" : "\(folder)/\(name)"
            guard case .success(let status) = FileStatus.of(candidate), status.kind == .file,
                FileSystem.allows(.execute, to: candidate)
            else { continue }
            return try absolute(candidate)
        }
        throw CaptureError(
            .noDevice, "There is no program \"\(name.visible)\" on the PATH.",
            remedies: [Remedy("Install it, or name it by its path.")])
    }

    // Not the real path: a program may look at the name it was started by.
    private func absolute(_ path: String) throws(CaptureError) -> String {
        if path.hasPrefix("/") { return path }
        guard let folder = ProcessFile.link("/proc/self/cwd") else {
            throw CaptureError(.unavailable, "/proc can't be read.", remedies: [Remedy("Mount /proc.")])
        }
        return "\(folder)/\(path)"
    }
}
