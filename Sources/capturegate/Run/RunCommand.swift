import ArgumentParser
import CaptureGate
import GateStore
import GateSupervisor
import LinuxSystem

/// `capturegate run -- COMMAND`: runs any program, which must ask the gate for each device.
struct RunCommand: AsyncParsableCommand, SignalHandlingCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a program that must ask before it captures.",
        discussion: """
            The program, and every program it starts, must ask for permission to use a camera or a microphone. A \
            hostile program has known ways past this.

              capturegate run -- ffmpeg -f v4l2 -i /dev/video0 clip.mkv
              capturegate run --camera none -- arecord -D hw:0 memo.wav
              capturegate run --allow pulse --purpose "Video calls" -- firefox

            Each program and device has a separate permission, and the audit log lists each use. \
            Volume controls and playback work as before.

            Some services could capture for the program, or start other programs that do not ask. The program cannot connect to \
            them: PipeWire, PulseAudio, JACK, the message buses, systemd, abstract sockets, and unknown sockets. The option \
            --allow opens one of them.

            To start a program this way every time, use 'capturegate wrap'.
            """
    ).parsedAlone

    @OptionGroup var options: RunOptions

    @Argument(
        parsing: .postTerminator, help: ArgumentHelp("Program and its arguments, after --.", valueName: "command"))
    var command: [String] = []

    /// Environment variable that shows a launcher that it already
    /// runs under `run`, since supervisors can't be nested.
    ///
    /// It has no effect on security: programs started under `run` are supervised whatever their environment says.
    static let heldVariable = "CAPTUREGATE_HELD"

    func validate() throws {
        if command.isEmpty {
            throw ValidationError(
                "Write a program after --, as in 'capturegate run -- arecord memo.wav'.")
        }
    }

    /// Ends with the program's own status, or 128 and the signal that ended it, as a shell does.
    func run() async throws {
        var environment = ProcessEnvironment.current
        let path = try ProgramSearch(path: environment["PATH"]).path(of: command[0])
        let rules = try options.rules(in: environment)
        let notice: Supervisor.Notice = { StandardStream.error.note("capturegate: \($0.visible)") }
        let user = try UserStore.open()
        let store = try SupervisedStore(user, notice: notice)
        let supervisor = Supervisor(
            rules: rules, nodes: SystemNodeDirectory(allowsBuses: options.allowsBuses), isAdvisory: options.advisory,
            gatekeeper: { Gatekeeper.supervising($0, store: store, promptLock: StorePromptLock(of: user)) },
            notice: notice)
        if options.advisory { warn() }
        environment[Self.heldVariable] = "1"
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
            StandardStream.error.note(
                "capturegate: The program can get around the gate, because the kernel lacks \(piece).")
        }
    }
}
