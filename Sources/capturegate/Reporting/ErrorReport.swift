import CaptureGate
import LinuxSystem

/// Error as text for a person and as JSON for a program, of the same data.
struct ErrorReport {
    let error: CaptureError
    /// Lines with the formats that the device offers, if it can't do the requested one.
    var offers: [String] = []

    /// Sentence, causes, and remedies, each command on its own line, so that a triple click copies it whole.
    ///
    /// Every text passes through `visible`: messages quote device names and paths, which anybody can choose.
    func lines(_ style: TextStyle) -> [String] {
        var lines = ["\(style.red("capturegate:")) \(error.message.visible)"]
        for cause in causes { lines.append("  \(cause.message.visible)") }
        lines += offers.map { "  \($0)" }
        for remedy in remedies {
            lines.append("  \(remedy.text.visible)")
            if let command = remedy.command { lines.append("    \(style.bold(command.visible))") }
        }
        return lines
    }

    /// Error for programs; "kind" and "exit_code" are stable, the texts are not.
    var json: JSONValue {
        [
            "kind": .string(error.kind.rawValue), "message": .string(error.message),
            "exit_code": .count(error.exitCode),
            "causes": .strings(causes.map(\.message)),
            "remedies": .array(
                remedies.map { ["text": .string($0.text), "command": .optional($0.command)] }),
        ]
    }

    /// Causes that the sentence does not contain already: often it was made of them.
    private var causes: [CaptureError] { error.underlying.filter { !error.message.contains($0.message) } }

    /// Remedies of the error and its causes, each once: two cameras may fail for one reason.
    private var remedies: [(text: String, command: String?)] {
        var remedies: [(text: String, command: String?)] = []
        for remedy in error.remedies + error.underlying.flatMap(\.remedies) {
            let next = (text: remedy.text, command: remedy.commandLine)
            if !remedies.contains(where: { $0 == next }) { remedies.append(next) }
        }
        return remedies
    }
}

extension CaptureError {
    /// Exit status of a program that ends with this error, after sysexits(3).
    var exitCode: Int32 {
        switch kind {
        case .usage: 64
        case .badInput: 65
        case .noDevice: 66
        case .unavailable, .deviceGone, .stalled, .timedOut, .deadlock, .cancelled: 69
        case .fileExists: 73
        case .inputOutput, .diskFull: 74
        case .busy: 75
        case .notAuthorized, .dismissed, .revoked, .expired: 77
        case .notAsAsked, .configuration, .store: 78
        case .conditionFailed: underlying.first?.exitCode ?? 69
        }
    }
}

/// Reason why a stream could not be written.
enum StreamFailure: Error {
    /// The reader is gone, as with `head`: nobody is left to read a message, so this counts as success.
    case closed
    /// Any other error, such as a full disk if the output is redirected.
    case failed(StandardStream)

    /// Error to be reported; `nil` if the reader closed the pipe.
    var error: CaptureError? {
        guard case .failed(let stream) = self else { return nil }
        let name = stream.descriptor == .standardOutput ? "Standard output" : "Standard error"
        return CaptureError(
            .inputOutput, "\(name) can't be written.", remedies: [Remedy("Check that its disk has space left.")])
    }
}
