import CaptureGate

/// One word of the command line: `NAME` or `NAME=VALUE`.
struct ControlRequest: Sendable {
    let name: String
    /// As it was written.
    let value: String?

    /// - Parameter isReset: defaults are asked for, so that a value would contradict.
    init(_ word: String, isReset: Bool) throws(CaptureError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        name = String(parts[0])
        value = parts.count == 2 ? String(parts[1]) : nil
        guard name.contains(where: { $0.isLetter }) else {
            throw CaptureError(
                .usage, "\"\(word.visible)\" is neither NAME nor NAME=VALUE.",
                remedies: [Remedy("See 'capturegate help controls'.")])
        }
        if isReset, value != nil {
            throw CaptureError(
                .usage, "--reset sets \(name.visible) to its default, and a value is given as well.",
                remedies: [Remedy("Leave out the one or the other.")])
        }
    }
}
