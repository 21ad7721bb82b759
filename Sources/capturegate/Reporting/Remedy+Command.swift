import CaptureGate

extension Remedy {
    /// Exact command line for the step, as a person types it; `nil` if none exists.
    ///
    /// The library only names steps: this program knows its command lines, and an app has buttons instead.
    var commandLine: String? { action?.commandLine }
}

extension Remedy.Action {
    /// Command line for the step.
    ///
    /// Words from outside are quoted for a shell if needed: anybody
    /// can choose a path, a program's name, or the name of a PCM.
    var commandLine: String {
        switch self {
        case .listDevices: "capturegate devices"
        case .listFormats(let device): "capturegate devices \(ShellQuote.word(device))"
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
    /// Pipe to ffmpeg, with the options that were given. Media that the file can't hold are not captured at all.
    private static func transcoding(to path: String, _ sound: Bool, _ picture: Bool) -> String {
        var words = recording(to: path) ?? ["capturegate", "record", "-"]
        if !sound || !picture {
            let device = sound ? "--camera" : "--microphone"
            if !words.contains(where: { $0 == device || $0.hasPrefix("\(device)=") }) { words += [device, "none"] }
        }
        // ffmpeg would read a word that begins with a dash as an option.
        let name = path.hasPrefix("-") ? "./" + path : path
        return (words.map(ShellQuote.word) + ["|", "ffmpeg", "-i", "-", ShellQuote.word(name)]).joined(separator: " ")
    }

    /// Words of this recording with standard output in place of its file; `nil` if the path is not that file.
    private static func recording(to path: String) -> [String]? {
        let given = OptionOrder.words
        guard given.first == "record", let place = given.firstIndex(of: path), place > 0,
            !given[place - 1].hasPrefix("-")
        else { return nil }
        return ["capturegate"] + given[..<place] + ["-"] + given[(place + 1)...]
    }
}

extension Remedy.Permission {
    /// Command line that grants the permission.
    fileprivate var commandLine: String {
        var words = ["capturegate", "grant", ShellQuote.word(capability)]
        if let foreignProgram { words += ["--to", ShellQuote.word(foreignProgram)] }
        if let device { words += ["--device", ShellQuote.word(device)] }
        // `grant` gives the highest level by default. A lower one is written out, so that a copied line never grants more than was
        // refused.
        let highest = CapabilityName(rawValue: capability).levels.last?.name
        if let level, level != highest { words += ["--level", ShellQuote.word(level)] }
        words.append(isOnce ? "--once" : "--always")
        return words.joined(separator: " ")
    }

    /// Path of the program; `nil` for this program, which is the default of `grant`.
    private var foreignProgram: String? {
        guard let program else { return nil }
        return program == "capturegate" || program.hasSuffix("/capturegate") ? nil : program
    }
}

extension Remedy.Mode {
    /// Command line that records in this mode.
    fileprivate var commandLine: String {
        "capturegate record clip.mkv --camera \(ShellQuote.word(device)) --size \(width)x\(height) --fps \(frameRate) "
            + "--pixel-format \(pixelFormat)"
    }
}
