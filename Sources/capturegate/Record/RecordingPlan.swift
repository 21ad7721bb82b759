import CaptureGate
import CaptureRecording
import LinuxSystem

/// Plan of a recording: destinations, devices and settings, checked as far as possible before anybody is
/// asked.
///
/// A permission for once is used up by the attempt, so mistakes are found first.
struct RecordingPlan: Sendable {
    let destination: ClipDestination
    let format: ClipFormat
    /// Further outputs, in the order of the command line.
    let tees: [PlannedOutput]
    /// Devices to record, cameras first: the order of the clip's tracks.
    let devices: [Device]
    let settings: RecorderSettings

    /// Checks the command line and makes a plan of it. Opens no device.
    ///
    /// - Throws: `.usage` for options that do not go together; `.noDevice`.
    init(_ command: RecordCommand, preview: PreviewScreen?) throws(CaptureError) {
        guard !command.out.isEmpty else {
            throw CaptureError(
                .usage, "OUT is empty.",
                remedies: [Remedy("Name a file, - for standard output, or null: for no output.")])
        }
        destination = ClipDestination(command.out)
        format = try ClipFormat(for: destination, named: command.format)
        // A .mka promises audio alone, though Matroska could hold both; so does a .m4a.
        let choice = try DeviceChoice(destination.isAudioOnly ? [.audio] : format.kinds, command.selection)
        let kinds = choice.kinds(mixed: command.audio.mix)
        try format.check(kinds)
        // With `--format` the file name can have any ending.
        if command.format == nil { try destination.checkEnding(kinds) }
        try choice.check(command.video, command.audio, command.times)
        try format.check(command.video.videoCodec, command.audio.audioCodec)
        tees = try Self.tees(command.files.tee, kinds, besides: destination)
        let formats = [format] + tees.map(\.format)
        try Self.check(stream: command, formats)
        // Checked against all outputs: `--flac-level` is right if any one of them is FLAC.
        try command.encoding.check(
            formats.reduce(into: []) { codecs, format in
                codecs.formUnion(format.codecs(command.video.videoCodec, command.audio.audioCodec, Set(kinds)))
            })
        let outputs = [PlannedOutput(destination: destination, format: format)] + tees
        try command.checkShown(outputs)
        try Self.check(command.video.videoCodec, command.audio.audioCodec, command.video.encoded(of: kinds), outputs)
        try ([destination] + tees.map(\.destination)).checkTerminal()
        // Last, since only this needs the machine: usage errors are the same everywhere.
        devices = try choice.devices(choice.listing)
        try Self.check(clap: command.clap, devices)
        for output in outputs { try output.destination.check(against: devices) }
        var settings = RecorderSettings(command, devices, formats, startsAt: try command.times.startsAt())
        settings.preview = preview.map { PreviewSettings(width: $0.bounds.width, height: $0.bounds.height) }
        self.settings = settings
        // With a pre-roll, Enter must begin the clip even if nothing is shown.
        let isShown = StandardStream.error.isTerminal && !command.quiet && !command.json.isOn
        let keys = RecordingKeys(hasChapters: formats.contains(where: \.holdsChapters))
        self.keys = isShown || settings.preRoll != nil ? keys : nil
    }

    /// Finds a codec that this program or machine lacks, for any of the outputs.
    private static func check(
        _ video: VideoCodec, _ audio: AudioCodec, _ kinds: Set<MediaKind>, _ outputs: [PlannedOutput]
    ) throws(CaptureError) {
        var settings = EncoderSettings()
        (settings.videoCodec, settings.audioCodec) = (video, audio)
        for output in outputs {
            try settings.check(for: output.format, kinds.intersection(output.format.kinds), to: output.destination)
        }
    }

