import ArgumentParser
import CaptureEncoding

/// How long it must be quiet, and what is quiet: `3s`, or `3s,-45`.
struct SilenceArgument: SpelledArgument, Hashable, Sendable {
    let rule: SilenceRule

    static let spelling = "a length of time from 20ms, and maybe a level in dBFS from -120 to 0, such as 3s or 3s,-45"

    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let time = DurationArgument(argument: String(parts[0])),
            time.duration >= .milliseconds(20)
        else { return nil }
        guard parts.count == 2 else {
            rule = SilenceRule(duration: time.duration)
            return
        }
        let digits = parts[1].lowercased().hasSuffix("db") ? parts[1].dropLast(2) : parts[1]
        guard let level = Double(digits), (-120...0).contains(level) else { return nil }
        rule = SilenceRule(duration: time.duration, levelDBFS: level)
    }
}
