extension CheckCatalogue {
    private typealias Definition = CheckDefinition.Definition
    private typealias Parameter = CheckDefinition.Parameter

    /// Checks of what a camera shows.
    static let pictures: [CheckDefinition] = contents + lights

    private static let unreadable = Definition(
        "unreadable", "frames", .lower, "frames that are incomplete or can't be decoded", bench: .most(0))
    private static let skip = Parameter(
        "skip", .count, "frames to ignore at the start, while exposure and focus settle", standard: "0")

    /// Sentence of a method about the frames that are decoded.
    ///
    /// - Parameters:
    ///   - pace: in which they are looked at.
    ///   - looked: how.
    private static func ofJPEG(_ pace: String, _ looked: String) -> String {
        """
         For JPEG above 640x480 the check reads the markers of each frame, and decodes \(pace), \(looked). It also decodes each \
        frame that has no end or whose size differs by more than an eighth from the last decoded one, and all frames after \
        the first fault.
        """
    }
    private static let reduced = "scaled down to an eighth"
    private static let coarse = ofJPEG("one frame every 120 ms", reduced)

    private static let contents: [CheckDefinition] = [
        CheckDefinition(
            "camera.frozen", [.camera], "The image is not frozen and not black.",
            method: """
                A frame is black if its mean luma is below 20 of 255. It is frozen if all its bytes equal those of the \
                previous frame: a sensor's noise differs from frame to frame, even with a still scene. With a scene that \
                always moves, `frozen_above: 0.985` also counts a frame as frozen if its structural similarity to the \
                previous one is larger. It also decodes each JPEG.
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
            "camera.pixels", [.camera], "The pixels equal those of a known image.",
            method: """
                Compares the checksum of each frame with those of the golden file. If it equals none of them, up to 640x360 \
                points are compared with the golden image, by structural similarity and signal-to-noise ratio. The worst \
                frame counts. A digital source repeats its bytes: give `crc_mismatches` the limit `{most: 0}`. With a chart, \
                each frame has another checksum, which is only reported. The limits of `ssim` and `psnr` count.
                """ + ofJPEG("one frame every 320 ms", "with all pixels"),
            source: "Chamelium compares checksums; SSIM by Wang and others, 2004.",
            parameters: Parameter.picture + [
                Parameter("frames", .count, "frames to compare", standard: "30"), skip,
            ],
            measures: [
                Definition("crc_mismatches", "frames", .lower, "frames whose checksum is not in the golden file"),
                Definition(
                    "ssim", "", .higher, "structural similarity to the golden image",
                    bench: .least(0.98, marginal: 0.985)),
                Definition("psnr", "dB", .higher, "peak signal-to-noise ratio", bench: .least(35, marginal: 37)),
                unreadable,
            ]),
        CheckDefinition(
            "camera.sharpness", [.camera], "The image is as sharp as the golden one.",
            method: """
                Takes the variance of the luma's Laplacian in the middle 640x480 pixels, the median of the frames, and \
                compares it with the golden file's number.
                """ + ofJPEG("one frame every 320 ms", "with all pixels"),
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
                The mean luma must change by less than 2 % over five frames, and stay stable. If it never settles, the \
                time is that of the whole capture, and the change over the last frames fails as well.
                """ + coarse,
            source: "ITS tests auto exposure with scenes for phones.",
            parameters: Parameter.picture + [.time("5 s")],
            measures: [
                Definition(
                    "exposure_settles", "s", .lower, "time until it has settled", bench: .most(3, marginal: 2.5)),
                Definition("exposure_change", "%", .lower, "change over the last five frames", bench: .most(2)),
                Definition("luma", "", .none, "mean of the luma over the last five frames, 0...255"), unreadable,
            ]),
        CheckDefinition(
            "camera.low_light", [.camera], "The camera keeps its rate in the dark.",
            method: """
                Like camera.rate, after the plan's command in `before` has switched off the light. A command in `after` \
                switches it on again. The luma shows whether it was dark. Give it a limit if the switch can fail \
                unnoticed.
                """ + coarse,
            source: "ITS: within 2 frames a second of the least rate, variance at most 0.001 s².",
            parameters: Parameter.picture + [.time("5 s")],
            measures: [
                Definition("frame_rate_distance", "Hz", .target, "distance from the rate", bench: .around(2)),
                Definition("interval_variance", "ms²", .lower, "variance of the intervals", bench: .most(1000)),
                Definition("luma", "", .none, "mean of the luma over the last five frames, 0...255"), unreadable,
            ]),
        CheckDefinition(
            "camera.shutter", [.camera], "The privacy shutter works and is reported.",
            method: """
                The plan's command closes the shutter after one second. The capture continues for two. The time is measured \
                from the last frame before the command's end to the first frame after the control's event. Without an \
                event it is the rest of the capture. The frames after that, or after half a second without an event, must \
                be black. If a person moves the shutter, use a command that asks for it and waits.
                """ + coarse,
            source: "tast: PrivacySwitch.",
            parameters: Parameter.picture + [
                Parameter("close", .command, "program that closes the shutter"),
                Parameter("open", .command, "program that opens the shutter again, also after a failure"),
            ],
            measures: [
                Definition("shutter_event", "ms", .lower, "time until the control's event", bench: .most(500)),
                Definition("uncovered", "frames", .lower, "later frames that are not black", bench: .most(0)),
                unreadable,
            ]),
    ]