    /// Refuses options that need decoded frames if the camera's own
    /// H.264 or H.265 is requested: this program can't decode it.
    private static func check(stream command: RecordCommand, _ formats: [ClipFormat]) throws(CaptureError) {
        for pixels in command.video.pixelFormat where pixels.isPredicted {
            guard formats.allSatisfy({ $0.passes(pixels, as: command.video.videoCodec) }) else {
                throw pixels.cannotBePassed
            }
            let option =
                command.video.preview ? "--preview" : command.video.isPassed ? command.encoding.firstOfVideo : nil
            guard let option else { continue }
            throw CaptureError(
                .usage,
                "The camera's \(pixels.streamTitle) stream is stored unchanged, so \(option) has no effect.",
                remedies: [Remedy("Remove \(option), or choose --pixel-format MJPG or YUYV.")])
        }
    }

    /// Refuses `--clap` if no built-in device is recorded: real devices do not obey it.
    private static func check(clap: Bool, _ devices: [Device]) throws(CaptureError) {
        guard clap, !devices.contains(where: \.isBuiltIn) else { return }
        throw CaptureError(
            .usage, "--clap needs a built-in test device, but none is recorded.",
            remedies: [Remedy("Add --camera test:bars or --microphone test:tone, or remove --clap.")]
        )
    }

    /// Further outputs, each with the format of its ending and none of them twice.
    private static func tees(
        _ said: [String], _ kinds: [MediaKind], besides first: ClipDestination
    ) throws(CaptureError) -> [PlannedOutput] {
        var tees: [PlannedOutput] = []
        for text in said {
            let (name, place) = Self.named(text)
            let destination = ClipDestination(place)
            guard !([first] + tees.map(\.destination)).contains(where: destination.isSame) else {
                throw CaptureError(
                    .usage, "\(destination) is named twice.", remedies: [Remedy("Name each file once.")])
            }
            let format = try ClipFormat(for: destination, named: name)
            try format.checkTee(kinds)
            if name == nil { try destination.checkEnding(kinds) }
            tees.append(PlannedOutput(destination: destination, format: format))
        }
        return tees
    }

    /// Format and destination of an output written as `FORMAT:PATH`.
    /// A file with such a name is written as `./FORMAT:PATH`.
    private static func named(_ text: String) -> (format: String?, place: String) {
        guard let colon = text.firstIndex(of: ":"), text.index(after: colon) < text.endIndex,
            let format = try? ClipFormat(for: .nothing, named: String(text[..<colon])), format != .nothing
        else { return (nil, text) }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }

    /// Keys with a meaning during the recording; `nil` if no row on the terminal explains them.
    let keys: RecordingKeys?

    /// All outputs, the clip's own first.
    var destinations: [ClipDestination] { [destination] + tees.map(\.destination) }

    /// True if a clip goes to standard output, where no text may then be written.
    var usesStandardOutput: Bool {
        destination == .standardOutput || tees.contains { $0.destination == .standardOutput }
    }

    /// Requests to the gate, one per device, at the level that recording needs.
    var requests: [DeviceRequest] {
        devices.map { device in
            DeviceRequest(
                capability: device.capability, level: device.capability == .camera ? .video : .record,
                device: .id(device.id), purpose: purpose)
        }
    }

    /// Purpose for the question: shows the person the duration and the destination.
    private var purpose: String {
        let targets = destinations.map(Self.phrase).joined(separator: " and ")
        let end = settings.untilSilence == nil ? "until stopped" : "until silence"
        let time = settings.duration.map { "for \(NumberText.time($0))" } ?? end
        let start = settings.startsAt.map { "from \(CivilTime.localText(nanoseconds: $0.exactNanoseconds)) " } ?? ""
        return "Record \(start)\(time) \(targets)"
    }

    /// Destination in words, with its preposition.
    private static func phrase(_ destination: ClipDestination) -> String {
        switch destination {
        case .file(let path), .pipe(let path): "to \(path)"
        case .standardOutput: "to standard output"
        case .nothing: "to nothing, to measure"
        case .videoOutput(let path): "to \(path), a virtual camera that other programs see"
        }
    }

