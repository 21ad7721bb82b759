import ArgumentParser
import CaptureGate
import CaptureRecording
import LinuxSystem

/// Options that choose the devices and the duration of a recording.
struct SelectionOptions: ParsableArguments {
    /// Repeatable: each use adds a track. `none` excludes cameras from a format that could store them.
    @Option(
        help: ArgumentHelp(
            "Camera: id, node, name, default, none. Repeatable.",
            discussion: "A part of the name is enough. Each use adds a track. The value none excludes cameras.",
            valueName: "id"), completion: DeviceCompletion.camera(or: ["default", "none"]))
    var camera: [String] = []

    @Option(
        help: ArgumentHelp(
            "Microphone: id, node, name, default, none. Repeatable.",
            discussion: "A part of the name is enough. Each use adds a track. The value none excludes microphones.",
            valueName: "id"), completion: DeviceCompletion.microphone(or: ["default", "none"]))
    var microphone: [String] = []

    /// Without it the recording lasts until Ctrl-C, which is a normal end with exit code 0.
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "Duration, such as 5s or 10m (default: until Ctrl-C).",
            discussion: "Also accepts a clock format such as 00:01:30.", valueName: "time"),
        transform: DurationArgument.parse)
    var time: DurationArgument?
}

/// Options about the start and the end of a recording.
struct TimeOptions: ParsableArguments {
    /// Sample-accurate, so that several machines with synchronized clocks can start together.
    @Option(
        help: .advanced(
            "Start time, such as 18:00:30.250 (default: at once).",
            discussion: """
                Local time, exact to the sample. A date can precede it: 2026-01-31T18:00. The devices open three seconds earlier. \
                Ctrl-C before the start leaves no file.
                """,
            valueName: "moment"),
        transform: MomentArgument.parse)
    var startAt: MomentArgument?

    /// Off by default: it captures from the program's start, before anybody says "record".
    @Option(
        help: ArgumentHelp(
            "Time to include from before you press Enter.",
            discussion: """
                Enter, SIGUSR1 or --start-at starts the clip. The devices capture from the start of the program, and older \
                frames are discarded. The pre-roll counts as part of --for. JPEG frames wait in the form in which they are \
                stored. Raw frames need more memory, also if only a --tee stores them raw. If the pre-roll needs more than \
                1 GiB, the command fails with exit code 64. That is 8 s of 1920x1080 YUYV at 30 frames per second.
                """, valueName: "time"),
        transform: DurationArgument.parse)
    var preRoll: DurationArgument?

    /// Measured by power, not by peak, so that a single click does not end the silence.
    @Option(
        help: ArgumentHelp(
            "Stop after this much silence, such as 3s or 3s,-45.",
            discussion: """
                Audio counts as silence if each microphone is below -50 dBFS, or below the value after the comma. Its loudest \
                channel's mean power counts, over 20 ms. The clip includes the silence.
                """, valueName: "time"),
        transform: SilenceArgument.parse)
    var untilSilence: SilenceArgument?

    /// Start of the clip, nanoseconds since 1970; `nil` if it begins at once.
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
        help: .advanced(
            "Maximum file size, such as 500M. The clip ends there.", discussion: "The exit code is 0 then.",
            valueName: "size"), transform: ByteCountArgument.parse)
    var maxSize: ByteCountArgument?

    /// Segments limit the loss by a power cut or a full disk, and old files can be deleted during the recording.
    @Option(
        help: ArgumentHelp(
            "Start a new file at this interval: out-0001.mkv, …",
            discussion: """
                No sample and no frame is lost or repeated between two files. Each file is complete as soon as it ends. With \
                --max-size, a file that grows too large ends early. If OUT contains %Y, %m, %d, %H, %M, %S, %j or %s, each file \
                is named by its start time: out-%Y%m%d-%H%M%S.mkv. The letters are those of strftime(3), and %% is a percent \
                sign.
                """, valueName: "time"),
        transform: DurationArgument.parse)
    var segment: DurationArgument?

    /// Nothing is removed by default.
    @Option(
        help: .advanced(
            "Number of finished segments to keep (default: all).",
            discussion: "The oldest segments of this recording are removed.", valueName: "count"))
    var keep: Int?

    /// 64 MB are 25 seconds of 1080p MJPEG, or one second of raw 1080p.
    @Option(
        help: .advanced(
            "Write buffer per output (default 64M, 0 disables it).",
            discussion: "The buffer is for slow disks and readers. If it is full, frames are dropped and counted.",
            valueName: "size"), transform: BufferArgument.parse)
    var buffer = BufferArgument()

    /// Further outputs share one capture: a second program could not capture from the same devices.
    @Option(
        help: ArgumentHelp(
            "Write another file from this capture. Repeatable.",
            discussion: """
                The ending names the format, or write FORMAT:PATH. Each output gets the tracks that it can hold: a .flac \
                beside a .mkv gets the audio of the first microphone. A hyphen is standard output, and v4l2:/dev/video9 is a \
                virtual camera, which shows the first camera. Each output has a separate encoder. An encoder that is 16 frames \
                behind drops the next one from its file, and counts it in the ledger of the file. Audio is never dropped. If an \
                output fails, the others continue, and its error sets the exit code.
                """, valueName: "out"), completion: .file())
    var tee: [String] = []
}

