import CaptureEncoding
import CaptureGate
import Glibc

/// What is to be recorded, checked as far as that is possible before anybody is asked.
struct RecordingPlan: Sendable {
    let destination: ClipDestination
    let format: ClipFormat
    /// Where it goes as well.
    let tees: [PlannedOutput]
    /// The cameras first.
    let devices: [Device]
    let settings: RecorderSettings

    /// - Throws: `.usage` for what does not go together, `.noDevice`. Opens no device.
    init(_ command: RecordCommand, preview: PreviewScreen?) throws(CaptureError) {
        guard !command.out.isEmpty else {
            throw CaptureError(
                .usage, "OUT is empty.", remedies: [Remedy("Name a file, - for standard output, or null:.")])
        }
        destination = ClipDestination(command.out)
        format = try ClipFormat(for: destination, named: command.format)
        let choice = try DeviceChoice(
            destination.isAudioOnly ? [.audio] : format.kinds, camera: command.camera, microphone: command.microphone)
        try format.check(choice.kinds)
        if command.format == nil { try destination.checkEnding(choice.kinds) }
        try choice.check(command.video, command.audio, command.times)
        try format.check(command.video.videoCodec, command.audio.audioCodec)
        tees = try Self.tees(command.files.tee, choice.kinds, besides: destination)
        try command.encoding.check(
            ([format] + tees.map(\.format)).reduce(into: []) { codecs, format in
                codecs.formUnion(
                    format.codecs(command.video.videoCodec, command.audio.audioCodec, Set(choice.kinds)))
            })
        try ([destination] + tees.map(\.destination)).checkTerminal()
        devices = try choice.devices(choice.listing)
        try Self.check(clap: command.clap, devices)
        var settings = RecorderSettings(command, startsAt: try command.times.startsAt())
        settings.preview = preview.map { PreviewSettings(width: $0.bounds.width, height: $0.bounds.height) }
        self.settings = settings
    }

    private static func check(clap: Bool, _ devices: [Device]) throws(CaptureError) {
        guard clap, !devices.contains(where: \.isBuiltIn) else { return }
        throw CaptureError(
            .usage, "--clap is about the built-in devices, and none of them is recorded.",
            remedies: [Remedy("Add --camera test:bars or --microphone test:tone, or clap your hands and leave it out.")]
        )
    }

    private static func tees(
        _ said: [String], _ kinds: [MediaKind], besides first: ClipDestination
    ) throws(CaptureError) -> [PlannedOutput] {
        var tees: [PlannedOutput] = []
        for text in said {
            let destination = ClipDestination(text)
            guard !([first] + tees.map(\.destination)).contains(where: destination.isSame) else {
                throw CaptureError(
                    .usage, "\(destination) is named twice.", remedies: [Remedy("Name each file once.")])
            }
            let format = try ClipFormat(for: destination)
            try format.checkTee(kinds)
            try destination.checkEnding(kinds)
            tees.append(PlannedOutput(destination: destination, format: format))
        }
        return tees
    }

    /// Whether a clip goes to standard output, where no word may stand then.
    var usesStandardOutput: Bool {
        destination == .standardOutput || tees.contains { $0.destination == .standardOutput }
    }

    /// One for each device, at the level that recording needs.
    var requests: [DeviceRequest] {
        devices.map { device in
            DeviceRequest(
                capability: device.capability, level: device.capability == .camera ? .video : .record,
                device: .id(device.id), purpose: purpose)
        }
    }

    private var purpose: String {
        let targets = ([destination] + tees.map(\.destination)).map(Self.phrase).joined(separator: " and ")
        let end = settings.untilSilence == nil ? "until it is stopped" : "until it is quiet"
        let time = settings.duration.map { "for \(NumberText.time(nanoseconds: $0.nanoseconds))" } ?? end
        let start = settings.startsAt.map { "from \(WallTime.text(nanoseconds: $0)) " } ?? ""
        return "Record \(start)\(time) \(targets)"
    }