    /// View of the events: only problems with `--quiet`; NDJSON for
    /// programs; a live row on a terminal; otherwise plain lines.
    func view(json: Bool, isQuiet: Bool, preview: PreviewScreen?) -> any EventView<RecordingEvent> {
        if isQuiet { return QuietView(stream: .error) }
        let output = usesStandardOutput ? StandardStream.error : .output
        if json { return NDJSONView(stream: output, plan: self) }
        // Standard error decides: it is where the live row is drawn, so `> clip.log` alone does not end it.
        guard StandardStream.error.isTerminal else { return PlainView(stream: output) }
        let line = LiveView(stream: .error, summary: output, plan: self)
        return preview.map { PreviewView($0, above: line) } ?? line
    }
}

extension RecorderSettings {
    /// Settings of the recorder from the command's options.
    fileprivate init(
        _ command: RecordCommand, _ devices: [Device], _ formats: [ClipFormat], startsAt moment: Int64?
    ) {
        self.init()
        let mayBePredicted = command.mayBePredicted(in: formats)
        let cameras = devices.filter { $0.capability == .camera }
        for (camera, var settings) in zip(cameras, command.video.settings(of: cameras.count, strict: command.strict)) {
            settings.claps = command.clap
            settings.mayBePredicted = mayBePredicted
            videoOf[camera.id] = settings
        }
        let microphones = devices.filter { $0.capability == .microphone }
        let settings = command.audio.settings(of: microphones.count, strict: command.strict)
        for (microphone, var settings) in zip(microphones, settings) {
            settings.device.claps = command.clap
            audioOf[microphone.id] = settings.device
            conversionOf[microphone.id] = settings.conversion
        }
        conversion.mixesMicrophones = command.audio.mix
        sync = command.audio.sync
        encoders.videoCodec = command.video.videoCodec
        encoders.audioCodec = command.audio.audioCodec
        command.encoding.apply(to: &encoders)
        onLoss = command.onLoss
        startsAt = moment.map { .nanoseconds($0) }
        preRoll = command.times.preRoll?.duration
        untilSilence = command.times.untilSilence?.rule
        labels = ClipLabels(title: command.title, extra: TagArgument.tags(command.tag))
        chapterTitles = command.chapter
        duration = command.selection.time?.duration
        reattach = command.reattach?.duration
        // Twice a second is enough for one line a second; a live row gets the default rate.
        if command.json.isOn || !StandardStream.error.isTerminal { progressInterval = .milliseconds(500) }
    }
}

extension VideoOptions {
    /// True if each camera's own H.264 or H.265 is requested.
    var isPassed: Bool { !pixelFormat.isEmpty && pixelFormat.allSatisfy(\.isPredicted) }

    /// Kinds of tracks that need an encoder; a camera's own stream needs none.
    func encoded(of kinds: [MediaKind]) -> Set<MediaKind> {
        isPassed ? Set(kinds).subtracting([.video]) : Set(kinds)
    }
}

extension RecordCommand {
    /// True if a camera's own H.264 may be chosen when no other mode is as good: all outputs can hold it, and no option needs
    /// decoded frames or an encoder.
    fileprivate func mayBePredicted(in formats: [ClipFormat]) -> Bool {
        guard !video.preview, encoding.firstOfVideo == nil, let first = formats.first,
            first == .matroska || first == .mp4
        else { return false }
        return formats.allSatisfy { $0.passes(.h264, as: video.videoCodec) }
    }
}

/// Destination of a recording, with its format.
struct PlannedOutput: Hashable, Sendable {
    let destination: ClipDestination
    let format: ClipFormat
}

