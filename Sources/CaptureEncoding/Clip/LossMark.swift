/// Where in a clip frames are missing.
///
/// *thread-safe*
public struct LossMark: Hashable, Sendable, Codable {
    /// From the clip's start, nanoseconds.
    public let atNanoseconds: Int64
    /// Samples of each channel, or pictures.
    public let frames: UInt64

    public init(atNanoseconds: Int64, frames: UInt64) {
        self.atNanoseconds = atNanoseconds
        self.frames = frames
    }

    private enum CodingKeys: String, CodingKey {
        case frames
        case atNanoseconds = "at_ns"
    }

    /// The same from a later moment on.
    func since(_ nanoseconds: Int64) -> LossMark {
        LossMark(atNanoseconds: atNanoseconds - nanoseconds, frames: frames)
    }
}
