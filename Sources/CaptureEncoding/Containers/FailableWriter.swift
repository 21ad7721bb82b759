import CaptureGate

/// A writer that keeps why its output takes no more: where that shows at the clip's end alone, `finish` makes a clip all
/// the same.
protocol FailableWriter: ClipWriter {
    var failure: CaptureError? { get }
}
