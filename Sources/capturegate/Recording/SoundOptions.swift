import ArgumentParser
import CaptureEncoding
import CaptureGate

/// What is wanted of the microphone.
struct AudioOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Samples a second, such as 48000.", valueName: "hertz"), transform: RateArgument.parse)
    var rate: RateArgument?

    @Option(help: ArgumentHelp("How many channels.", valueName: "count"), transform: ChannelsArgument.parse)
    var channels: ChannelsArgument?

    @Option(
        help: ArgumentHelp("How a sample stands in memory, such as S16_LE.", valueName: "format"),
        completion: .list(SampleFormat.allCases.map(\.rawValue)), transform: SampleFormat.parse)
    var sampleFormat: SampleFormat?

    @Option(help: "How sound is stored in a .mkv.")
    var audioCodec: AudioCodec = .automatic

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

    /// The first option that is said, for the sentence that it is in vain.
    var firstGiven: String? {
        if rate != nil { return "--rate" }
        if channels != nil { return "--channels" }
        if sampleFormat != nil { return "--sample-format" }
        if sync != .automatic { return "--sync" }
        return audioCodec == .automatic ? nil : "--audio-codec"
    }

    func settings(strict: Bool) -> AudioSettings {
        AudioSettings(
            sampleRate: rate?.hertz, channels: channels?.count, sampleFormat: sampleFormat, isStrict: strict)
    }
}
