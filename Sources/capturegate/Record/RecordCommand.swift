import ArgumentParser
import CaptureGate
import CaptureRecording

/// `capturegate record`: records video, audio, or both.
///
/// Options are grouped by subject in types, which the help shows as sections; `RecordingPlan`
/// checks how they go together.
struct RecordCommand: AsyncParsableCommand, SignalHandlingCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record video, audio, or both.",
        discussion: """
            The ending of OUT names the format: .mkv, .mp4 or .webm for video with audio, .wav, .flac, .opus or .m4a for audio, \
            .y4m or .mjpeg for video. A recording lasts until --for has passed, or until Ctrl-C.

              capturegate record clip.mkv --for 5s
              capturegate record memo.flac --microphone default
              capturegate record talk.mp4 --camera C920 --microphone Podcast --for 1h
              capturegate record goal.mkv --pre-roll 10s
              capturegate record a.mkv --camera test:bars --microphone test:tone --for 5s
              capturegate record - --microphone default --format wav | sox -t wav - out.mp3

            If you name no device, the format decides what is recorded, from the default devices. If you name one, only the \
            devices that you name are recorded. The program asks for permission at the terminal; 'capturegate grant' allows a \
            recording in advance.

            Other values of OUT: .raw stores the bytes of the device. A hyphen is standard output, in Matroska unless \
            --format names another format. Named pipes and a shell's >(…) work, too. The name null: captures and stores \
            nothing. The name v4l2:/dev/video9 feeds a virtual camera, such as one of v4l2loopback. Frames that it cannot take \
            are dropped and counted.

            During the recording, the file is called OUT.partial. After --for or Ctrl-C the file is complete, and the exit code \
            is 0.

            At a terminal, q ends the clip, space pauses and resumes, and m adds a chapter to a .mkv. SIGUSR2 also pauses and \
            resumes. A pause is a cut: the clip has no gap there, and the ledger of the clip lists the pause.

            With several cameras, you can repeat --size, --fps and --pixel-format. A single value applies to all cameras. Of \
            several values, each applies to the camera named before it. With several microphones, the same holds for --rate, \
            --channels, --gain and --sample-format.

              capturegate record talk.mp4 --video-bitrate 4M
              capturegate record clap.mkv --camera test:bars --microphone test:tone --clap
              capturegate record stage.mkv --microphone Left --microphone Right
              capturegate record note.opus --until-silence 3s --opus-bitrate 32k
              capturegate record news.mkv --start-at 18:00:00.250 --for 15m
              capturegate record raw.y4m --camera C920 --size 1280x720 --fps 30 --strict
              capturegate record watch-%Y%m%d-%H%M%S.mkv --camera C920 --segment 10m --keep 144
              capturegate record talk.mkv --tee talk.flac --for 1h
              capturegate record talk.opus --max-size 50M
              capturegate record v4l2:/dev/video9 --camera C920 --size 1280x720
              capturegate record talk.mkv --tee v4l2:/dev/video9
              capturegate record null: --json --camera test:bars --for 10s
            """
    ).parsedAlone

    @Argument(
        help: ArgumentHelp("File, - (standard output), null: or v4l2:/dev/video9.", valueName: "out"),
        completion: .file())
    var out: String

    @OptionGroup(title: "What to record") var selection: SelectionOptions
    @OptionGroup(title: "Start and end") var times: TimeOptions
    @OptionGroup(title: "Files") var files: FileOptions

    /// Off by default: without it an unplugged device ends the clip, so that nobody waits for it unknowingly.
    /// See `BareOption` for the hour.
    @Option(
        help: .advanced(
            "Continue if an unplugged device returns in this time.",
            discussion: "Without a time, the recorder waits for one hour.", valueName: "time"),
        transform: DurationArgument.parse)
    var reattach: DurationArgument?

    /// Filling by default: tracks stay in step in any player, and the ledger says what was filled.
    @Option(
        help: .advanced(
            "Reaction to lost frames or samples.",
            discussion: """
                With fill, silence or the next frame replaces what was lost, and the loss is counted. With mark, each loss is \
                also reported, and becomes a chapter of a .mkv. With fail, the clip ends before the first loss, and the exit \
                code is 74. The file is valid.
                """, valueName: "policy"))
    var onLoss: LossPolicy = .fill

    @OptionGroup(title: "Video") var video: VideoOptions
    @OptionGroup(title: "Audio") var audio: AudioOptions
    @OptionGroup(title: "Encoders") var encoding: EncodingOptions

    /// Off by default: drivers often round a rate or a size, and the differences are reported anyway.
    @Flag(
        help: .advanced(
            "Fail (exit code 78) if a device changes a setting.",
            discussion: "Also fails without a signal. If the signal is lost during the clip, the clip is kept."))
    var strict = false

    @Flag(
        help: .advanced(
            "Make test:bars flash and test:tone click each second.",
            discussion: "The script Tests/Rig/clap-offset of the sources measures how far a clip's tracks are apart."))
    var clap = false

    /// Off by default, as no recording can be repeated. A `.partial`
    /// file is never replaced: it may be all that is left of one.
    @Flag(help: "Replace OUT if it exists, but never OUT.partial.")
    var force = false

    @Option(
        help: .advanced("Format, such as wav or mkv (default: by ending)."),
        completion: .list(ClipFormat.allCases.map(\.rawValue)))
    var format: String?

    @Option(help: .advanced("Title, in formats that store one."))
    var title: String?

    /// Repeatable. Names are stored in upper case, as Matroska and Vorbis comments have them.
    @Option(
        help: .advanced("Tag, such as ARTIST=Ann. Repeat for several.", valueName: "name=text"),
        transform: TagArgument.parse)
    var tag: [TagArgument] = []

    @Option(
        help: .advanced(
            "Title of the next chapter (key m). Repeat for several.", discussion: "By default, chapters are numbered.",
            valueName: "title"))
    var chapter: [String] = []

    /// Losses are shown: a quiet recording must not hide that something is missing.
    @Flag(name: .shortAndLong, help: "Show only losses, and settings that a device changed.")
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
        // Files are created before anybody is asked: a permission must not be spent on a path that can't be written. Segments
        // can't be written to a pipe, so with them no reader is awaited.
        let readers = files.segment == nil ? try plan.destinations.waitForReaders() : []
        let targets = try withExtendedLifetime(readers) { try RecordingTargets(plan, files, replacing: force) }
        let reporter = EventReporter(view: plan.view(json: json.isOn, isQuiet: quiet, preview: screen))
        let outcome = try await RecordingJob(plan: plan, targets: targets, reporter: reporter).run()
        // The summary precedes any error about it.
        await reporter.finish()
        // The most specific error comes first: each throws, and there is only one exit status.
        if strict, let error = outcome.clip.signalLoss { throw error }
        if let error = outcome.error { throw IncompleteRecording(error: error, clip: outcome.clip) }
        if let error = outcome.clip.tees.lazy.compactMap(\.error).first { throw ExitStatus(code: error.exitCode) }
        if outcome.clip.end.exitCode != 0 { throw ExitStatus(code: outcome.clip.end.exitCode) }
    }
}
