import ArgumentParser

/// The choice between text for people and JSON for programs.
struct JSONOption: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Write JSON for programs instead of text.")
    var isOn = false
}
