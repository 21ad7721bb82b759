/// One file of a recording that goes into several.
///
/// *thread-safe*
public struct ClipPart: Hashable, Sendable {
    public let path: String
    /// From the recording's start to the part's, nanoseconds.
    public let startNanoseconds: Int64
    public let durationNanoseconds: Int64
    public let bytes: Int64

    public init(path: String, startNanoseconds: Int64, durationNanoseconds: Int64, bytes: Int64) {
        self.path = path
        self.startNanoseconds = startNanoseconds
        self.durationNanoseconds = durationNanoseconds
        self.bytes = bytes
    }
}
