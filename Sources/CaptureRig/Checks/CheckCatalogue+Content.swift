extension CheckCatalogue {
    private typealias Definition = CheckDefinition.Definition
    private typealias Parameter = CheckDefinition.Parameter

    /// Checks of what a camera shows.
    static let pictures: [CheckDefinition] = contents + lights

    private static let unreadable = Definition(
        "unreadable", "frames", .lower, "frames that are cut short, or can't be decoded", bench: .most(0))
    private static let skip = Parameter(
        "skip", .count, "frames at the start that are left out, while exposure and focus settle", standard: "0")

    /// Sentence of a method about the frames that are decoded.
    ///
    /// - Parameters:
    ///   - pace: in which they are looked at.
    ///   - looked: how.
    private static func ofJPEG(_ pace: String, _ looked: String) -> String {
        """
         Of JPEG above 640x480 the markers of each frame are looked at, and \(pace) is decoded, \(looked); also each whose \
        number of bytes differs by more than an eighth from that of the last decoded one, or \
        that lacks its end, and from the first fault on all.
        """
    }
    private static let reduced = "to an eighth, whose pixels are means"
    private static let coarse = ofJPEG("a picture each 120 ms", reduced)

    private static let contents: [CheckDefinition] = [
        CheckDefinition(
            "camera.frozen", [.camera], "The camera shows a picture that is alive and not black.",
            method: """
                A frame is black if the mean of its luma is below 20 of 255. It is frozen if all its bytes are those of the \
                one before: a sensor's noise differs from frame to frame, even before a scene that stands still. Before one \
                that moves all the time, `frozen_above: 0.985` counts a frame with a larger structural similarity to the one \
                before as frozen, too, and has each JPEG decoded.
                """ + coarse,
            source: "tast: black and frozen frames at most 1 %, frozen above 0.985; WebRTC's test takes 0.99.",
            parameters: Parameter.picture + [
                .time("5 s"),
                Parameter(
                    "frozen_above", .number, "similarity above which a frame counts as frozen, for moving scenes"),
            ],
            measures: [
                Definition("black", "%", .lower, "black frames", bench: .most(1, marginal: 0.5)),
                Definition("frozen", "%", .lower, "frozen frames", bench: .most(1, marginal: 0.5)),
                Definition("frozen_longest", "frames", .lower, "longest run of frozen frames"), unreadable,
            ]),
        CheckDefinition(
            "camera.pixels", [.camera], "The pixels are those of a known picture.",
            method: """
                Compares the checksum of each frame with those of the golden file. Where it is none of them, up to 640x360 \
                points are compared with the golden picture, by structural similarity and signal-to-noise ratio; the worst \
                frame counts. A digital source repeats its bytes: give `crc_mismatches` the limit `{most: 0}`. Before a chart \
                each frame has another checksum, which is only told: the limits of `ssim` and `psnr` count.
                """ + ofJPEG("a picture each 320 ms", "with all pixels"),
            source: "Chamelium compares checksums; SSIM by Wang and others, 2004.",
            parameters: Parameter.picture + [
                Parameter("frames", .count, "frames to compare", standard: "30"), skip,
            ],
            measures: [
                Definition("crc_mismatches", "frames", .lower, "frames whose checksum is none of the golden file's"),
                Definition(
                    "ssim", "", .higher, "structural similarity to the golden picture",
                    bench: .least(0.98, marginal: 0.985)),
                Definition("psnr", "dB", .higher, "peak signal-to-noise ratio", bench: .least(35, marginal: 37)),
                unreadable,
            ]),
        CheckDefinition(
            "camera.sharpness", [.camera], "The picture is as sharp as the golden one.",
            method: """
                Takes the variance of the luma's Laplacian in the middle 640x480 pixels, the median of the frames, and \
                compares it with the golden file's number.
                """ + ofJPEG("a picture each 320 ms", "with all pixels"),
            source: "Checkbox records BRISQUE without a limit.",
            parameters: Parameter.picture + [.time("2 s"), skip],
            measures: [
                Definition("sharpness", "", .target, "variance of the Laplacian"),
                Definition("sharpness_change", "%", .target, "distance from the golden file", bench: .around(20)),
                unreadable,
            ]),
    ]

    private static let lights: [CheckDefinition] = [
        CheckDefinition(
            "camera.exposure", [.camera], "The exposure settles after the start.",
            method: """
                The mean luma must change by less than 2 % over five frames, and stay so. One that never settles has the time \
                of the whole capture, and fails by the change over its last frames, too.
                """ + coarse,
            source: "ITS tests auto exposure with scenes for phones.",
            parameters: Parameter.picture + [.time("5 s")],
            measures: [
                Definition("exposure_settles", "s", .lower, "time until it has", bench: .most(3, marginal: 2.5)),
                Definition("exposure_change", "%", .lower, "change over the last five frames", bench: .most(2)),
                Definition("luma", "", .none, "mean of the luma over the last five frames, 0...255"), unreadable,
            ]),
        CheckDefinition(
            "camera.low_light", [.camera], "The camera keeps its rate in the dark.",
            method: """
                As camera.rate, after the plan's command in `before` has switched the light off; one in `after` switches it on \
                again. The luma tells that it was dark: give it a limit where a switch may fail unnoticed.
                """ + coarse,
            source: "ITS: within 2 frames a second of the least rate, variance at most 0.001 s².",
            parameters: Parameter.picture + [.time("5 s")],
            measures: [
                Definition("frame_rate_distance", "Hz", .target, "distance from the rate", bench: .around(2)),
                Definition("interval_variance", "ms²", .lower, "variance of the intervals", bench: .most(1000)),
                Definition("luma", "", .none, "mean of the luma over the last five frames, 0...255"), unreadable,
            ]),
        CheckDefinition(
            "camera.shutter", [.camera], "The privacy shutter is reported, and works.",
            method: """
                The plan's command closes the shutter after a second of the capture, which goes on for two. The time is that \
                from the last frame before the command's end to the first one that the control's event has marked; without an \
                event it is the rest of the capture. The frames after that one, or after half a second without an event, must \
                be black. A shutter that a person moves needs a command that asks for it and waits.
                """ + coarse,
            source: "tast: PrivacySwitch.",
            parameters: Parameter.picture + [
                Parameter("close", .command, "program that closes the shutter"),
                Parameter("open", .command, "program that opens it again, also after a failure"),
            ],
            measures: [
                Definition("shutter_event", "ms", .lower, "time until the control's event", bench: .most(500)),
                Definition("uncovered", "frames", .lower, "frames after it that show something", bench: .most(0)),
                unreadable,
            ]),
    ]

    /// Checks of a microphone, or of whatever an ALSA device captures.
    static let sounds: [CheckDefinition] = clocks + signals

    private static let clocks: [CheckDefinition] = [
        CheckDefinition(
            "sound.rate", [.microphone], "The device has the sample rate that was set.",
            method: """
                Fits a straight line through the numbers of frames over time. What is left of the points beside it tells how \
                far the device's pointer is to be trusted.
                """,
            source: "alsa_conformance_test: 0.01 %, tast 0.1 %, factories 0.2 %; residual 10 frames.",
            parameters: Parameter.sound + [.time("5 s")],
            measures: [
                Definition("sound_rate", "Hz", .target, "slope of the line"),
                Definition(
                    "sound_rate_error", "%", .target, "distance from the rate that was set", bench: .around(0.1),
                    certification: .around(0.01)),
                Definition("sound_rate_residual", "frames", .lower, "mean square left of the points", bench: .most(10)),
            ]),
        CheckDefinition(
            "sound.duration", [.microphone], "A recording lasts as long as it should.",
            method: "Captures as many frames as the time has, and measures the time.",
            source: "kselftest: 4 s, give or take 100 ms.",
            parameters: Parameter.sound + [.time("4 s")],
            measures: [
                Definition("duration_error", "periods", .target, "longer or shorter than it should", bench: .around(1))
            ]),
        CheckDefinition(
            "sound.modes", [.microphone], "Each pair of channels, formats and rates that is listed works.",
            method: """
                Opens each pair of channels and formats, channels and rates, rates and formats, and captures some periods. \
                Between the ends of a range it takes what is usual; a device may have holes there, so that such a mode counts \
                only if it is kept. A sample is chosen at random, and the report has its seed.
                """,
            source: "alsa_conformance_test: test_all_pairs.",
            parameters: [Parameter("periods", .count, "periods of each mode", standard: "5")] + Parameter.modeSample,
            measures: [
                Definition("modes", "modes", .higher, "modes that were tried", bench: .least(1)),
                Definition("changed", "modes", .lower, "modes that the driver changed", bench: .most(0)),
                Definition("failed", "modes", .lower, "modes that delivered nothing", bench: .most(0)),
            ]),
        CheckDefinition(
            "sound.xruns", [.microphone], "The device does not overrun.",
            method: "Captures, and counts the overruns and the samples that they lost.",
            source: "alsa_conformance_test allows none.",
            parameters: Parameter.sound + [.time("10 s")],
            measures: [
                Definition("xruns", "overruns", .lower, "overruns of the device", bench: .most(0)),
                Definition("lost", "frames", .lower, "frames that were made and not delivered", bench: .most(0)),
            ]),
        CheckDefinition(
            "sound.steps", [.microphone], "The device's pointer moves in even steps.",
            method: "Takes the numbers of frames that become available from one look to the next.",
            source: "alsa_conformance_test prints least, most and deviation without a limit.",
            parameters: Parameter.sound + [.time("5 s")],
            measures: [
                Definition("step_max", "periods", .lower, "largest step", bench: .most(2, marginal: 1.5)),
                Definition("step_deviation", "periods", .lower, "standard deviation of the steps"),
            ]),
    ]

    /// Tone that is played, and the device on which the check plays it.
    private static let playedTone = [
        Parameter("tone", .number, "frequency that is played, Hz", standard: "997"), playback,
    ]

    private static let playback = Parameter(
        "play", .word, "ALSA name of the device on which the check plays; something else must play without it")

    private static let signals: [CheckDefinition] = [
        CheckDefinition(
            "sound.alive", [.microphone], "Each channel has a signal, without an offset.",
            method: "Leaves the first half second out, and looks for channels that are all zero.",
            source: "alsa_conformance_test: zero channels; tast leaves out 0.5 s or 2 s.",
            parameters: Parameter.sound + [.time("3 s")],
            measures: [
                Definition("zero_channels", "channels", .lower, "channels that are all zero", bench: .most(0)),
                Definition(
                    "dc_offset", "%", .lower, "largest offset, of full scale", bench: .most(1, marginal: 0.8)),
                Definition("noise_floor", "dBFS", .lower, "quietest tenth of a second"),
            ]),
        CheckDefinition(
            "sound.tone", [.microphone], "A tone that is played is recorded with its frequency.",
            method: """
                Leaves the first half second out, fits a sine to the strongest peak of each channel's spectrum, and finds the \
                strongest peak beside it. A channel without any tone is off by 100 %, and as quiet as digital silence.
                """,
            source: "CRAS: 440 Hz; alsabat 1 Hz or 0.5 %; igt: no other peak above half of it.",
            parameters: Parameter.sound + playedTone + [.time("2 s")],
            measures: [
                Definition(
                    "tone_frequency_error", "%", .lower, "distance from the frequency", bench: .most(0.5, marginal: 0.4)
                ),
                Definition(
                    "tone_level", "dBFS", .target, "level of the quietest channel's tone",
                    bench: .least(-60, marginal: -54)),
                Definition(
                    "spur_max", "dB", .lower, "strongest other peak, beside the tone",
                    bench: .most(-40, marginal: -45)),
            ]),
        CheckDefinition(
            "sound.channel_map", [.microphone], "Each channel has its own tone, and no other's.",
            method: """
                A tone of its own is played on each channel; each must be in its channel alone, and the others 40 dB below it. A \
                channel that is silent, or that the microphone does not have, is wrong.
                """,
            source: "igt: a tone a channel, the others absent.",
            parameters: Parameter.sound + [
                Parameter("tones", .words, "frequencies of the channels, Hz", standard: "[500, 1000]"), playback,
                .time("2 s"),
            ],
            measures: [
                Definition("channels_wrong", "channels", .lower, "channels without their own tone", bench: .most(0))
            ]),
        CheckDefinition(
            "sound.level", [.microphone], "A step of the gain changes the level by what it says.",
            method: """
                Records a steady tone at up to six settings of the gain's control, from the lowest up to that by which the tone \
                would be clipped, and muted where the card has a switch. The controls are set back in any case. A card without \
                any gain in decibels is skipped, unless the plan names another.
                """,
            source: "sof check-volume-levels; tast: 10 dB a step, muted at most 1e-5.",
            parameters: Parameter.sound + playedTone + [
                Parameter(
                    "control", .word, "name of the gain's control, where the card has several",
                    standard: "capture_volume"),
                Parameter("mute", .word, "name of the switch that mutes; as the gain's where there is none"),
                .time("1 s"),
            ],
            measures: [
                Definition("gain_error_max", "dB", .lower, "worst step's distance from what it says", bench: .most(1)),
                Definition("mute_level", "dBFS", .lower, "level while muted", bench: .most(-90)),
            ]),
        CheckDefinition(
            "sound.distortion", [.microphone], "A tone is recorded with little noise and distortion.",
            method: """
                Leaves the first half second out, and takes away the sine that fits best. All that is left between 20 Hz and \
                20 kHz is noise and distortion (AES17). A channel without any tone is nothing but noise.
                """,
            source: "alsabat has a signal-to-noise ratio as an option; nobody has THD+N.",
            parameters: Parameter.sound + playedTone + [.time("2 s")],
            measures: [
                Definition("snr", "dB", .higher, "signal-to-noise ratio", bench: .least(60, marginal: 63)),
                Definition("thd_n", "%", .lower, "noise and distortion", bench: .most(1, marginal: 0.8)),
            ]),
        CheckDefinition(
            "sound.round_trip", [.microphone], "Sound that is played is soon recorded.",
            method: """
                Plays noise once a second, and finds it in the recording by correlation. The time is from the moment at which \
                the playback driver says that it plays the noise to the timestamp of the capture driver: it contains both \
                converters and the way between them, and no buffer that the drivers know of.
                """,
            source: "audiotest loopback_latency; sof-test's jack_iodelay.",
            parameters: Parameter.sound + [
                Parameter("play", .word, "ALSA name of the playback device"), .times(5, "round trips"),
            ],
            measures: [
                Definition("round_trip_median", "ms", .lower, "median of the round trips", bench: .most(100)),
                Definition("round_trip_spread", "ms", .lower, "slowest less fastest"),
                Definition("round_trip_missed", "runs", .lower, "times it was not heard", bench: .most(0)),
            ]),
    ]
}
