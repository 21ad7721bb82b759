/// The times of a file's blocks, none believed that can't be.
///
/// A block is judged by those of its own track before it: a track that was silent for a while may be written behind others
/// that went on. However the blocks are spread over clusters, what is judged once is judged the same again.
///
/// *session-bound*
struct MatroskaBlockTimestamps {
    /// What a track's blocks take so far, nanoseconds.
    private struct Track {
        var start: Int64 = 0
        var end: Int64?
        var length: Int64 = 0
    }

    private var tracks: [Track]
    /// Where the last of all tracks ends, nanoseconds.
    private var end: Int64 = 0
    /// Nanoseconds.
    private var clusterTime: Int64 = 0
    private var isClusterJudged = true

    /// A recording that stood still for longer would have been ended, nanoseconds.
    private static let longestPause: Int64 = 3_600_000_000_000
    /// How far a block's damaged time may lie before the last block's for it to be put behind that, nanoseconds.
    private static let longestStepBack: Int64 = 1_000_000_000
    /// No clip is longer; sums of such times don't overflow, nanoseconds.
    private static let longestClip: Int64 = 1 << 60

    init(tracks count: Int) { tracks = Array(repeating: Track(), count: count) }

    /// - Parameter time: of the cluster; `nil` for one that is no number, nanoseconds.
    mutating func beginCluster(at time: Int64?) {
        clusterTime = min(time ?? .max, 2 * Self.longestClip)
        isClusterJudged = false
    }

    /// The time of a track's next block. Where a cluster's own time can't be, the cluster goes where the track ended.
    ///
    /// - Parameter offset: from the cluster's time, nanoseconds.
    /// - Returns: `nil` for a block that is damaged.
    mutating func time(_ offset: Int64, of track: Int, lasting duration: Int64) -> Int64? {
        guard duration <= Self.longestClip - tracks[track].length else { return nil }
        defer { isClusterJudged = true }
        if !isClusterJudged, !isPossible(clusterTime + offset, of: track), !isPossible(clusterTime, of: track) {
            clusterTime = tracks[track].end ?? end
        }
        return isPossible(clusterTime + offset, of: track) ? max(clusterTime + offset, 0) : nil
    }

    private func isPossible(_ time: Int64, of track: Int) -> Bool {
        // As it will be in the file.
        let time = MatroskaTime.nanoseconds(atTick: MatroskaTime.ticks(max(time, 0)))
        return time >= tracks[track].start - Self.longestStepBack
            && time <= min(end + Self.longestPause, Self.longestClip)
    }

    /// A block is in the new file.
    mutating func note(_ track: Int, at tick: Int64, lasting duration: Int64) {
        let start = MatroskaTime.nanoseconds(atTick: tick)
        tracks[track].start = start
        tracks[track].end = max(start + duration, tracks[track].end ?? 0)
        tracks[track].length += duration
        end = max(end, start + duration)
    }
}
