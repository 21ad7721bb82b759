/// What a ``RealtimeQueue`` runs: a track, whatever its source.
///
/// *session-bound*
public protocol CaptureRun: ~Copyable, Sendable {
    var allowsRealtimePriority: Bool { get }

    /// Tells the counters what the thread achieved.
    func report(_ priority: RealtimePriority)
    /// Who is to notice that ``capture()`` or ``finish(_:)`` hangs.
    ///
    /// - Parameter patience: How long a call may take.
    func hangDetector(patience: Duration) -> HangDetector?
    /// The whole session.
    mutating func capture() -> LoopResult
    /// Closes the device, then tells the reader.
    consuming func finish(_ result: LoopResult)
}

extension CaptureRun where Self: ~Copyable {
    public func hangDetector(patience: Duration) -> HangDetector? { nil }
}
