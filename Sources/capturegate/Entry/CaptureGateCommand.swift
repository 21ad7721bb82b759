import ArgumentParser

/// The whole command line.
struct CaptureGateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capturegate",
        abstract: "Record from microphones and cameras, when a person allowed it.",
        discussion: """
            A first clip, with the built-in test picture and tone, and then with your own devices:

              capturegate record a.mkv --camera test:bars --microphone test:tone --for 5s
              capturegate devices
              capturegate record clip.mkv --for 5s

            The first recording of a device asks at the terminal; without a terminal, allow it before:

              capturegate grant camera --once
              capturegate grant microphone --always

            Exit codes: 0 done (also after Ctrl-C, with a valid file), 64 wrong usage, 65 a file \
            to be read is missing or malformed, 66 no such device, 69 unavailable, \
            unplugged or stalled, 73 the file exists, 74 input/output, disk full or --on-loss fail, 75 busy, 77 not authorized, revoked, or \
            stopped before it began, \
            78 the device would not do what --strict asked, a bad configuration or a broken store.
            """,
        version: "capturegate 0.1.0",
        subcommands: [
            RecordCommand.self, SnapshotCommand.self, MeterCommand.self, RecoverCommand.self, BenchCommand.self,
            DevicesCommand.self,
            ControlsCommand.self, StatusCommand.self, GrantCommand.self, RevokeCommand.self, ResetCommand.self,
            KillCommand.self, LogCommand.self, PolicyCommand.self,
        ])
}
