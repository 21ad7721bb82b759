import ArgumentParser
import CaptureGate

/// The choice between text for people and JSON for programs.
struct JSONOption: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Write JSON for programs instead of text.")
    var isOn = false
}

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

/// What a shell offers for the name of a device. It looks in udev alone, opens nothing and asks nobody.
enum DeviceCompletion {
    static var camera: CompletionKind { kind { $0 == .camera } }
    static var microphone: CompletionKind { kind { $0 == .microphone } }
    /// Of a camera or a microphone, as it is said elsewhere.
    static var any: CompletionKind { kind { _ in true } }

    /// - Parameter words: what may be said instead of a device.
    static func camera(or words: [String]) -> CompletionKind { kind(words) { $0 == .camera } }
    static func microphone(or words: [String]) -> CompletionKind { kind(words) { $0 == .microphone } }

    private static func kind(
        _ words: [String] = [], _ isWanted: @escaping @Sendable (CapabilityName) -> Bool
    ) -> CompletionKind {
        .custom { (_: [String], _: Int, _: String) in
            // What would have to be escaped is no word that can be typed.
            words
                + DeviceCatalog.scan(.identity).filter { isWanted($0.capability) }.map(\.id.rawValue)
                .filter { $0 == $0.visible }.map(spelled)
        }
    }

    /// In zsh, what follows a bare colon is a description.
    private static func spelled(_ id: String) -> String {
        CompletionShell.requesting == .zsh ? id.replacing(":", with: "\\:") : id
    }
}
