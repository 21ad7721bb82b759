/// Small pictures of a recording, to be looked at while it runs.
public struct PreviewSettings: Hashable, Sendable {
    /// Pixels; the picture keeps its shape within both.
    public var width: Int
    /// Pixels.
    public var height: Int
    /// How often at most.
    public var interval: Duration

    public init(width: Int, height: Int, interval: Duration = .milliseconds(100)) {
        self.width = width
        self.height = height
        self.interval = interval
    }
}
