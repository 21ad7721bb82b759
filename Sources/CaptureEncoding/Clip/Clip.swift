import CaptureGate

/// A finished recording: where it is, what it holds, and what was lost on the way.
///
/// *thread-safe*
public struct Clip: Hashable, Sendable {
    /// The file; `-` for standard output, `null:` for none.
    public let path: String
    public let format: ClipFormat
    /// From the clip's start to the end of its last frame, nanoseconds.
    public let durationNanoseconds: Int64
    public let bytes: Int64
    /// As the devices delivered them.
    public internal(set) var tracks: [ClipTrack]
    public internal(set) var ledger: LossLedger
    public let end: EndReason
    /// The files, where it goes into several; `path` is what the whole is called then, and no file's name.
    public let parts: [ClipPart]
    /// The further places it went to.
    public internal(set) var tees: [ClipTee] = []

    public init(
        path: String, format: ClipFormat, durationNanoseconds: Int64, bytes: Int64, tracks: [ClipTrack],
        ledger: LossLedger, end: EndReason, parts: [ClipPart] = []
    ) {
        self.path = path
        self.format = format
        self.durationNanoseconds = durationNanoseconds
        self.bytes = bytes
        self.tracks = tracks
        self.ledger = ledger
        self.end = end
        self.parts = parts
    }

    public var duration: Duration { .nanoseconds(durationNanoseconds) }
}
