import ArgumentParser
import CaptureGate
import CaptureRecording
import LinuxSystem

/// Options about the start and the end of a recording.
struct TimeOptions: ParsableArguments {
    /// Sample-accurate, so that several machines with synchronized clocks can start together.
    @Option(
        help: ArgumentHelp(
            "Begin at that moment, to the sample: 18:00, 18:00:30.250 or 2026-01-31T18:00, local time.",
            discussion: "The devices are opened three seconds before. Ctrl-C before it leaves nothing.",
            valueName: "moment"),
        transform: MomentArgument.parse)
    var startAt: MomentArgument?

    /// Off by default: it captures from the program's start, before anybody says "record".
    @Option(
        help: ArgumentHelp(
            "Begin with what was so long before: Enter, SIGUSR1 or --start-at begins the clip.",
            discussion: """
                The devices capture from the start of the program, and what is older is forgotten. Where the clip keeps \
                JPEG images, each picture waits as the image that it becomes. Where it keeps raw ones, or one --tee \
                does, they wait raw; what needs more than 1 GiB then, as 8 s of 1920x1080 YUYV at 30 a second do, is \
                refused with exit code 64. The pre-roll counts as part of --for.
                """, valueName: "time"),
        transform: DurationArgument.parse)
    var preRoll: DurationArgument?

    /// By power and not by peak, so that a single click does not end the silence.
    @Option(
        help: ArgumentHelp(
            "End once all microphones have been quiet for so long, such as 3s.",
            discussion: """
                Less than -50 dBFS is quiet, or than what is said after a comma: 3s,-45. What counts is the power of each \
                20 ms of the loudest channel; the silence belongs to the clip.
                """, valueName: "time[,level]"),
        transform: SilenceArgument.parse)
    var untilSilence: SilenceArgument?

    /// Start of the clip, nanoseconds since 1970; `nil` where it begins at once.
    ///
    /// - Throws: `.usage` for a moment that the calendar does not have, or that is over.
    func startsAt() throws(CaptureError) -> Int64? {
        guard let startAt else { return nil }
        let now = SystemClock.realtime.now
        guard let moment = startAt.nanoseconds(now: now) else {
            throw CaptureError(
                .usage, "This time does not exist, or is not between 1970 and 2200.",
                remedies: [Remedy("Write \(MomentArgument.spelling).")])
        }
        guard moment > now else {
            throw CaptureError(
                .usage, "--start-at \(CivilTime.localText(nanoseconds: moment)) is in the past.",
                remedies: [Remedy("Choose a time in the future.")])
        }
        return moment
    }
}

/// Options about the files of a recording: size, segments, further outputs.
struct FileOptions: ParsableArguments {
    /// Unlimited by default: the free space of the disk is the limit then.
    @Option(
        help: ArgumentHelp(
            "The most a file may have, such as 500M: the clip ends there, valid and with exit code 0.",
            valueName: "size"),
        transform: ByteCountArgument.parse)
    var maxSize: ByteCountArgument?

    /// Segments limit what a power cut or a full disk can cost, and let old files be deleted while recording
    /// goes on.
    @Option(
        help: ArgumentHelp(
            "A new file each so often: out-0001.mkv, out-0002.mkv and on.",
            discussion: """
                No sample and no picture is lost or doubled between two. Each file has its name, and is whole, as soon as \
                it is over. With --max-size a file that becomes too large makes way for the next one sooner. An OUT with \
                %Y, %m, %d, %H, %M, %S, %j or %s in it, as out-%Y%m%d-%H%M%S.mkv, names each file by the moment at which it \
                begins, as strftime(3) does; %% is a percent sign.
                """, valueName: "time"),
        transform: DurationArgument.parse)
    var segment: DurationArgument?

    /// Nothing is removed by default: only who says a number gives a recording away.
    @Option(
        help: ArgumentHelp(
            "With --segment, keep that many finished files: the oldest of this recording is removed.",
            valueName: "count"))
    var keep: Int?

