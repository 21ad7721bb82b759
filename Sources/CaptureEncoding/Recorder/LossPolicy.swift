/// What a recording does where frames are lost on the way to it.
///
/// *thread-safe*
public enum LossPolicy: String, Hashable, Sendable, Codable, CaseIterable {
    /// Silence stands for the sound, and the picture after the hole for pictures: what follows keeps its time. Losses are
    /// counted.
    case fill
    /// The same, and each loss is told at once and stands in the clip's ledger; in Matroska as a chapter, too.
    case mark
    /// The clip ends before the first loss, valid, with ``EndReason/loss``.
    case fail
}
