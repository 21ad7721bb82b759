import CaptureEncoding

/// A place that a recording goes to, and in which format.
struct PlannedOutput: Hashable, Sendable {
    let destination: ClipDestination
    let format: ClipFormat
}
