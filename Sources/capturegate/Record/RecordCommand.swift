import ArgumentParser
import CaptureGate
import CaptureRecording

/// `capturegate record`: records video, audio, or both.
///
/// Options are grouped by subject in types of their own, which the help shows as sections; `RecordingPlan`
/// checks how they go together.
struct RecordCommand: AsyncParsableCommand, SignalHandlingCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record picture, sound, or both.",
        discussion: """
            OUT's ending names the format: .wav, .flac, .opus and .m4a for sound, .y4m and .mjpeg for pictures, .mkv, \
            .mp4 and .webm for both, .raw for the device's own bytes. - is standard output (Matroska, unless --format says otherwise), and \
            a pipe with a name or a shell's >(…) is written to as well; null: captures and discards. v4l2:/dev/video9 \
            shows the camera's pictures by a V4L2 node that takes them, such as v4l2loopback's, which other programs see \
            as a camera; what it has no room for is left out and counted. Where no device is \
            named, OUT's ending decides what is recorded, from the machine's choice of devices; where one is named, only \
            what is named.

            It ends after --for, or with Ctrl-C; the file is valid then, too, and the exit code 0. While it runs it is \
            called OUT.partial. Whether a person allows it is asked at the terminal; see 'capturegate help grant'.

            At a terminal q ends the clip as well, space pauses and resumes it, and m sets a chapter of a .mkv; SIGUSR2 \
            pauses and resumes, too. A pause is a cut: the clip's time goes on behind it without a hole, and the clip's \
            ledger tells of it.

              capturegate record clip.mkv --for 5s
              capturegate record talk.mp4 --video-bitrate 4M
              capturegate record memo.flac --microphone default
              capturegate record a.mkv --camera test:bars --microphone test:tone --for 5s
              capturegate record clap.mkv --camera test:bars --microphone test:tone --clap
              capturegate record stage.mkv --microphone Left --microphone Right
              capturegate record note.opus --until-silence 3s --opus-bitrate 32k
              capturegate record goal.mkv --pre-roll 10s
              capturegate record news.mkv --start-at 18:00:00.250 --for 15m
              capturegate record raw.y4m --camera C920 --size 1280x720 --fps 30 --strict
              capturegate record watch-%Y%m%d-%H%M%S.mkv --camera C920 --segment 10m --keep 144
              capturegate record talk.mkv --tee talk.flac --for 1h
              capturegate record talk.opus --max-size 50M
              capturegate record v4l2:/dev/video9 --camera C920 --size 1280x720
              capturegate record talk.mkv --tee v4l2:/dev/video9
              capturegate record null: --json --camera test:bars --for 10s
              capturegate record - --microphone default --format wav | sox -t wav - out.mp3
            """
    ).parsedAlone

    @Argument(help: ArgumentHelp("Where the clip goes.", valueName: "out"), completion: .file())
    var out: String

    /// Repeatable: each use adds a track. `none` is a word of its own, since leaving a camera out must be
    /// possible by option.
    @Option(
        help: ArgumentHelp(
            "An id, a node, a piece of a name, default, or none; again for each further one, in a .mkv.",
            valueName: "id"),
        completion: DeviceCompletion.camera(or: ["default", "none"]))
    var camera: [String] = []

    @Option(
        help: ArgumentHelp("The same of a microphone.", valueName: "id"),
        completion: DeviceCompletion.microphone(or: ["default", "none"]))
    var microphone: [String] = []

    /// Without it the recording lasts until Ctrl-C, which is a normal end with exit code 0.
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long, such as 5s; until Ctrl-C where not said.", valueName: "time"),
        transform: DurationArgument.parse)
    var time: DurationArgument?

    @OptionGroup var times: TimeOptions
    @OptionGroup var files: FileOptions

    /// Off by default: without it an unplugged device ends the clip, so that nobody waits for it unknowingly.
    /// See `BareOption` for the hour.
    @Option(
        help: ArgumentHelp(
            "Where a device is unplugged, wait that long for its return and go on; without a time, an hour.",
            valueName: "time"),
        transform: DurationArgument.parse)
    var reattach: DurationArgument?

    /// Filling by default: tracks stay in step in any player, and the ledger says what was filled.
    @Option(
        help: ArgumentHelp(
            "What to do where samples or pictures are lost: fill, mark or fail.",
            discussion: """
                fill puts silence, or the picture after, in their place, and counts. mark also tells of each loss, and \
                makes it a chapter of a .mkv. fail ends the clip before the first one, valid, with exit code 74.
                """, valueName: "policy"))
    var onLoss: LossPolicy = .fill

    @OptionGroup(title: "Picture") var video: VideoOptions
    @OptionGroup(title: "Sound") var audio: AudioOptions
    @OptionGroup(title: "Encoders") var encoding: EncodingOptions

    /// Off by default: drivers that round a rate or a size are the rule, and the differences are reported
    /// anyway.
    @Flag(
        help: ArgumentHelp(
            "Refuse with exit code 78 where a device would do anything else than what is said, or has no signal.",
            discussion: "Where the signal is lost in mid-clip, the clip is kept, and the exit code is 78 as well."))
    var strict = false

    @Flag(
        help: ArgumentHelp(
            "Have test:bars flash and test:tone click at each whole second of the clock, to measure whether they stay together.",
            discussion: "Tests/Rig/clap-offset of the sources measures it in any clip."))
    var clap = false

    /// Off by default, as no recording can be repeated. A `.partial` file is spared even so: it may be all
    /// that is left of one.
    @Flag(help: "Replace OUT where it exists. An interrupted recording, OUT.partial, is never replaced.")
    var force = false

    @Option(
        help: "The format, where OUT's ending should not decide: wav, flac, mkv, opus, mjpeg, y4m, raw or null.",
        completion: .list(ClipFormat.allCases.map(\.rawValue)))
    var format: String?

    @Option(help: "A title, for formats that have room for one.")
    var title: String?

    /// Repeatable. Names are stored in upper case, as Matroska and Vorbis comments have them.
    @Option(
        help: ArgumentHelp(
            "A tag, such as ARTIST=Ann; again for each further one.", valueName: "name=text"),
        transform: TagArgument.parse)
    var tag: [TagArgument] = []

    @Option(
        help: ArgumentHelp(
            "Title of the first chapter that m sets; again for each further one. Without, they are numbered.",
            valueName: "title"))
    var chapter: [String] = []

    /// Losses stay: a quiet recording must not hide that something is missing.
    @Flag(name: .shortAndLong, help: "Tell only what went wrong: losses, and what a device does otherwise.")
    var quiet = false

    @OptionGroup var json: JSONOption

    /// Refuses forms of output that exclude each other.
    func validate() throws {
        if quiet, json.isOn || video.preview {
            throw ValidationError("--quiet can't be combined with --json or --preview.")
        }
    }

    /// Plans, records, then turns the clip's end into an exit status.
    func run() async throws {
        // Asked before anything else: the terminal's answer must not mix with a question about permission.
        let screen = video.preview ? try PreviewTerminal.screen(besidesEvents: json.isOn) : nil
        let plan = try RecordingPlan(self, preview: screen)
        // Files are created before anybody is asked: a permission must not be spent on a path that can't be
        // written.
        // One that is to be cut into files is refused, and not waited for.
        let readers = files.segment == nil ? try plan.destinations.waitForReaders() : []
        let targets = try withExtendedLifetime(readers) { try RecordingTargets(plan, files, replacing: force) }
        let reporter = EventReporter(view: plan.view(json: json.isOn, isQuiet: quiet, preview: screen))
        let outcome = try await RecordingJob(plan: plan, targets: targets, reporter: reporter).run()
        // The summary stands before any error about it.
        await reporter.finish()
        // The most specific error comes first: each throws, and there is only one exit status.
        if strict, let error = outcome.clip.signalLoss { throw error }
        if let error = outcome.error { throw IncompleteRecording(error: error, clip: outcome.clip) }
        if let error = outcome.clip.tees.lazy.compactMap(\.error).first { throw ExitStatus(code: error.exitCode) }
        if outcome.clip.end.exitCode != 0 { throw ExitStatus(code: outcome.clip.end.exitCode) }
    }
}
