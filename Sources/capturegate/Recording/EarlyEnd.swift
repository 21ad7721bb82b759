import CaptureEncoding
import CaptureGate

/// Ends the program after a recording that has a valid file, and an error that ended it early.
struct EarlyEnd: Error {
    let error: CaptureError
    let clip: Clip

    var code: Int32 { clip.end.exitCode }

    /// What there is all the same.
    var remainder: String {
        let time = NumberText.time(nanoseconds: clip.durationNanoseconds)
        return "Ended early: \(clip.end.phrase). \(clip.path.visible) is valid and holds \(time)."
    }
}
