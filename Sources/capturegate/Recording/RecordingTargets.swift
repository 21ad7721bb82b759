import CaptureEncoding
import CaptureGate

/// Where a recording goes: OUT first, then each --tee.
struct RecordingTargets: Sendable {
    let first: RecordingTarget
    let others: [RecordingTarget]

    /// - Throws: as `RecordingTarget`; nothing is left behind then.
    init(_ plan: RecordingPlan, _ files: FileOptions, replacing: Bool) throws(CaptureError) {
        var targets: [RecordingTarget] = []
        do throws(CaptureError) {
            for output in [PlannedOutput(destination: plan.destination, format: plan.format)] + plan.tees {
                targets.append(
                    try RecordingTarget(
                        output.destination, format: output.format, replacing: replacing,
                        segment: files.segment?.duration, maxBytes: files.maxSize?.bytes))
            }
        } catch {
            for target in targets { target.discard() }
            throw error
        }
        first = targets[0]
        others = Array(targets.dropFirst())
    }

    /// What the files are called until they are finished.
    var partial: [String] { ([first] + others).compactMap(\.partialName) }

    func discard() { for target in [first] + others { target.discard() } }
}
