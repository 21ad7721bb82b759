import ArgumentParser
import CaptureGate

/// Which of a capture card's inputs is meant, and how it is set.
struct InputOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A capture card's input, by its number or a part of its name.",
            discussion: """
                'capturegate devices --json' lists inputs, standards and timings. What is chosen stays so on the card \
                afterwards, for other programs too.
                """, valueName: "input"))
    var input: String?

    @Option(
        help: ArgumentHelp("Of an analogue input: pal, ntsc, secam, PAL-M …, or auto.", valueName: "name"),
        transform: { text in
            guard let standard = VideoStandard(text) else {
                throw ValidationError("A standard is pal, ntsc, secam, one of these such as PAL-M, or auto.")
            }
            return standard
        })
    var standard: VideoStandard?

    @Option(
        help: ArgumentHelp(
            "Of a digital input: such as 1920x1080p60 or 1920x1080i50; else, and with auto, those of its signal.",
            valueName: "timings"),
        transform: { text in
            if text.lowercased() == "auto" { return nil }
            guard let timings = VideoTimings(text) else {
                throw ValidationError("Timings are auto, or such as 1920x1080p60 or 1920x1080i50.")
            }
            return timings
        })
    var timings: VideoTimings?

    /// The first option that is said, for the sentence that it is in vain.
    var firstGiven: String? {
        if input != nil { return "--input" }
        if standard != nil { return "--standard" }
        return timings == nil ? nil : "--timings"
    }

    func apply(to settings: inout VideoSettings) {
        settings.input = input
        settings.standard = standard
        settings.timings = timings
    }
}
