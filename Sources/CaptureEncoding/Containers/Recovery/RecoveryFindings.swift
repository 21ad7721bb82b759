/// What a recovery notes while it reads.
struct RecoveryFindings {
    var tracks: [RecoveredTrack] = []
    private(set) var losses: [RecoveryLoss] = []
    private(set) var lostBytes: Int64 = 0

    /// A file of nothing but faults must not fill the memory.
    private static let most = 1000

    mutating func note(
        lost offset: Int64, _ byteCount: Int64, _ reason: RecoveryLoss.Reason, silenced nanoseconds: Int64 = 0
    ) {
        guard byteCount > 0 || nanoseconds > 0 else { return }
        lostBytes += max(byteCount, 0)
        guard losses.count < Self.most else { return }
        losses.append(
            RecoveryLoss(offset: offset, byteCount: byteCount, reason: reason, silencedNanoseconds: nanoseconds))
    }

    var durationNanoseconds: Int64 { tracks.map(\.durationNanoseconds).max() ?? 0 }
}
