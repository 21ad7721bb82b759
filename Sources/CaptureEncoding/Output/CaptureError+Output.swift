import CSystem
import CaptureGate

extension CaptureError {
    /// A failed call on an output, in one sentence with what to do.
    static func output(_ code: Int32, _ action: String, _ path: String) -> CaptureError {
        let message = "Can't \(action) \(path): \(text(of: code))."
        switch code {
        // EFBIG: a limit of the file system or of the process (RLIMIT_FSIZE); to the file it is the same.
        case ENOSPC, EDQUOT, EFBIG:
            return CaptureError(
                .diskFull, message, errno: code, remedies: [Remedy("Free some space, or choose another folder.")])
        case EACCES, EPERM, EROFS:
            return CaptureError(
                .inputOutput, message, errno: code, remedies: [Remedy("Record to a folder you may write to.")])
        case ENOENT, ENOTDIR:
            return CaptureError(.inputOutput, message, errno: code, remedies: [Remedy("Make the folder first.")])
        case ENAMETOOLONG:
            return CaptureError(
                .inputOutput, message, errno: code,
                remedies: [Remedy("Choose a shorter name: until it is finished, .partial is added to it.")])
        case ELOOP:
            return CaptureError(
                .inputOutput, message, errno: code, remedies: [Remedy("Name the file itself, not a link to it.")])
        case EMFILE, ENFILE:
            return CaptureError(
                .inputOutput, message, errno: code,
                remedies: [Remedy("Allow more open files.", command: "ulimit -n 1024")])
        default:
            return CaptureError(.inputOutput, message, errno: code)
        }
    }

    /// One byte more would be more than the clip may have.
    static var sizeReached: CaptureError { CaptureError(.diskFull, "The clip has reached its greatest size.") }

    private static func text(of code: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
            guard let start = text.baseAddress, cs_error_text(code, start, text.count) >= 0 else {
                return "error \(code)"
            }
            return String(cString: start)
        }
    }
}
