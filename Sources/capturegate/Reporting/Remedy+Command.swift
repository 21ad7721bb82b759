import CaptureGate

extension Remedy {
    /// Exact command line that does it, as a person types it; `nil` where none does.
    ///
    /// The library names steps alone: which words of this program take them is known here, and an app has buttons instead.
    var commandLine: String? { action?.commandLine }
}

extension Remedy.Action {
    /// Command line for the step.
    ///
    /// Every word from outside is quoted for a shell where it needs it: anybody can choose a path, a program's name, or
    /// the name of a PCM.
    var commandLine: String {
        switch self {
        case .listDevices: "capturegate devices"
        case .listFormats: "capturegate devices --json"
        case .showStatus: "capturegate status"
        case .showHiddenHolders: "sudo capturegate status"
        case .showControls(let device): "capturegate controls \(ShellQuote.word(device))"
        case .takeOver(let control, let device, let automatic, let manual):
            "capturegate controls \(ShellQuote.word(device)) \(ShellQuote.word("\(automatic)=\(manual)")) "
                + ShellQuote.word("\(control)=VALUE")
        case .grant(let permission): permission.commandLine
        case .switchOn(let capability): "capturegate \(ShellQuote.word(capability)) on"
        case .showSwitches: "capturegate help camera"
        case .forgetLaterClock: "capturegate reset --clock"
        case .verifyLog: "capturegate log --verify"
        case .checkPolicy: "capturegate policy check"
        case .record(let mode): mode.commandLine
        case .recordThroughServer: "capturegate record clip.flac --camera none --microphone default"
        case .recover(let path): "capturegate recover \(ShellQuote.quoted(path))"
        case .transcode(let path, let sound, let picture): Self.transcoding(to: path, sound, picture)
        case .run(let command): command
        }
    }
}

extension Remedy.Action {
    /// Pipe to ffmpeg. What the file can't have is not captured in the first place.
    private static func transcoding(to path: String, _ sound: Bool, _ picture: Bool) -> String {
        let without = sound ? picture ? "" : "--camera none " : "--microphone none "
        // ffmpeg takes a word that begins with a dash for an option.
        let name = path.hasPrefix("-") ? "./" + path : path
        return "capturegate record - \(without)| ffmpeg -i - \(ShellQuote.word(name))"
    }
}

extension Remedy.Permission {
    /// Command line that gives it.
    fileprivate var commandLine: String {
        var words = ["capturegate", "grant", ShellQuote.word(capability)]
        if let foreignProgram { words += ["--to", ShellQuote.word(foreignProgram)] }
        if let device { words += ["--device", ShellQuote.word(device)] }
        // The highest level of a capability is what `grant` gives by default.
        if let level, [AccessLevel.meter.name, AccessLevel.still.name].contains(level) { words += ["--level", level] }
        words.append(isOnce ? "--once" : "--always")
        return words.joined(separator: " ")
    }

    /// Path of the program, unless it is this one, whose own recordings `grant` means by default.
    private var foreignProgram: String? {
        guard let program else { return nil }
        return program == "capturegate" || program.hasSuffix("/capturegate") ? nil : program
    }
}

extension Remedy.Mode {
    /// Command line that records with it.
    fileprivate var commandLine: String {
        "capturegate record clip.mkv --camera \(ShellQuote.word(device)) --size \(width)x\(height) --fps \(frameRate) "
            + "--pixel-format \(pixelFormat)"
    }
}
