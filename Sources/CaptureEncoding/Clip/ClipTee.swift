import CaptureGate

/// A further place that a recording went to.
///
/// *thread-safe*
public struct ClipTee: Hashable, Sendable {
    public let path: String
    public let format: ClipFormat
    public let durationNanoseconds: Int64
    public let bytes: Int64
    public let end: EndReason
    /// Why it ended before the others; `nil` where it did not fail.
    public let error: CaptureError?
    /// What became of the frames of its tracks: one that is too slow leaves pictures out that the others have.
    public let ledger: LossLedger
    /// The files, where it goes into several.
    public let parts: [ClipPart]
}
