import CaptureBase
import LinuxSystem

/// The treatment of a file that an interrupted writer may have left under the partial name.
package enum PartialFilePolicy: Equatable {
    /// A recording: never overwritten.
    case recording
    /// A half-written still.
    case picture(isReplaceable: Bool)
    /// A half-written recovery, whose source still exists.
    case recovery

    package var isReplaceable: Bool {
        switch self {
        case .recording: false
        case .picture(let isReplaceable): isReplaceable
        case .recovery: true
        }
    }

    /// Error for a filled file that is left alone, with what to do.
    package func error(_ partial: String) -> CaptureError {
        let quoted = ShellQuote.quoted(partial)
        if case .picture = self {
            return CaptureError(
                .fileExists, "\(partial) contains an incomplete image from an earlier run.",
                errno: Errno.fileExists.number,
                remedies: [Remedy("Remove it, or replace it with --force.", command: "rm \(quoted)")])
        }
        return CaptureError(
            .fileExists, "\(partial) contains an interrupted recording.", errno: Errno.fileExists.number,
            remedies: [
                Remedy("Finish it.", .recover(path: partial)),
                Remedy("Or remove it. --force replaces only finished files.", command: "rm \(quoted)"),
            ])
    }

    /// Error for a file that is left alone whatever its content; `nil` for a plain file of this user with no other name, which
    /// may be inspected.
    package static func refusal(of status: FileStatus, _ path: String) -> CaptureError? {
        let what: String? =
            switch status.kind {
            case .file: fileRefusal(status)
            case .link: "is a link"
            case .directory: "is a directory"
            case .pipe: "is a pipe"
            case .socket: "is a socket"
            default: "is a device"
            }
        return what.map { what in
            CaptureError(
                .fileExists, "\(path) \(what), so the recording can't use that name until it is finished.",
                errno: Errno.fileExists.number,
                remedies: [Remedy("Choose another name for the clip, or move that file away.")])
        }
    }

    private static func fileRefusal(_ status: FileStatus) -> String? {
        if status.owner != Users.effectiveID { return "belongs to another user (\(status.owner))" }
        // Some file systems count no links.
        return status.links > 1 ? "has another hard link" : nil
    }
}

extension CaptureError {
    /// Error of a failed call on an output, in one sentence with what to do.
    package static func output(_ code: Errno, _ action: String, _ path: String) -> CaptureError {
        let message = "Can't \(action) \(path): \(code.text)."
        switch code {
        // EFBIG: a limit of the file system or of the process (RLIMIT_FSIZE); the effect on the file is the same.
        case .noSpace, .diskQuotaExceeded, .fileTooLarge:
            return CaptureError(
                .diskFull, message, errno: code.number,
                remedies: [Remedy("Free some space, or choose another directory.")]
            )
        case .permissionDenied, .notPermitted, .readOnlyFileSystem:
            return CaptureError(
                .inputOutput, message, errno: code.number,
                remedies: [Remedy("Record to a directory that you can write to.")])
        case .noSuchFileOrDirectory, .notDirectory:
            return CaptureError(
                .inputOutput, message, errno: code.number, remedies: [Remedy("Create the directory first.")])
        case .fileNameTooLong:
            return CaptureError(
                .inputOutput, message, errno: code.number,
                remedies: [Remedy("Choose a shorter name. CaptureGate adds .partial to it during the recording.")])
        case .tooManySymbolicLinkLevels:
            return CaptureError(
                .inputOutput, message, errno: code.number, remedies: [Remedy("Name the file itself, not a link to it.")]
            )
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
            return CaptureError(
                .inputOutput, message, errno: code.number,
                remedies: [Remedy("Allow more open files.", command: "ulimit -n 1024")])
        default:
            return CaptureError(.inputOutput, message, errno: code.number)
        }
    }

    /// The error of a clip that has reached its largest size.
    package static var sizeReached: CaptureError { CaptureError(.diskFull, "The clip has reached its maximum size.") }
}
