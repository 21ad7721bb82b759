import CaptureEncoding
import Glibc

/// The lines at the beginning of a recording.
struct StartText {
    /// The lines while the clip has not begun.
    static func waiting(_ preRoll: Duration?, _ startsAt: Int64?) -> String {
        let moment = startsAt.map { "at \(WallTime.text(nanoseconds: $0))\(milliseconds(of: $0))" }
        guard let preRoll else { return "Waiting: the clip begins \(moment ?? "soon"). Ctrl-C leaves nothing." }
        let start = moment.map { "the clip begins \($0), or with Enter" } ?? "Enter begins the clip"
        let length = NumberText.time(nanoseconds: preRoll.nanoseconds)
        return "Capturing, and keeping the last \(length): \(start) (or kill -USR1 \(getpid())). Ctrl-C leaves nothing."
    }

    /// Such as `.250`; nothing at a whole second.
    private static func milliseconds(of nanoseconds: Int64) -> String {
        let part = nanoseconds % 1_000_000_000 / 1_000_000
        return part == 0 ? "" : ".\(String(part + 1000).dropFirst())"
    }

    let tracks: [ClipTrack]
    let differences: [String]

    func tell(_ stream: StandardStream) {
        for track in tracks { stream.note("Recording \(track.phrase)") }
        for difference in differences { stream.note("Note: \(difference.visible)") }
    }
}
