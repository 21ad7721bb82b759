/// What a finished clip has of one track.
///
/// *thread-safe*
public struct RecoveredTrack: Hashable, Sendable {
    public let kind: MediaKind
    /// The device's name, where the file has it.
    public let name: String
    /// Pictures, or samples of each channel, silence included.
    public internal(set) var frames: Int64
    public internal(set) var durationNanoseconds: Int64

    var jsonText: JSONText {
        .object([
            ("kind", .string(kind.rawValue)), ("name", .string(name)), ("frames", .integer(frames)),
            ("duration_ns", .integer(durationNanoseconds)),
        ])
    }
}
