import ArgumentParser
import CaptureGate

/// When a recording ends, and when it begins.
struct TimeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Begin at that moment, to the sample: 18:00, 18:00:30.250 or 2026-01-31T18:00, local time.",
            discussion: "The devices are opened three seconds before. Ctrl-C before it leaves nothing.",
            valueName: "moment"),
        transform: MomentArgument.parse)
    var startAt: MomentArgument?

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

    @Option(
        help: ArgumentHelp(
            "End once all microphones have been quiet for so long, such as 3s.",
            discussion: """
                Less than -50 dBFS is quiet, or than what is said after a comma: 3s,-45. What counts is the power of each \
                20 ms of the loudest channel; the silence belongs to the clip.
                """, valueName: "time[,level]"),
        transform: SilenceArgument.parse)
    var untilSilence: SilenceArgument?

    /// Nanoseconds since 1970.
    /// - Throws: `.usage` for a moment that the calendar has not, or that is over.
    func startsAt() throws(CaptureError) -> Int64? {
        guard let startAt else { return nil }
        let now = WallTime.now
        guard let moment = startAt.nanoseconds(now: now) else {
            throw CaptureError(
                .usage, "There is no such moment from 1970 to 2200.",
                remedies: [Remedy("Write \(MomentArgument.spelling).")])
        }
        guard moment > now else {
            throw CaptureError(
                .usage, "--start-at \(WallTime.text(nanoseconds: moment)) is over.",
                remedies: [Remedy("Name a moment to come.")])
        }
        return moment
    }
}