    private static func phrase(_ destination: ClipDestination) -> String {
        switch destination {
        case .file(let path): "to \(path)"
        case .standardOutput: "to standard output"
        case .nothing: "to nothing, to measure"
        }
    }

    /// How it is told: events for programs, only trouble where asked, a live line on a terminal, else plain lines.
    func view(json: Bool, isQuiet: Bool, preview: PreviewScreen?) -> any EventView<RecordingEvent> {
        if isQuiet { return QuietView(stream: .error) }
        let output = usesStandardOutput ? StandardStream.error : .output
        if json { return NDJSONView(stream: output, plan: self) }
        guard StandardStream.error.isTerminal else { return PlainView(stream: output, plan: self) }
        let line = LiveView(stream: .error, summary: output, plan: self)
        return preview.map { PreviewView($0, above: line) } ?? line
    }
}

extension RecorderSettings {
    fileprivate init(_ command: RecordCommand, startsAt moment: Int64?) {
        self.init()
        video = command.video.settings(strict: command.strict)
        audio = command.audio.settings(strict: command.strict)
        video.claps = command.clap
        audio.claps = command.clap
        sync = command.audio.sync
        encoders.videoCodec = command.video.videoCodec
        encoders.audioCodec = command.audio.audioCodec
        command.encoding.apply(to: &encoders)
        onLoss = command.onLoss
        startsAt = moment
        preRoll = command.times.preRoll?.duration
        untilSilence = command.times.untilSilence?.rule
        labels = ClipLabels(title: command.title)
        duration = command.time?.duration
        reattach = command.reattach?.duration
        // A line a second needs no more; a live line is looked at.
        if command.json.isOn || !StandardStream.error.isTerminal { progressInterval = .milliseconds(500) }
    }
}

/// A place that a recording goes to, and in which format.
struct PlannedOutput: Hashable, Sendable {
    let destination: ClipDestination
    let format: ClipFormat
}

extension ClipDestination {
    /// Whether both are one place, however they are written: `./a.mkv`, an absolute path, or by a linked directory.
    func isSame(_ other: ClipDestination) -> Bool {
        guard case .file(let path) = self, case .file(let second) = other else { return self == other }
        return path == second || Self.absolute(path) == Self.absolute(second)
    }

    /// The name, in its directory as the kernel knows it; the file itself need not be there.
    private static func absolute(_ path: String) -> String {
        let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let directory = name == path.startIndex ? "." : String(path[..<name])
        guard let real = realpath(directory, nil) else { return path }
        defer { free(real) }
        return "\(String(cString: real))/\(path[name...])"
    }

    /// Whether its ending, .mka, promises sound alone.
    var isAudioOnly: Bool {
        guard case .file(let path) = self else { return false }
        return path.lowercased().hasSuffix(".mka")
    }

    /// - Throws: `.usage` for pictures in a .mka.
    func checkEnding(_ kinds: [MediaKind]) throws(CaptureError) {
        guard isAudioOnly, kinds.contains(.video) else { return }
        throw CaptureError(
            .usage, "A .mka file holds sound alone, no picture.",
            remedies: [Remedy("Record to a name that ends in .mkv, or leave the camera out with --camera none.")])
    }

    /// - Throws: `.usage` where it is standard output, and that is a terminal.
    func checkTerminal() throws(CaptureError) {
        guard self == .standardOutput, StandardStream.output.isTerminal else { return }
        throw CaptureError(
            .usage, "Standard output is a terminal, which can't show the bytes of a file.",
            remedies: [Remedy("Name a file, or pass them on with | or >.")])
    }
}

extension [ClipDestination] {
    /// - Throws: as `ClipDestination.checkTerminal()`.
    func checkTerminal() throws(CaptureError) {
        for destination in self { try destination.checkTerminal() }
    }
}
