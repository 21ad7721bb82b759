import CaptureGate

/// An error as a person reads it, and as a program does.
struct ErrorReport {
    let error: CaptureError

    /// The sentence, then what to do, each with its command on a line of its own, to be copied.
    func lines(_ style: TextStyle) -> [String] {
        var lines = ["\(style.red("capturegate:")) \(error.message.visible)"]
        for cause in causes { lines.append("  \(cause.message.visible)") }
        for remedy in remedies {
            lines.append("  \(remedy.text.visible)")
            if let command = remedy.command { lines.append("    \(style.bold(command.visible))") }
        }
        return lines
    }

    var json: JSONValue {
        [
            "kind": .string(error.kind.rawValue), "message": .string(error.message),
            "exit_code": .count(error.exitCode),
            "causes": .strings(causes.map(\.message)),
            "remedies": .array(
                remedies.map { ["text": .string($0.text), "command": .optional($0.command)] }),
        ]
    }

    /// The causes that the sentence does not say already.
    private var causes: [CaptureError] { error.underlying.filter { !error.message.contains($0.message) } }

    /// Each once.
    private var remedies: [Remedy] {
        var remedies: [Remedy] = []
        for remedy in error.remedies + error.underlying.flatMap(\.remedies) where !remedies.contains(remedy) {
            remedies.append(remedy)
        }
        return remedies
    }
}

/// Why a stream could not be written.
enum StreamFailure: Error {
    /// The reader has gone: nobody is left to tell anything.
    case closed
    case failed(StandardStream)

    var error: CaptureError? {
        guard case .failed(let stream) = self else { return nil }
        let name = stream.descriptor == 1 ? "Standard output" : "Standard error"
        return CaptureError(
            .inputOutput, "\(name) can't be written.", remedies: [Remedy("Check that its disk has space left.")])
    }
}
