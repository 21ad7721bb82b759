import CSystem
import CaptureGate

/// What an earlier writer that was interrupted may have left under the partial name.
enum Leftover: Equatable {
    /// A recording: nothing writes over it.
    case recording
    /// Half a picture.
    case picture(isReplaceable: Bool)
    /// Half a recovery, whose recording is still there.
    case recovery

    var isReplaceable: Bool {
        switch self {
        case .recording: false
        case .picture(let isReplaceable): isReplaceable
        case .recovery: true
        }
    }

    /// Why a file with something in it is left alone, and what to do.
    func error(_ partial: String) -> CaptureError {
        let quoted = ClipOutput.quoted(partial)
        if case .picture = self {
            return CaptureError(
                .fileExists, "\(partial) holds half a picture that was interrupted.", errno: EEXIST,
                remedies: [Remedy("Remove it, or replace it with --force.", command: "rm \(quoted)")])
        }
        return CaptureError(
            .fileExists, "\(partial) holds a recording that was interrupted.", errno: EEXIST,
            remedies: [
                Remedy("Finish it.", command: "capturegate recover \(quoted)"),
                Remedy("Or remove it: --force replaces finished files alone.", command: "rm \(quoted)"),
            ])
    }

    /// Why what has the partial name is left alone, whatever is in it; `nil` for a plain file of this user's with no other
    /// name, which may be looked into.
    static func refusal(of status: cs_file_status, _ path: String) -> CaptureError? {
        let what: String? =
            switch status.mode & UInt32(CS_MODE_KIND) {
            case UInt32(CS_MODE_FILE): fileRefusal(status)
            case UInt32(CS_MODE_LINK): "is a link"
            case UInt32(CS_MODE_DIRECTORY): "is a folder"
            case UInt32(CS_MODE_PIPE): "is a pipe"
            case UInt32(CS_MODE_SOCKET): "is a socket"
            default: "is a device"
            }
        return what.map { what in
            CaptureError(
                .fileExists, "\(path) \(what): nothing is written there.", errno: EEXIST,
                remedies: [Remedy("Choose another name, or take that away: a recording is written under it first.")])
        }
    }

    private static func fileRefusal(_ status: cs_file_status) -> String? {
        if status.uid != cs_geteuid() { return "belongs to another user, of number \(status.uid)" }
        // Some file systems count none.
        return status.links > 1 ? "is a file that has another name as well" : nil
    }
}
