import CSystem
import CaptureGate

/// What an earlier writer that was interrupted may have left under the partial name.
enum Leftover {
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
}
