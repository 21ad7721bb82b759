public import CaptureGate
public import Foundation

/// The error's sentence is Foundation's `localizedDescription`, and its remedies are what to do.
extension CaptureError: LocalizedError {
    public var errorDescription: String? { message }

    /// Remedies, each with the command that does it.
    public var recoverySuggestion: String? {
        let lines = notice.split(separator: "\n").dropFirst().map { $0.trimmingCharacters(in: .whitespaces) }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }
}

/// An operation's error speaks by its reason: the refusal, or what `execute` threw.
extension OperationError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .refused(let error): error.errorDescription
        case .cancelled: description
        case .failed(let error): error.localizedDescription
        }
    }

    /// Remedies, as far as the reason knows any.
    public var recoverySuggestion: String? {
        switch self {
        case .refused(let error): error.recoverySuggestion
        case .cancelled: nil
        case .failed(let error): (error as? any LocalizedError)?.recoverySuggestion
        }
    }
}
