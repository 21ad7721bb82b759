import CaptureGate

/// An error as a person reads it.
struct ErrorReport {
    let error: CaptureError

    /// The sentence, then what to do, a line each.
    var lines: [String] {
        var lines = ["capturegate: \(error.message)"]
        for cause in error.underlying where cause.message != error.message { lines.append("  \(cause.message)") }
        for remedy in error.remedies + error.underlying.flatMap(\.remedies) {
            let line = "  \(remedy.text)" + (remedy.command.map { "  $ \($0)" } ?? "")
            if !lines.contains(line) { lines.append(line) }
        }
        return lines
    }
}