    /// Checks of a microphone, or of whatever an ALSA device captures.
    static let sounds: [CheckDefinition] = clocks + signals

    private static let clocks: [CheckDefinition] = [
        CheckDefinition(
            "sound.rate", [.microphone], "The device delivers the sample rate that was set.",
            method: """
                Fits a straight line through the number of frames over time. The residuals show how \
                precise the device's pointer is.
                """,
            source: "alsa_conformance_test: 0.01 %, tast 0.1 %, factories 0.2 %; residual 10 frames.",
            parameters: Parameter.sound + [.time("5 s")],
            measures: [
                Definition("sound_rate", "Hz", .target, "slope of the line"),
                Definition(
                    "sound_rate_error", "%", .target, "distance from the rate that was set", bench: .around(0.1),
                    certification: .around(0.01)),
                Definition(
                    "sound_rate_residual", "frames", .lower, "root mean square of the residuals", bench: .most(10)),
            ]),
        CheckDefinition(
            "sound.duration", [.microphone], "A recording has the right length.",
            method: "Captures the number of frames for the time, and measures the time.",
            source: "kselftest: 4 s, give or take 100 ms.",
            parameters: Parameter.sound + [.time("4 s")],
            measures: [
                Definition("duration_error", "periods", .target, "distance from the right length", bench: .around(1))
            ]),
        CheckDefinition(
            "sound.modes", [.microphone], "Each listed pair of channels, formats and rates works.",
            method: """
                Opens each pair of channels and formats, channels and rates, and rates and formats. Captures some periods \
                of each. Between the ends of a range it tests usual values. A device can have gaps there, so such a mode \
                counts only if the driver keeps it. A sample is chosen at random, and the report contains its seed.
                """,
            source: "alsa_conformance_test: test_all_pairs.",
            parameters: [Parameter("periods", .count, "periods per mode", standard: "5")] + Parameter.modeSample,
            measures: [
                Definition("modes", "modes", .higher, "modes that were tried", bench: .least(1)),
                Definition("changed", "modes", .lower, "modes that the driver changed", bench: .most(0)),
                Definition("failed", "modes", .lower, "modes that delivered nothing", bench: .most(0)),
            ]),
        CheckDefinition(
            "sound.xruns", [.microphone], "The device does not overrun.",
            method: "Captures, and counts the overruns and the samples lost in them.",
            source: "alsa_conformance_test allows none.",
            parameters: Parameter.sound + [.time("10 s")],
            measures: [
                Definition("xruns", "overruns", .lower, "overruns of the device", bench: .most(0)),
                Definition("lost", "frames", .lower, "frames that were made and not delivered", bench: .most(0)),
            ]),
        CheckDefinition(
            "sound.steps", [.microphone], "The device's pointer moves in even steps.",
            method: "Measures the number of new frames from one poll to the next.",
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
        "play", .word, "ALSA name of the playback device. Without it, something else must play the tone")

    private static let signals: [CheckDefinition] = [
        CheckDefinition(
            "sound.alive", [.microphone], "Each channel has a signal without a DC offset.",
            method: "Ignores the first half second, and looks for channels that are all zero.",
            source: "alsa_conformance_test: zero channels; tast leaves out 0.5 s or 2 s.",
            parameters: Parameter.sound + [.time("3 s")],
            measures: [
                Definition("zero_channels", "channels", .lower, "channels that are all zero", bench: .most(0)),
                Definition(
                    "dc_offset", "%", .lower, "largest offset, of full scale", bench: .most(1, marginal: 0.8)),
                Definition("noise_floor", "dBFS", .lower, "quietest tenth of a second"),
            ]),
        CheckDefinition(
            "sound.tone", [.microphone], "A played tone is recorded with its frequency.",
            method: """
                Ignores the first half second, fits a sine to the strongest peak of each channel's spectrum, and finds the \
                strongest other peak. A channel without a tone counts as 100 % off and as digital silence.
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
                    "spur_max", "dB", .lower, "strongest other peak, relative to the tone",
                    bench: .most(-40, marginal: -45)),
            ]),
        CheckDefinition(
            "sound.channel_map", [.microphone], "Each channel has its own tone and no other tone.",
            method: """
                Plays a different tone on each channel. Each tone must be only in its channel, with the others 40 dB below \
                it. A silent or missing channel is wrong.
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
            "sound.level", [.microphone], "Each step of the gain changes the level by its nominal value.",
            method: """
                Records a steady tone at up to six settings of the gain control, from the lowest to the one at which the tone \
                would clip, and muted if the card has a switch. The controls are always restored. A card without \
                a gain in decibels is skipped, unless the plan names another control.
                """,
            source: "sof check-volume-levels; tast: 10 dB a step, muted at most 1e-5.",
            parameters: Parameter.sound + playedTone + [
                Parameter(
                    "control", .word, "name of the gain control, if the card has several",
                    standard: "capture_volume"),
                Parameter("mute", .word, "name of the mute switch (default: the gain's name)"),
                .time("1 s"),
            ],
            measures: [
                Definition(
                    "gain_error_max", "dB", .lower, "largest distance of a step from its nominal value", bench: .most(1)
                ),
                Definition("mute_level", "dBFS", .lower, "level while muted", bench: .most(-90)),
            ]),
        CheckDefinition(
            "sound.distortion", [.microphone], "A tone is recorded with little noise and distortion.",
            method: """
                Ignores the first half second, and subtracts the best-fitting sine. The rest between 20 Hz and \
                20 kHz is noise and distortion (AES17). A channel without a tone is only noise.
                """,
            source: "alsabat has a signal-to-noise ratio as an option. No other tool has THD+N.",
            parameters: Parameter.sound + playedTone + [.time("2 s")],
            measures: [
                Definition("snr", "dB", .higher, "signal-to-noise ratio", bench: .least(60, marginal: 63)),
                Definition("thd_n", "%", .lower, "noise and distortion", bench: .most(1, marginal: 0.8)),
            ]),
        CheckDefinition(
            "sound.round_trip", [.microphone], "Played audio is recorded after a short time.",
            method: """
                Plays noise once a second, and finds it in the recording by correlation. The time starts when the playback \
                driver reports that it plays the noise, and ends at the timestamp of the capture driver. It contains both \
                converters and the path between them, but no buffers that the drivers know.
                """,
            source: "audiotest loopback_latency; sof-test's jack_iodelay.",
            parameters: Parameter.sound + [
                Parameter("play", .word, "ALSA name of the playback device"), .times(5, "round trips"),
            ],
            measures: [
                Definition("round_trip_median", "ms", .lower, "median of the round trips", bench: .most(100)),
                Definition("round_trip_spread", "ms", .lower, "maximum minus minimum"),
                Definition(
                    "round_trip_missed", "runs", .lower, "runs without the noise in the recording", bench: .most(0)),
            ]),
    ]
}
