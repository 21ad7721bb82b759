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
            name, [kind], "The \(kind.rawValue) is there, by its stable id.",
            method: "Looks for it among the devices, without opening it.", source: source,
            measures: [Definition("present", "devices", .higher, "1 where it is there", bench: .exactly(1))])
    }

    /// Controls of either kind are set and read back.
    private static func controls(
        _ name: String, _ kind: CheckDefinition.DeviceKind, _ summary: String, method: String, source: String
    ) -> CheckDefinition {
        CheckDefinition(
            name, [kind], summary, method: method, source: source,
            measures: [
                Definition("controls", "controls", .higher, "controls that were tried"),
                Definition("wrong", "controls", .lower, "controls that did otherwise", bench: .most(0)),
                Definition("left_changed", "controls", .lower, "controls that can't be set back", bench: .most(0)),
            ])
    }

    /// Programs that pull a device out and plug it in.
    private static let cable = [
        Parameter("pull", .command, "program that takes the camera away"),
        Parameter("plug", .command, "program that brings it back"),
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
            "camera.controls", .camera, "Controls have their ranges, and keep what they are set to.",
            method: """
                Sets each control to its least, greatest and standard value, or to each item of its menu, and reads it back, and \
                expects values beyond to be refused or clamped. One that an automatic holds is tried with the automatic \
                switched off. Each is set back, and all are looked at again in the end. Buttons, and what can only be read, \
                are left alone. A device without a control is skipped.
                """,
            source: "tast; kselftest's mixer-test."),
        controls(
            "sound.controls", .microphone, "The card's controls have their ranges, and keep what they are set to.",
            method: "As camera.controls, with the mixer's controls that have to do with capture.",
            source: "kselftest's mixer-test."),
        CheckDefinition(
            "camera.unplug", [.camera], "A recording survives it when the camera is pulled out.",
            method: """
                The plan's command takes the camera away while it records. The time until the file was complete begins with \
                the last frame; the file is then read to its end, and its frames and the lost ones must be those that the \
                camera made. The camera is brought back in the end.
                """,
            source: "The kernel's test-media unbinds a driver while it streams.",
            parameters: cable + [.time("3 s")],
            measures: [
                Definition("file_valid", "ms", .lower, "time until the file was complete", bench: .most(1000)),
                Definition("unaccounted", "frames", .lower, "frames neither in the file nor lost", bench: .most(0)),
            ]),
        CheckDefinition(
            "camera.hotplug", [.camera], "The camera can be plugged in and out without end.",
            method: """
                The plan's commands do so, and some frames are captured each time; the id must stay the same, and there must \
                be no more descriptors and threads than after the first time.
                """,
            source: "Checkbox suspends 30 times.",
            parameters: cable + [.times(100, "times")],
            measures: [
                Definition("ids_changed", "times", .lower, "times it came back as another", bench: .most(0))
            ] + leaks),
    ]

    private static let together: [CheckDefinition] = [
        CheckDefinition(
            "sync.offset", [.camera, .microphone], "Sound and picture of one event come at the same time.",
            method: """
                Finds claps, which are a flash and a click once a second, in both, and takes the differences of their times. The \
                share of a flash's light in its first picture tells when in the picture's time it began, if it lasts for two \
                pictures and the exposure is as long as the interval; else it began with the picture.
                """,
            source: "ITS allows 1 ms between camera and gyroscope; nobody does this automatically.",
            parameters: Parameter.picture + [.time("10 s")],
            measures: [
                Definition(
                    "sync_mean", "ms", .target, "sound after picture, the mean", bench: .around(20),
                    certification: .around(20)),
                Definition("sync_deviation", "ms", .lower, "standard deviation", bench: .most(5, marginal: 4)),
                Definition("claps_missed", "claps", .lower, "claps that only one of the two has", bench: .most(0)),
            ]),
        CheckDefinition(
            "sync.drift", [.camera, .microphone], "The clocks of camera and microphone run alike.",
            method: "Compares both clocks' rates, and tells how far the result is to be trusted after this time.",
            source: "Nobody measures it.",
            parameters: [.time("60 s")],
            measures: [
                Definition("drift", "ppm", .target, "sound's clock against the picture's", bench: .around(100)),
                Definition("drift_uncertainty", "ppm", .lower, "half of the interval of 95 %", bench: .most(50)),
            ]),
    ]

    /// Length of a long capture.
    private static let soaking: [CheckDefinition.Parameter] = [
        .time("8 h"),
        Parameter("settle", .duration, "time after which memory must not grow any more", standard: "10 min"),
    ]

    private static let growth = [
        Definition("memory_growth", "MiB", .lower, "growth after the time to settle", bench: .most(1))
    ]

    private static let machine: [CheckDefinition] = [
        CheckDefinition(
            "host.scheduling", [], "The capture thread runs when it should.",
            method: """
                Waits for a moment of each millisecond on a thread as those of captures are, with the priority that it gets, \
                and measures how late it wakes up.
                """,
            source: "cyclictest: 99 % within 200 us.",
            parameters: [.time("5 s")],
            measures: [
                Definition("wakeup_p99", "us", .lower, "lateness that 99 % keep"),
                Definition("wakeup_p999", "us", .lower, "lateness that 99.9 % keep"),
                Definition("wakeup_max", "us", .lower, "largest lateness"),
            ]),
        CheckDefinition(
            "camera.soak", [.camera], "A long capture needs no more memory at its end.",
            method: """
                Captures for hours, and keeps no more than sums. Memory, descriptors and threads while it captures, at the end \
                and once they had time to settle, are compared: the least of five readings each.
                """,
            source: "tast stresses for minutes.", parameters: Parameter.picture + soaking,
            measures: growth + [
                Definition("lost", "frames", .lower, "frames that were made and not delivered", bench: .most(0)),
                Definition("unaccounted", "frames", .lower, "frames neither delivered nor lost", bench: .most(0)),
            ] + leaks),
        CheckDefinition(
            "sync.soak", [.camera, .microphone],
            "A long capture of both needs no more memory at its end, and loses nothing.",
            method: """
                As camera.soak, with both at once; the drift is that of two thousand readings of each clock at most, and told \
                with its uncertainty.
                """,
            source: "Nobody measures it.", parameters: soaking,
            measures: growth + [
                Definition("lost", "frames", .lower, "video frames that were made and not delivered", bench: .most(0)),
                Definition(
                    "sound_lost", "frames", .lower, "audio frames that were made and not delivered", bench: .most(0)),
                Definition(
                    "unaccounted", "frames", .lower, "frames of both, neither delivered nor lost", bench: .most(0)),
                Definition("drift", "ppm", .target, "sound's clock against the picture's", bench: .around(100)),
                Definition("drift_uncertainty", "ppm", .lower, "half of the interval of 95 %", bench: .most(50)),
            ] + leaks),
        CheckDefinition(
            "gate.holds", [.camera], "The gate never asks on a bench, and takes back what it gave.",
            method: """
                Takes the permission back while the device is captured, and measures until the last frame: by a denial of ten \
                seconds beside the grant, which is removed at once, so that the grant stays as it is. The denial is of the \
                device, or of all cameras where the grant is of the device: other captures of this program may end with it. On \
                the built-in camera, behind a gate of the check's own, a grant must run out while frames flow, and without a \
                grant it must be refused at once and nobody be asked whom the bench's gate would ask.
                """,
            source: "Nobody checks it.",
            measures: [
                Definition("revoked_after", "ms", .lower, "last frame after the revocation", bench: .most(100)),
                Definition("expired_after", "ms", .lower, "last frame after the end of a grant", bench: .most(100)),
                Definition("refused_after", "ms", .lower, "time until the refusal", bench: .most(1000)),
                Definition("asked", "questions", .lower, "questions that were asked", bench: .most(0)),
            ]),
    ]
}
