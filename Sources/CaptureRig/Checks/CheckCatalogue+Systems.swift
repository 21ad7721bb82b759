extension CheckCatalogue {
    private typealias Definition = CheckDefinition.Definition
    private typealias Parameter = CheckDefinition.Parameter

    /// Checks of several devices, of the machine, and of the gate.
    static let systems: [CheckDefinition] = presence + together + machine

    /// A device of either kind is looked for.
    private static func present(
        _ name: String, _ kind: CheckDefinition.DeviceKind, source: String
    ) -> CheckDefinition {
        CheckDefinition(
            name, [kind], "The \(kind.rawValue) is connected, with its stable id.",
            method: "Looks for it in the list of devices, without opening it.", source: source,
            measures: [Definition("present", "devices", .higher, "1 if it is connected", bench: .exactly(1))])
    }

    /// Controls of either kind are set and read back.
    private static func controls(
        _ name: String, _ kind: CheckDefinition.DeviceKind, _ summary: String, method: String, source: String
    ) -> CheckDefinition {
        CheckDefinition(
            name, [kind], summary, method: method, source: source,
            measures: [
                Definition("controls", "controls", .higher, "controls that were tested"),
                Definition("wrong", "controls", .lower, "controls with a wrong value", bench: .most(0)),
                Definition("left_changed", "controls", .lower, "controls that can't be restored", bench: .most(0)),
            ])
    }

    /// Programs that pull a device out and plug it in.
    private static let cable = [
        Parameter("pull", .command, "program that unplugs the camera"),
        Parameter("plug", .command, "program that plugs it in again"),
    ]

    /// Numbers of what a process has more of than before.
    static let leaks = [
        CheckDefinition.Definition(
            "descriptors_left", "descriptors", .lower, "descriptors more than before", bench: .most(0)),
        CheckDefinition.Definition("threads_left", "threads", .lower, "threads more than before", bench: .most(0)),
    ]

    private static let presence: [CheckDefinition] = [
        present("camera.present", .camera, source: "Checkbox: camera/detect."),
        present(
            "sound.present", .microphone,
            source: "kselftest's pcm test lists what a board's file names and the machine lacks."),
        controls(
            "camera.controls", .camera, "Controls keep their ranges and the values that are set.",
            method: """
                Sets each control to its minimum, maximum and default, or to each item of its menu, and reads it back. It \
                expects the driver to refuse or clamp values outside the range. A control that an automatic sets is tested \
                with the automatic switched off. Each control is restored, and all are read again at the end. Buttons and \
                read-only controls are not tested. A device without controls is skipped.
                """,
            source: "tast; kselftest's mixer-test."),
        controls(
            "sound.controls", .microphone, "The card's controls keep their ranges and the values that are set.",
            method: "Like camera.controls, with the mixer's capture controls.",
            source: "kselftest's mixer-test."),
        CheckDefinition(
            "camera.unplug", [.camera], "A recording stays valid when the camera is unplugged.",
            method: """
                The plan's command unplugs the camera while it records. The time until the file is complete starts at \
                the last frame. The file is then read to its end. Its frames plus the lost ones must equal those that the \
                camera captured. At the end the camera is plugged in again.
                """,
            source: "The kernel's test-media unbinds a driver while it streams.",
            parameters: cable + [.time("3 s")],
            measures: [
                Definition("file_valid", "ms", .lower, "time until the file was complete", bench: .most(1000)),
                Definition(
                    "unaccounted", "frames", .lower, "frames that are missing but not counted as lost", bench: .most(0)),
            ]),
        CheckDefinition(
            "camera.hotplug", [.camera], "The camera can be plugged in and out repeatedly.",
            method: """
                The plan's commands do this, and some frames are captured each time. The id must stay the same, and there must \
                be no more descriptors and threads than after the first time.
                """,
            source: "Checkbox suspends 30 times.",
            parameters: cable + [.times(100, "times")],
            measures: [
                Definition("ids_changed", "times", .lower, "times it returned with another id", bench: .most(0))
            ] + leaks),
    ]

    private static let together: [CheckDefinition] = [
        CheckDefinition(
            "sync.offset", [.camera, .microphone], "Audio and video of the same event have the same time.",
            method: """
                Finds claps (a flash and a click once a second) in both, and compares their times. The \
                light of a flash in its first frame shows when it started within the frame, if it lasts for two \
                frames and the exposure is as long as the interval. Otherwise the flash starts with the frame.
                """,
            source: "ITS allows 1 ms between camera and gyroscope. No other tool does this automatically.",
            parameters: Parameter.picture + [.time("10 s")],
            measures: [
                Definition(
                    "sync_mean", "ms", .target, "mean delay of audio after video", bench: .around(20),
                    certification: .around(20)),
                Definition("sync_deviation", "ms", .lower, "standard deviation", bench: .most(5, marginal: 4)),
                Definition("claps_missed", "claps", .lower, "claps that only one of the two captured", bench: .most(0)),
            ]),
        CheckDefinition(
            "sync.drift", [.camera, .microphone], "The clocks of camera and microphone have the same rate.",
            method: "Compares the rates of both clocks, and reports the uncertainty of the result.",
            source: "No other tool measures this.",
            parameters: [.time("60 s")],
            measures: [
                Definition("drift", "ppm", .target, "audio clock relative to the video clock", bench: .around(100)),
                Definition("drift_uncertainty", "ppm", .lower, "half of the 95 % interval", bench: .most(50)),
            ]),
    ]

    /// Length of a long capture.
    private static let soaking: [CheckDefinition.Parameter] = [
        .time("8 h"),
        Parameter("settle", .duration, "time after which memory must not grow", standard: "10 min"),
    ]

    private static let growth = [
        Definition("memory_growth", "MiB", .lower, "growth after the time to settle", bench: .most(1))
    ]

    private static let machine: [CheckDefinition] = [
        CheckDefinition(
            "host.scheduling", [], "The capture thread wakes up on time.",
            method: """
                Wakes up once a millisecond on a thread like those of captures, with the priority that it gets, \
                and measures the delay.
                """,
            source: "cyclictest: 99 % within 200 us.",
            parameters: [.time("5 s")],
            measures: [
                Definition("wakeup_p99", "us", .lower, "delay of 99 % of the wake-ups"),
                Definition("wakeup_p999", "us", .lower, "delay of 99.9 % of the wake-ups"),
                Definition("wakeup_max", "us", .lower, "largest delay"),
            ]),
        CheckDefinition(
            "camera.soak", [.camera], "Memory does not grow during a long capture.",
            method: """
                Captures for hours, and keeps only sums. Compares memory, descriptors and threads during the capture, at \
                the end and after they had time to settle, each as the minimum of five readings.
                """,
            source: "tast stresses for minutes.", parameters: Parameter.picture + soaking,
            measures: growth + [
                Definition("lost", "frames", .lower, "frames that were captured but not delivered", bench: .most(0)),
                Definition(
                    "unaccounted", "frames", .lower, "frames not delivered and not counted as lost", bench: .most(0)),
            ] + leaks),
        CheckDefinition(
            "sync.soak", [.camera, .microphone],
            "Memory does not grow during a long capture of both, and nothing is lost.",
            method: """
                Like camera.soak, with both at once. The drift comes from up to two thousand readings of each clock, and \
                is reported with its uncertainty.
                """,
            source: "No other tool measures this.", parameters: soaking,
            measures: growth + [
                Definition(
                    "lost", "frames", .lower, "video frames that were captured but not delivered", bench: .most(0)),
                Definition(
                    "sound_lost", "frames", .lower, "audio frames that were captured but not delivered", bench: .most(0)
                ),
                Definition(
                    "unaccounted", "frames", .lower, "frames of both, not delivered and not counted as lost",
                    bench: .most(0)),
                Definition("drift", "ppm", .target, "audio clock relative to the video clock", bench: .around(100)),
                Definition("drift_uncertainty", "ppm", .lower, "half of the 95 % interval", bench: .most(50)),
            ] + leaks),
        CheckDefinition(
            "gate.holds", [.camera], "The gate revokes captures in time, and never asks on a bench.",
            method: """
                Revokes the permission during a capture, and measures the time until the last frame. It uses a denial of ten \
                seconds, which is removed at once, so that the permission stays unchanged. The denial is for the \
                device, or for all cameras if the permission is for the device. It can end other captures of this program. On \
                the built-in camera, with a separate gate, a permission must expire during a capture. Without a \
                permission, the capture must be refused at once, without a question.
                """,
            source: "No other tool checks this.",
            measures: [
                Definition(
                    "revoked_after", "ms", .lower, "time from the revocation to the last frame", bench: .most(100)),
                Definition(
                    "expired_after", "ms", .lower, "time from the end of a permission to the last frame",
                    bench: .most(100)),
                Definition("refused_after", "ms", .lower, "time until the refusal", bench: .most(1000)),
                Definition("asked", "questions", .lower, "questions that were asked", bench: .most(0)),
            ]),
    ]
}
