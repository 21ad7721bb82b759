import ArgumentParser
import CaptureGate

/// Choice between text for people and JSON for programs; a group, so that the flag has one name and one help
/// text everywhere.
struct JSONOption: ParsableArguments {
    /// Off by default, also in pipes: an output whose format changed with its destination would surprise both
    /// readers.
    @Flag(name: .customLong("json"), help: "Write JSON instead of text.")
    var isOn = false
}

/// Options that choose and set an input of a capture card.
///
/// A card keeps its input after the program ends (VIDIOC_S_INPUT is a setting of the driver), which the help
/// says.
struct InputOptions: ParsableArguments {
    /// Input by number or by a part of its name; the current one by default, so that a card set up elsewhere
    /// stays as it is.
    @Option(
        help: .advanced(
            "Input of a capture card: number or part of its name.",
            discussion: """
                The command 'capturegate devices --json' lists inputs, standards and timings. The card keeps the chosen input \
                afterwards, also for other programs. By default, its input stays as it is.
                """, valueName: "input"))
    var input: String?

    /// Analogue standard (VIDIOC_S_STD). A transform, not `ExpressibleByArgument`, whose failures can't say
    /// what to write.
    @Option(
        help: .advanced(
            "Analogue standard: pal, ntsc, secam, PAL-M, … or auto.", valueName: "name"),
        transform: { text in
            guard let standard = VideoStandard(text) else {
                throw ValidationError("Write pal, ntsc, secam, a variant such as PAL-M, or auto.")
            }
            return standard
        })
    var standard: VideoStandard?

    /// Digital timings (VIDIOC_S_DV_TIMINGS); `nil` and `auto` follow the signal.
    ///
    /// The transform returns an optional. Without an initial value, the parser shows such an option as required.
    @Option(
        help: .advanced(
            "Digital timings, such as 1920x1080p60 (default: auto).",
            discussion: "With auto, the timings are those of the signal.", valueName: "timings"),
        transform: { text in
            if text.lowercased() == "auto" { return nil }
            guard let timings = VideoTimings(text) else {
                throw ValidationError("Write timings such as 1920x1080p60 or 1920x1080i50, or auto.")
            }
            return timings
        })
    var timings: VideoTimings? = nil

    /// First of these options that was given; named in the error if there is no camera.
    var firstGiven: String? {
        if input != nil { return "--input" }
        if standard != nil { return "--standard" }
        return timings == nil ? nil : "--timings"
    }

    /// Copies the options into the settings of a camera.
    func apply(to settings: inout VideoSettings) {
        settings.input = input
        settings.standard = standard
        settings.timings = timings
    }
}

/// Shell completion of a device's id.
///
/// It reads udev alone, opens no node and asks nobody: pressing Tab must not be a capture, and must answer at
/// once.
enum DeviceCompletion {
    static var camera: CompletionKind { kind { $0 == .camera } }
    static var microphone: CompletionKind { kind { $0 == .microphone } }
    /// Ids of cameras and microphones, for options about either.
    static var any: CompletionKind { kind { _ in true } }

    /// Completion with words that can replace a device.
    ///
    /// - Parameter words: such as `default` and `none`.
    static func camera(or words: [String]) -> CompletionKind { kind(words) { $0 == .camera } }
    static func microphone(or words: [String]) -> CompletionKind { kind(words) { $0 == .microphone } }

    /// Words, then the ids of the devices whose capability is wanted.
    private static func kind(
        _ words: [String] = [], _ isWanted: @escaping @Sendable (CapabilityName) -> Bool
    ) -> CompletionKind {
        .custom { (_: [String], _: Int, _: String) in
            // An id that would have to be escaped can't be typed either, and a shell would show it
            // unfiltered.
            words
                + DeviceCatalog.scan(.identity).filter { isWanted($0.capability) }.map(\.id.rawValue)
                .filter { $0 == $0.visible }.map(spelled)
        }
    }

    /// Id in the spelling of the requesting shell: after a bare colon zsh expects a description.
    private static func spelled(_ id: String) -> String {
        CompletionShell.requesting == .zsh ? id.replacing(":", with: "\\:") : id
    }
}
