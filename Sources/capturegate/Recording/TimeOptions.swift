import ArgumentParser

/// When a recording ends, and when it begins.
struct TimeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "End once all microphones have been quiet for so long, such as 3s.",
            discussion: """
                Less than -50 dBFS is quiet, or than what is said after a comma: 3s,-45. What counts is the power of each \
                20 ms of the loudest channel; the silence belongs to the clip.
                """, valueName: "time[,level]"),
        transform: SilenceArgument.parse)
    var untilSilence: SilenceArgument?
}
