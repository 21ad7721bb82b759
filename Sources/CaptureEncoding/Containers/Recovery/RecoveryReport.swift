/// What became of an interrupted recording: what the finished clip has of it, and what it has not.
///
/// *thread-safe*
public struct RecoveryReport: Hashable, Sendable {
    /// The interrupted file.
    public let source: String
    /// The finished clip.
    public let path: String
    public let format: ClipFormat
    /// From the clip's start to its end, nanoseconds.
    public let durationNanoseconds: Int64
    /// Of the interrupted file.
    public let sourceBytes: Int64
    /// Of the finished clip.
    public let bytes: Int64
    public let tracks: [RecoveredTrack]
    /// The first thousand, in the order of the file.
    public let losses: [RecoveryLoss]
    /// Bytes of the interrupted file that hold sound or pictures, or did, and are not in the clip.
    public let lostBytes: Int64
    /// Whether the interrupted file was removed: only where nothing of it was lost.
    public let isSourceRemoved: Bool

    /// Whether nothing was lost but what tells a file's end.
    public var isComplete: Bool { lostBytes == 0 && losses.isEmpty }

    public var duration: Duration { .nanoseconds(durationNanoseconds) }

    /// How much silence stands for what was lost, nanoseconds.
    public var silencedNanoseconds: Int64 { losses.reduce(0) { $0 + $1.silencedNanoseconds } }

    /// One line of JSON (RFC 8259).
    public var json: String {
        JSONText.object([
            ("source", .string(source)), ("path", .string(path)), ("format", .string(format.rawValue)),
            ("duration_ns", .integer(durationNanoseconds)), ("source_bytes", .integer(sourceBytes)),
            ("bytes", .integer(bytes)), ("tracks", .array(tracks.map(\.jsonText))),
            ("losses", .array(losses.map(\.jsonText))), ("lost_bytes", .integer(lostBytes)),
            ("silenced_ns", .integer(silencedNanoseconds)),
            ("source_removed", .string(isSourceRemoved ? "yes" : "no")),
        ]).rendered
    }
}