    /// 64 MB are 25 seconds of 1080p MJPEG, and a second of the same pictures raw.
    @Option(
        help: ArgumentHelp(
            "What may wait in memory for a slow disk or a reader that pauses, of each output; 0 for none.",
            discussion: "With more, pictures are lost and counted. The default is 64M.", valueName: "size"),
        transform: BufferArgument.parse)
    var buffer = BufferArgument()

    /// Further outputs share one capture: a second program could not capture from the same devices.
    @Option(
        help: ArgumentHelp(
            "Record to a further file, too, in the format of its ending, or as FORMAT:PATH; again for each further one.",
            discussion: """
                Each gets the tracks it can hold: a .flac beside a .mkv the first microphone's sound. One that fails is told \
                of and does not end the others; the exit code is its own. Each has an encoder on a thread of its own: one that \
                is 16 pictures behind leaves the next out of its own file, and counts them in its own ledger; sound is \
                never left out. - is standard output, and v4l2:/dev/video9 a virtual camera, which shows the first camera.
                """, valueName: "out"), completion: .file())
    var tee: [String] = []
}

/// Options of the cameras; they apply to each of several. Those of a camera's mode may be said again, each time for the camera
/// before.
///
/// Without any of them the camera's own best mode is negotiated.
struct VideoOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Pixels, such as 1280x720 or 720p.",
            discussion: """
                With several devices --size, --fps and --pixel-format may be said once, for all cameras, or again, each time \
                for the camera before.
                """, valueName: "size"), transform: SizeArgument.parse)
    var size: [SizeArgument] = []

    @Option(
        help: ArgumentHelp("Frames a second, such as 30 or 29.97.", valueName: "rate"), transform: FrameRate.parse)
    var fps: [FrameRate] = []

    @Option(
        help: ArgumentHelp(
            "What the camera delivers, such as YUYV, MJPG or H264.",
            discussion: """
                A camera's own H264 or HEVC is stored as it comes, from its first key frame on, in a .mkv or .mp4. Where no code \
                is said, H264 is taken if no other mode has so large a picture at 30 a second, up to 1920x1080.
                """, valueName: "code"),
        transform: PixelFormat.parse)
    var pixelFormat: [PixelFormat] = []

    @OptionGroup var source: InputOptions

    @Option(help: "How pictures are stored in a .mkv, .mp4 or .webm.")
    var videoCodec: VideoCodec = .automatic

    /// Off by default: a preview needs a terminal with colours, and processor time for the scaling.
    @Flag(help: "Show the picture in the terminal while it is recorded.")
    var preview = false

    /// First of these options that was given; named in the error where no camera is recorded.
    var firstGiven: String? {
        if !size.isEmpty { return "--size" }
        if !fps.isEmpty { return "--fps" }
        if !pixelFormat.isEmpty { return "--pixel-format" }
        if preview { return "--preview" }
        if let option = source.firstGiven { return option }
        return videoCodec == .automatic ? nil : "--video-codec"
    }

    /// Settings of each camera for the library; `nil` leaves a choice to it.
    ///
    /// - Parameters:
    ///   - count: number of cameras.
    ///   - strict: true to fail where a driver would choose otherwise.
    func settings(of count: Int, strict: Bool) -> [VideoSettings] {
        let order = OptionOrder()
        let sizes = order.values(size, of: "--size", for: count, "--camera")
        let rates = order.values(fps, of: "--fps", for: count, "--camera")
        let formats = order.values(pixelFormat, of: "--pixel-format", for: count, "--camera")
        return (0..<count).map { index in
            var settings = VideoSettings(
                width: sizes[index]?.width, height: sizes[index]?.height, pixelFormat: formats[index],
                frameRate: rates[index], isStrict: strict)
            source.apply(to: &settings)
            return settings
        }
    }
}