extension RecordCommand {
    /// Refuses options about files if no output is a file, and a pre-roll for an output that shows frames at once.
    ///
    /// - Throws: `.usage`.
    fileprivate func checkShown(_ outputs: [PlannedOutput]) throws(CaptureError) {
        let shown = outputs.filter { $0.format == .v4l2 }.map(\.destination)
        guard let first = shown.first else { return }
        if times.preRoll != nil {
            throw CaptureError(
                .usage, "--pre-roll can't be combined with \(first), which shows live video.",
                remedies: [Remedy("Remove one of them.")])
        }
        let options: [(name: String, isGiven: Bool)] = [
            ("--segment", files.segment != nil), ("--keep", files.keep != nil), ("--max-size", files.maxSize != nil),
            ("--buffer", files.buffer.bytes != BufferArgument().bytes), ("--force", force), ("--title", title != nil),
            ("--tag", !tag.isEmpty), ("--chapter", !chapter.isEmpty),
        ]
        guard shown.count == outputs.count, let option = options.first(where: \.isGiven) else { return }
        throw CaptureError(
            .usage, "\(option.name) is for files, but \(first) writes none.",
            remedies: [
                Remedy("Remove \(option.name), or record to a file and add --tee \(ShellQuote.word("\(first)")).")
            ])
    }
}

extension ClipDestination {
    /// True if both are the same destination, however they are written: `./a.mkv`, an absolute path, or through a linked
    /// directory.
    ///
    /// Two outputs in one file would destroy each other, so they are refused before anything is opened.
    func isSame(_ other: ClipDestination) -> Bool {
        if case .videoOutput(let path) = self, case .videoOutput(let second) = other {
            guard case .success(let node) = FileStatus.of(path), case .success(let other) = FileStatus.of(second) else {
                return path == second
            }
            return node.node == other.node
        }
        guard case .file(let path) = self, case .file(let second) = other else { return self == other }
        return path == second || Self.absolute(path) == Self.absolute(second)
    }

    /// Path whose directory is resolved by the kernel (realpath(3)); the file itself need not exist.
    private static func absolute(_ path: String) -> String {
        let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let directory = name == path.startIndex ? "." : String(path[..<name])
        guard let real = try? FileSystem.realPath(of: directory) else { return path }
        return "\(real)/\(path[name...])"
    }

    /// True if its ending, .mka or .m4a, promises audio alone (Matroska's and MP4's own conventions).
    var isAudioOnly: Bool {
        guard case .file(let path) = self else { return false }
        return [".mka", ".m4a"].contains { path.lowercased().hasSuffix($0) }
    }

    /// Refuses video in a .mka or .m4a.
    ///
    /// - Throws: `.usage`.
    func checkEnding(_ kinds: [MediaKind]) throws(CaptureError) {
        guard isAudioOnly, kinds.contains(.video) else { return }
        let (ending, other) = description.lowercased().hasSuffix(".m4a") ? (".m4a", ".mp4") : (".mka", ".mkv")
        throw CaptureError(
            .usage, "A \(ending) file can contain only audio.",
            remedies: [Remedy("Record to a name that ends in \(other), or add --camera none.")])
    }

    /// Refuses standard output if it is a terminal, which would obey the bytes of a file.
    ///
    /// - Throws: `.usage`.
    func checkTerminal() throws(CaptureError) {
        guard self == .standardOutput, StandardStream.output.isTerminal else { return }
        throw CaptureError(
            .usage, "Standard output is a terminal, which can't show a clip.",
            remedies: [Remedy("Name a file, or redirect the output with | or >.")])
    }
}

extension [ClipDestination] {
    /// Checks each destination.
    ///
    /// - Throws: `.usage`.
    func checkTerminal() throws(CaptureError) {
        for destination in self { try destination.checkTerminal() }
    }

    /// Opens the pipes among them, waiting until each has a reader. Meanwhile a signal ends the process, which has nothing to
    /// finish.
    ///
    /// - Returns: open ends of the pipes, which keep readers
    ///   from seeing an end of file before the outputs are open.
    /// - Throws: `.inputOutput`.
    func waitForReaders() throws(CaptureError) -> [OutputReader] {
        var readers: [OutputReader] = []
        let signals = SignalSubscription { Signals.endProcess(by: $0) }
        for case .pipe(let path) in self { readers.append(try OutputReader(opening: path)) }
        withExtendedLifetime(signals) {}
        return readers
    }
}
