/// What a stream's file holds by now.
struct StreamTotals: Hashable {
    var frames: Int64 = 0
    /// Behind the head.
    var bytes: Int64 = 0
    /// Whether all that went in is there; else the disk was full.
    var isComplete = true
}
