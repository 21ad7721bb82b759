extension CheckCatalogue {
    private typealias Definition = CheckDefinition.Definition
    private typealias Parameter = CheckDefinition.Parameter

    /// Checks of a camera's formats, times and behaviour as a device.
    static let cameras: [CheckDefinition] = modes + timing + starting

    private static let modes: [CheckDefinition] = [
        CheckDefinition(
            "camera.capabilities", [.camera], "The camera's capabilities equal a golden list.",
            method: """
                Reads formats, sizes, rates, inputs, controls and the node's capabilities, and compares them line by line with \
                the golden file, which --accept writes. The file has no bus numbers, present values or signals.
                """,
            source: "tast compares the media graph of KernelSmokeMIPI with a list in YAML.",
            measures: [
                Definition(
                    "missing", "lines", .lower, "lines that only the golden file has", bench: .most(0)),
                Definition("added", "lines", .lower, "lines that only the camera has", bench: .most(0)),
            ]),
        CheckDefinition(
            "camera.modes", [.camera], "Each listed format, size and rate can be set and is kept.",
            method: """
                Sets each combination, streams some frames, and reads size, format and rate back from the driver, and the size \
                from the frames. For a range of sizes it tests the ends and the first step, for a range of rates the \
                ends, and for more than 500 modes 500, spread over the list. A sample is chosen at random, and the report \
                contains its seed.
                """,
            source: "media_v4l2_test asks for the same width, height, format and rate after streaming.",
            parameters: [Parameter("frames", .count, "frames per mode", standard: "5")] + Parameter.modeSample,
            measures: [
                Definition("modes", "modes", .higher, "modes that were tested", bench: .least(1)),
                Definition("changed", "modes", .lower, "modes that the driver changed", bench: .most(0)),
                Definition("failed", "modes", .lower, "modes that delivered no frame", bench: .most(0)),
            ]),
        CheckDefinition(
            "camera.required_modes", [.camera], "The camera has the modes that the plan requires.",
            method:
                "Compares the plan's list with the driver's list. A mode is SIZE@RATE or FORMAT:SIZE@RATE.",
            source: "ChromeOS requires six sizes from 320x240 to 1920x1080 at 30 frames a second.",
            parameters: [
                Parameter("modes", .words, "modes that the camera must list", standard: "[640x480@30, 1280x720@30]")
            ],
            measures: [Definition("missing", "modes", .lower, "required modes that are not listed", bench: .most(0))]),
    ]

    private static let timing: [CheckDefinition] = [
        CheckDefinition(
            "camera.rate", [.camera], "The camera delivers the frame rate that was set.",
            method: """
                Counts frames between the timestamps of the second and the last frame, because the second frame often comes \
                late. Lost frames count, so that loss does not look like a slow rate. The check makes one attempt.
                """,
            source: "tast allows 1 frame a second over 3 s and five tries, ITS 10 %.",
            parameters: Parameter.picture + [.time("3 s")],
            measures: [
                Definition("frame_rate", "Hz", .target, "frames per second by the device's clock"),
                Definition(
                    "frame_rate_error", "%", .target, "distance from the set rate", bench: .around(0.5),
                    certification: .around(0.5)),
            ]),
        CheckDefinition(
            "camera.constant_rate", [.camera], "All frames come at equal intervals.",
            method: """
                Compares each interval between two timestamps with the nominal one, except the first, which camera.jitter \
                reports.
                """,
            source: "tast: 1.5 % in certification, 5 % in the lab.",
            parameters: Parameter.picture + [.time("3 s")],
            measures: [
                Definition(
                    "interval_deviation_max", "%", .lower, "largest distance of an interval from the nominal one",
                    bench: .most(5, marginal: 4), certification: .most(1.5, marginal: 1.2))
            ]),
        CheckDefinition(
            "camera.jitter", [.camera], "The intervals between frames vary little.",
            method: "Computes the variance, percentiles and the largest distance from the mean of all intervals.",
            source: "ITS: variance below 0.01 ms², each gap within 0.3 ms of the mean, the first one at most 100 ms.",
            parameters: Parameter.picture + [.time("3 s")],
            measures: [
                Definition("interval_variance", "ms²", .lower, "variance of the intervals", bench: .most(0.01)),
                Definition("interval_gap_max", "ms", .lower, "largest distance from the mean", bench: .most(0.3)),
                Definition("jitter_p99", "ms", .lower, "distance from the mean of 99 % of the intervals"),
                Definition("jitter_p999", "ms", .lower, "distance from the mean of 99.9 % of the intervals"),
                Definition("first_interval", "ms", .lower, "interval between the first two frames", bench: .most(100)),
            ]),
        CheckDefinition(
            "camera.local_drops", [.camera], "No group of 30 intervals has too few frames.",
            method: "Computes the largest mean of 30 intervals in a row, in periods of the nominal rate.",
            source: "ITS: at most 1.5 periods.",
            parameters: Parameter.picture + [.time("5 s")],
            measures: [
                Definition(
                    "local_drop", "periods", .lower, "largest mean of 30 intervals in a row",
                    bench: .most(1.05, marginal: 1.02))
            ]),
        CheckDefinition(
            "camera.loss", [.camera], "The camera loses no frame.",
            method: """
                Counts gaps in the driver's sequence numbers, and frames that it marked as damaged. It never guesses a \
                loss from the time between two frames, which is reported separately.
                """,
            source: "HAL3's recording test allows 5 % of intervals that are off by more than 20 %.",
            parameters: Parameter.picture + [.time("10 s")],
            measures: [
                Definition("lost", "frames", .lower, "frames that were captured but not delivered", bench: .most(0)),
                Definition("interval_skips", "%", .lower, "intervals that are off by more than 20 %"),
            ]),
        CheckDefinition(
            "camera.timestamps", [.camera], "Timestamps rise and are never in the future.",
            method: """
                Counts the driver's timestamps that had to be repaired because they were missing, did not rise or were in the \
                future. Also counts timestamps after the arrival of their frame.
                """,
            source: "media_v4l2_test and CRAS look for timestamps out of order during 10 s.",
            parameters: Parameter.picture + [.time("10 s")],
            measures: [
                Definition("timestamps_repaired", "frames", .lower, "timestamps that were wrong", bench: .most(0)),
                Definition(
                    "timestamps_future", "frames", .lower, "timestamps after the frame's arrival", bench: .most(0)),
            ]),
    ]

    private static let starting: [CheckDefinition] = [
        CheckDefinition(
            "camera.first_frame_decodes", [.camera], "The first frame after each start is complete.",
            method: """
                Starts the camera several times, and decodes its first frame if it is compressed. A raw frame must have \
                all its bytes. Damaged frames that come before it count, too.
                """,
            source: "ChromeOS restarts MJPEG 20 times and decodes with libyuv.",
            parameters: Parameter.picture + [.times(20, "starts")],
            measures: [Definition("broken", "frames", .lower, "first frames that do not decode", bench: .most(0))]),
        CheckDefinition(
            "camera.first_frame", [.camera], "The first frame comes soon after the camera is opened.",
            method: "Measures from the opening of the node to the arrival of the first frame, several times.",
            source: "Android's performance class: less than 600 ms.",
            parameters: Parameter.picture + [.times(5, "openings")],
            measures: [
                Definition("first_frame_median", "ms", .lower, "median"),
                Definition(
                    "first_frame_max", "ms", .lower, "maximum", bench: .most(600, marginal: 500)),
            ]),
        CheckDefinition(
            "camera.reconfigure", [.camera], "The camera changes its mode quickly.",
            method: """
                Measures the stop in one mode plus the time from opening another mode to its first frame, several times in \
                both directions. The gate's time between the two does not count. The other mode has another \
                size, or otherwise another format or rate. A camera with only one mode is skipped.
                """,
            source: "ITS: at most 1000 ms.",
            parameters: Parameter.picture + [.times(5, "changes")],
            measures: [
                Definition("reconfigure_median", "ms", .lower, "median"),
                Definition(
                    "reconfigure_max", "ms", .lower, "maximum", bench: .most(1000, marginal: 800)),
            ]),
        CheckDefinition(
            "camera.cycles", [.camera], "The camera can be started and stopped repeatedly.",
            method: """
                Captures 1, 2, 3, 5, 8, 13, 21, 34, 55 and 89 frames, three times each, and stops with buffers queued. \
                Afterwards the process must not have more descriptors and threads than after the first time, which creates \
                those that it keeps. Threads have six seconds to end. Parallel checks disturb the count.
                """,
            source: "libcamera's lc-compliance uses these numbers of requests.",
            parameters: Parameter.picture,
            measures: [
                Definition("failed", "cycles", .lower, "cycles without all their frames", bench: .most(0))
            ] + leaks),
        CheckDefinition(
            "camera.sharing", [.camera], "A second program can open the camera, but can't stream from it.",
            method: """
                Opens the node again while it streams. Requests its capabilities, and buffers of both kinds, MMAP and USERPTR. \
                A device without a node is skipped.
                """,
            source: "ChromeOS: MultipleOpen works, MultipleInit is refused, with MMAP and with USERPTR.",
            measures: [
                Definition(
                    "open_refused", "openings", .lower, "second openings that failed or returned no capabilities",
                    bench: .most(0)),
                Definition(
                    "stream_allowed", "streams", .lower, "kinds of buffers that a second program got", bench: .most(0)),
            ]),
        CheckDefinition(
            "camera.compliance", [.camera], "v4l2-compliance finds no new failures.",
            method: """
                Runs v4l2-compliance and compares the failing tests with the golden list of known failures, one per \
                line. --accept writes the list. A camera without failures needs no list.
                """,
            source: "tast asks for exit code 0; Checkbox has a list of blockers.",
            parameters: [Parameter("within", .duration, "time limit of the program", standard: "2 min")],
            measures: [
                Definition("new_failures", "tests", .lower, "failures that are not in the list", bench: .most(0)),
                Definition("failures", "tests", .lower, "all failures"),
                Definition("warnings", "tests", .lower, "warnings"),
            ]),
    ]
}