/// Options of the microphones. Rate, channels, gain and sample format may be said again for each of several, behind its name.
struct AudioOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Samples a second, such as 48000; converted where the device has another rate.",
            discussion: """
                With several microphones --rate, --channels, --gain and --sample-format may be said once, for all of them, or \
                again, each time for the microphone before.
                """, valueName: "hertz"), transform: RateArgument.parse)
    var rate: [RateArgument] = []

    /// A number is the device's own affair, since it may have modes; a choice is made of what it delivers.
    @Option(
        help: ArgumentHelp(
            "How many channels, or which: mono for the mean of all, left, right, or numbers such as 1,3.",
            valueName: "channels"),
        transform: ChannelSelectionArgument.parse)
    var channels: [ChannelSelectionArgument] = []

    @Option(
        help: ArgumentHelp(
            "Louder or quieter by so much, such as 6dB or -3; what is louder than full scale is cut off.",
            valueName: "dB"),
        transform: GainArgument.parse)
    var gain: [GainArgument] = []

    @Flag(help: "Mix all microphones to one track, each with the same weight, in the first one's format.")
    var mix = false

    @Option(
        help: ArgumentHelp("How a sample stands in memory, such as S16_LE.", valueName: "format"),
        completion: .list(SampleFormat.allCases.map(\.rawValue)), transform: SampleArgument.parse)
    var sampleFormat: [SampleArgument] = []

    @Option(help: "How sound is stored in a .mkv, .mp4 or .webm.")
    var audioCodec: AudioCodec = .automatic

    /// Automatic by default: with a camera its clock is the reference, since resampling a microphone by some
    /// millionths is not heard.
    @Option(
        help: ArgumentHelp(
            "Whose clock rules: picture, sound, clock (the system's), none, or auto.",
            discussion: """
                No two crystals agree. With picture, which is auto with a camera, sound is resampled once it would be \
                2 ms off; with sound, it stays bit for bit what the device gave, and the pictures' times follow it. \
                A lone microphone is left as it is unless clock is said; of several without a camera the others follow \
                the first.
                """, valueName: "clock"))
    var sync: SyncClock = .automatic

    /// First of these options that was given; named in the error where no microphone is recorded.
    var firstGiven: String? {
        if !rate.isEmpty { return "--rate" }
        if !channels.isEmpty { return "--channels" }
        if !gain.isEmpty { return "--gain" }
        if mix { return "--mix" }
        if !sampleFormat.isEmpty { return "--sample-format" }
        if sync != .automatic { return "--sync" }
        return audioCodec == .automatic ? nil : "--audio-codec"
    }

    /// Settings of each microphone for the library; `nil` leaves a choice to it.
    ///
    /// - Parameters:
    ///   - count: number of microphones.
    ///   - strict: true to fail where the device would choose otherwise.
    func settings(of count: Int, strict: Bool) -> [MicrophoneSettings] {
        let order = OptionOrder()
        let rates = order.values(rate, of: "--rate", for: count, "--microphone")
        let channels = order.values(channels, of: "--channels", for: count, "--microphone")
        let gains = order.values(gain, of: "--gain", for: count, "--microphone")
        let formats = order.values(sampleFormat, of: "--sample-format", for: count, "--microphone")
        return (0..<count).map { index in
            let (channels, format) = (channels[index], formats[index])
            let sampleRate = rates[index]?.hertz ?? format?.sampleRate
            return MicrophoneSettings(
                device: AudioSettings(
                    sampleRate: sampleRate, channels: channels?.count ?? format?.channels, sampleFormat: format?.format,
                    isStrict: strict),
                conversion: AudioConversion(
                    channels: channels?.selection ?? .all, gain: gains[index]?.decibels ?? 0, sampleRate: sampleRate))
        }
    }
}

/// Settings of one microphone, and the conversion of what it delivers.
struct MicrophoneSettings {
    var device: AudioSettings
    let conversion: AudioConversion
}
