import ArgumentParser
import CaptureGate
import LinuxSystem

#if PipeWire
    import GatePipeWire
#endif

/// Entry point of the process.
///
/// The main thread waits for signals and does nothing else; the command runs beside it and ends the process. So a signal never
/// interrupts a system call of the command.
@main
enum Program {
    /// Prepares the process, starts the command, and waits for signals until the command ends the process.
    ///
    /// The order matters: streams before anything is opened, so that no file takes descriptor 0, 1 or 2;
    /// signals before the first thread, since each one inherits its creator's mask.
    static func main() {
        Provision.fillStreams()
        tellVersion()
        ProcessStart.ensureColumns(to: 40)
        let dispatcher = SignalDispatcher()
        #if PipeWire
            DeviceCatalog.add(PipeWireDevices())
        #endif
        let invocation = Invocation(Provision.arguments, isText: Provision.areArgumentsText)
        do throws(CaptureError) {
            try Provision.begin()
        } catch {
            // The runtime may lack what it needs for a task, so none is started.
            Signals.endProcess(status: invocation.tell(error))
        }
        // Detached: it must not run on the main actor, whose thread waits for signals and never returns.
        Task.detached {
            let status = await SignalDispatcher.$current.withValue(dispatcher) { await invocation.run() }
            // `_exit`, not `exit`: libraries' exit handlers would release what their threads, or the gate's,
            // may still be using. Only what stdio buffers must not be lost.
            ProcessStart.flushStreams()
            Signals.endProcess(status: status)
        }
        dispatcher.wait()
    }

    /// Ends the process with the version, if that is all that was asked for. Scripts ask often, and most of such a start would
    /// go into threads, the parser, and a look at the limits. A failure is left to the command, which reports it.
    private static func tellVersion() {
        guard Provision.arguments == ["--version"] else { return }
        Signals.ignoreBrokenPipes()
        guard (try? StandardStream.output.line(CaptureGateCommand.configuration.version)) != nil else { return }
        Signals.endProcess(status: 0)
    }
}

/// Root command: the program's name, its version and its subcommands.
///
/// It does nothing itself; `capturegate` without a subcommand prints this help. The groups are the help's; `CommandNames` reads
/// its names from here as well, so that no second list can go stale.
struct CaptureGateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capturegate",
        abstract: "Record from microphones and cameras, after a person has allowed it.",
        discussion: """
              capturegate record a.mkv --camera test:bars --microphone test:tone --for 5s
              capturegate record clip.mkv --for 5s
              capturegate grant microphone --session

            The first example needs no devices. The first recording with a device asks for permission at the terminal. If there \
            is no terminal and no desktop, allow the recording in advance with 'capturegate grant'.
            """,
        version: "capturegate \(LibraryVersions.captureGate)",
        groupedSubcommands: [
            CommandGroup(
                name: "Record",
                subcommands: [RecordCommand.self, SnapshotCommand.self, MeterCommand.self, RecoverCommand.self]),
            CommandGroup(
                name: "Devices and tests",
                subcommands: [DevicesCommand.self, ControlsCommand.self, BenchCommand.self, RigCommand.self]),
            CommandGroup(
                name: "Permissions",
                subcommands: [
                    StatusCommand.self, DoctorCommand.self, GrantCommand.self, RevokeCommand.self, ResetCommand.self,
                    CameraCommand.self,
                    MicrophoneCommand.self, LogCommand.self, PolicyCommand.self,
                ]),
            CommandGroup(
                name: "Other programs",
                subcommands: [RunCommand.self, WrapCommand.self, UnwrapCommand.self] + ofTraits + [
                    AgentCommand.self, SecureCommand.self,
                ]),
        ])

    /// Commands that a build without the package's trait does not have.
    private static var ofTraits: [any ParsableCommand.Type] {
        #if PipeWire
            [PipeWireCommand.self]
        #else
            []
        #endif
    }
}

extension CommandConfiguration {
    /// The same for a command without subcommands, which is parsed alone if that succeeds (`Invocation.parsed`).
    ///
    /// With the name of a command above it the parser does not look for `--generate-completion-script`, which is the root's, and
    /// for which it would build two more parsers: a tenth of the time of a short command. The name is not shown: help and
    /// errors come from the root.
    var parsedAlone: CommandConfiguration {
        var configuration = self
        configuration._superCommandName = "capturegate"
        return configuration
    }
}

/// Command names as they are declared, for the errors about a misspelled one.
///
/// ArgumentParser would report an unknown command as an unexpected argument; a suggestion is more useful.
enum CommandNames {
    /// First name after `help` that is not a command, with the
    /// names that it could have been; `nil` if all are known.
    ///
    /// Checked before the parser runs, which would not complain about it.
    static func unknownTopic(_ arguments: [String]) -> (name: String, among: [String])? {
        guard arguments.first == "help" else { return nil }
        var command: any ParsableCommand.Type = CaptureGateCommand.self
        // Options of `help` and a repeated `help` are the parser's to judge.
        for name in arguments.dropFirst() where !name.hasPrefix("-") && name != "help" {
            guard let next = subcommands(of: command).first(where: { $0.0 == name }) else {
                return (name, subcommands(of: command).map(\.0))
            }
            command = next.1
        }
        return nil
    }

    /// Names of the command and its subcommand with which the arguments begin, as far as they are known.
    static func path(_ arguments: [String]) -> [String] {
        var command: any ParsableCommand.Type = CaptureGateCommand.self
        return Array(
            arguments.prefix { name in
                guard let next = subcommands(of: command).first(where: { $0.0 == name }) else { return false }
                command = next.1
                return true
            })
    }

    /// Command of this name, if it has no subcommands.
    ///
    /// Commands with subcommands are left to the full parser, which alone descends into them.
    static func leaf(_ name: String?) -> (any ParsableCommand.Type)? {
        subcommands(of: CaptureGateCommand.self).first { $0.0 == name && $0.1.configuration.subcommands.isEmpty }?.1
    }

    /// Names of the root's subcommands in the order of the help.
    static var all: [String] { subcommands(of: CaptureGateCommand.self).map(\.0) }

    /// Subcommands with the names they are called by; an undeclared name would be the type's, which no
    /// command here relies on.
    private static func subcommands(of command: any ParsableCommand.Type) -> [(String, any ParsableCommand.Type)] {
        command.configuration.subcommands.map { ($0.configuration.commandName ?? "", $0) }
    }

    /// Name that was probably meant; `nil` if none is close enough.
    ///
    /// One edit is allowed for names of up to four letters and two for longer ones: with two, any three
    /// letters would be near to `log`.
    static func nearest(to word: String, among names: [String]) -> String? {
        let distances = names.map { (EditDistance.between(word, $0), $0) }
        guard let best = distances.min(by: { $0.0 < $1.0 }), best.0 <= (best.1.count < 5 ? 1 : 2) else { return nil }
        return best.1
    }
}