/// Options of the cameras; each applies to all of them. Options of the mode can be repeated, each time for the camera named
/// before.
///
/// Without any of them the camera's own best mode is negotiated.
struct VideoOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Frame size, such as 1280x720 or 720p.", valueName: "size"), transform: SizeArgument.parse)
    var size: [SizeArgument] = []

    @Option(
        help: ArgumentHelp("Frames per second, such as 30 or 29.97.", valueName: "rate"), transform: FrameRate.parse)
    var fps: [FrameRate] = []

    @Option(
        help: .advanced(
            "Camera format, such as YUYV, MJPG or H264.",
            discussion: """
                H264 or HEVC from the camera is stored unchanged in a .mkv or .mp4, from the first key frame on. By default, \
                H264 is used only if no other mode has frames as large at 30 frames per second, up to 1920x1080.
                """, valueName: "code"),
        transform: PixelFormat.parse)
    var pixelFormat: [PixelFormat] = []

    @OptionGroup var source: InputOptions

    @Option(help: .advanced("Video codec in .mkv, .mp4 and .webm.", valueName: "codec"))
    var videoCodec: VideoCodec = .automatic

    /// Off by default: a preview needs a terminal with colours, and processor time for the scaling.
    @Flag(help: "Show the video in the terminal during the recording.")
    var preview = false

    /// First of these options that was given; named in the error if no camera is recorded.
    var firstGiven: String? {
        if !size.isEmpty { return "--size" }
        if !fps.isEmpty { return "--fps" }
        if !pixelFormat.isEmpty { return "--pixel-format" }
        if preview { return "--preview" }
        if let option = source.firstGiven { return option }
        return videoCodec == .automatic ? nil : "--video-codec"
    }

    /// Settings of each camera for the library; `nil` lets the library choose.
    ///
    /// - Parameters:
    ///   - count: number of cameras.
    ///   - strict: true to fail if a driver chooses another value.
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

/// Options of the microphones. Rate, channels, gain and sample
/// format can be repeated, each after the name of its microphone.
struct AudioOptions: ParsableArguments {
    @Option(
        help: .advanced(
            "Sample rate, such as 48000.", discussion: "If the device has another rate, the audio is converted.",
            valueName: "hertz"), transform: RateArgument.parse)
    var rate: [RateArgument] = []

    /// A number is requested from the device, which may have several
    /// modes. A selection picks channels from those it delivers.
    @Option(
        help: ArgumentHelp(
            "Channels: a number, mono, left, right, or 1,3.",
            discussion: "The choice mono is the mean of all channels.", valueName: "channels"),
        transform: ChannelSelectionArgument.parse)
    var channels: [ChannelSelectionArgument] = []

    @Option(
        help: .advanced(
            "Gain, such as 6dB or -3.", discussion: "Samples beyond full scale are clipped.", valueName: "dB"),
        transform: GainArgument.parse)
    var gain: [GainArgument] = []

    @Flag(
        help: .advanced(
            "Mix all microphones equally into one track.",
            discussion: "The track has the format of the first microphone."))
    var mix = false

    @Option(
        help: .advanced("Sample format, such as S16_LE.", valueName: "format"),
        completion: .list(SampleFormat.allCases.map(\.rawValue)), transform: SampleArgument.parse)
    var sampleFormat: [SampleArgument] = []

    @Option(help: .advanced("Audio codec in .mkv, .mp4 and .webm.", valueName: "codec"))
    var audioCodec: AudioCodec = .automatic

    /// Automatic by default: with a camera its clock is the reference, since resampling a microphone by some
    /// millionths is not heard.
    @Option(
        help: .advanced(
            "Clock that all tracks follow.",
            discussion: """
                No two devices run at exactly the same speed. With `picture`, the default with a camera, audio is resampled \
                before it is 2 ms off. With `sound`, audio is stored bit for bit as the device gave it, and the times of the \
                frames follow it. With `clock`, the tracks follow the system clock. Without a camera, the other microphones \
                follow the first one. A single microphone is not resampled unless you choose `clock`.
                """, valueName: "clock"))
    var sync: SyncClock = .automatic

    /// First of these options that was given; named in the error if no microphone is recorded.
    var firstGiven: String? {
        if !rate.isEmpty { return "--rate" }
        if !channels.isEmpty { return "--channels" }
        if !gain.isEmpty { return "--gain" }
        if mix { return "--mix" }
        if !sampleFormat.isEmpty { return "--sample-format" }
        if sync != .automatic { return "--sync" }
        return audioCodec == .automatic ? nil : "--audio-codec"
    }

    /// Settings of each microphone for the library; `nil` lets the library choose.
    ///
    /// - Parameters:
    ///   - count: number of microphones.
    ///   - strict: true to fail if the device chooses another value.
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

/// Settings of one microphone, and the conversion of its audio.
struct MicrophoneSettings {
    var device: AudioSettings
    let conversion: AudioConversion
}
