import CaptureBase

/// A finished recording: its files, its tracks, and the frames that were lost.
///
/// *thread-safe*
public struct Clip: Hashable, Sendable {
    /// Path of the file; `-` for standard output, `null:` for none. With segments, the common name, which no file has.
    public let path: String
    public let format: ClipFormat
    /// Time from the clip's start to the end of its last frame.
    public let duration: Duration
    public let bytes: Int64
    /// Tracks: cameras in the formats that they delivered, audio in that of the clip.
    public package(set) var tracks: [ClipTrack]
    public package(set) var ledger: LossLedger
    public let end: EndReason
    /// Files of a segmented clip, in order; empty for a clip of one file.
    public let segments: [ClipSegment]
    /// Further outputs of the same capture.
    public package(set) var tees: [ClipTee] = []

    public init(
        path: String, format: ClipFormat, duration: Duration, bytes: Int64, tracks: [ClipTrack],
        ledger: LossLedger, end: EndReason, segments: [ClipSegment] = []
    ) {
        self.path = path
        self.format = format
        self.duration = duration
        self.bytes = bytes
        self.tracks = tracks
        self.ledger = ledger
        self.end = end
        self.segments = segments
    }
}

/// One file of a segmented clip.
///
/// *thread-safe*
public struct ClipSegment: Hashable, Sendable {
    public let path: String
    /// Time from the clip's start to the segment's.
    public let start: Duration
    public let duration: Duration
    public let bytes: Int64

    public init(path: String, start: Duration, duration: Duration, bytes: Int64) {
        self.path = path
        self.start = start
        self.duration = duration
        self.bytes = bytes
    }
}

/// A pause of a recording: a cut in the clip, after which the clip's time continues without a gap.
///
/// *thread-safe*
public struct ClipPause: Hashable, Sendable, Codable {
    /// ``at`` in nanoseconds, for JSON.
    package let atNanoseconds: Int64
    /// ``length`` in nanoseconds, for JSON.
    package let lengthNanoseconds: Int64

    package init(atNanoseconds: Int64, lengthNanoseconds: Int64) {
        self.atNanoseconds = atNanoseconds
        self.lengthNanoseconds = lengthNanoseconds
    }

    /// Place of the cut, from the clip's start.
    public var at: Duration { .nanoseconds(atNanoseconds) }
    /// Duration of the pause.
    public var length: Duration { .nanoseconds(lengthNanoseconds) }

    private enum CodingKeys: String, CodingKey {
        case atNanoseconds = "at_ns"
        case lengthNanoseconds = "length_ns"
    }

    /// The pause with its place counted from a later moment.
    package func since(_ nanoseconds: Int64) -> ClipPause {
        ClipPause(atNanoseconds: atNanoseconds - nanoseconds, lengthNanoseconds: lengthNanoseconds)
    }
}

/// A chapter of a clip.
///
/// *thread-safe*
public struct ClipChapter: Hashable, Sendable {
    /// Start of the chapter, from the clip's start.
    public let at: Duration
    public let title: String

    public init(at: Duration, title: String) {
        self.at = at
        self.title = title
    }
}

/// A further output of a recording, beside the clip's own.
///
/// *thread-safe*
public struct ClipTee: Hashable, Sendable {
    public let path: String
    public let format: ClipFormat
    public let duration: Duration
    public let bytes: Int64
    public let end: EndReason
    /// Error that ended this output before the others; `nil` if it did not fail.
    public let error: CaptureError?
    /// Losses of this output: a slow one drops frames that the others have.
    public let ledger: LossLedger
    /// Files of a segmented output; empty for one file.
    public let segments: [ClipSegment]

    package init(
        path: String, format: ClipFormat, duration: Duration, bytes: Int64, end: EndReason,
        error: CaptureError?,
        ledger: LossLedger, segments: [ClipSegment]
    ) {
        self.path = path
        self.format = format
        self.duration = duration
        self.bytes = bytes
        self.end = end
        self.error = error
        self.ledger = ledger
        self.segments = segments
    }
}

/// Failure of one of several outputs, while the others continue.
///
/// *thread-safe*
public struct OutputFailure: Hashable, Sendable {
    public let path: String
    public let error: CaptureError

    package init(path: String, error: CaptureError) {
        self.path = path
        self.error = error
    }
}

/// Reason for which a recording ended.
///
/// *thread-safe*
public enum EndReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The clip has everything that was requested.
    case complete
    /// One more frame would have exceeded the largest size.
    case maxSize = "max_size"
    /// The audio was quiet for the time in the settings.
    case silence
    /// A frame was lost, under `LossPolicy.fail`.
    case loss
    /// A person or a signal ended it.
    case interrupt
    /// The gate revoked the permission.
    case revoked
    case deviceGone = "device_gone"
    case stalled
    /// The signal at a device's input changed, or was lost and no frames came any more.
    case signal
    /// Its reader has closed the pipe, as `head` does.
    case readerGone = "reader_gone"
    case diskFull = "disk_full"
    case failure

    /// Reason for a clip whose output failed.
    package init(ofOutput error: CaptureError) {
        self =
            switch error {
            case .sizeReached: .maxSize
            case _ where error.isOfGoneReader: .readerGone
            default: error.kind == .diskFull ? .diskFull : .failure
            }
    }
}
