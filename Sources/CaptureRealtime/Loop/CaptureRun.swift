/// What a ``RealtimeQueue`` runs: a track, whatever its source.
///
/// *session-bound*
public protocol CaptureRun: ~Copyable, Sendable {
    var allowsRealtimePriority: Bool { get }

    /// Tells the counters what the thread achieved.
    func report(_ priority: RealtimePriority)
    /// The whole session.
    mutating func capture() -> LoopResult
    /// Closes the device, then tells the reader.
    consuming func finish(_ result: LoopResult)
}
