/// The index: for each cluster, the first key frame of one track.
///
/// *session-bound*
struct MatroskaCues {
    struct Point {
        let tick: Int64
        /// Of the cluster, from the start of the segment's content.
        let position: Int64
    }

    /// Number of the track that is indexed.
    var track = 1
    private(set) var points: [Point] = []
    private var tick: Int64?
    private var position: Int64 = 0

    init() {
        // An hour without growing.
        points.reserveCapacity(3600)
    }

    mutating func note(_ number: Int, _ tick: Int64) {
        if number == track, self.tick == nil { self.tick = tick }
    }

    /// The cluster that is about to be written starts here.
    mutating func place(_ position: Int64) { self.position = position }

    /// The cluster has been written.
    mutating func keep() {
        if let tick { points.append(Point(tick: tick, position: position)) }
        tick = nil
    }

    /// Cues (RFC 9559, 5.1.5).
    var element: [UInt8] {
        var cues = EBML()
        cues.master(.cues) { cues in
            for point in points {
                cues.master(.cuePoint) { cue in
                    cue.unsigned(.cueTime, UInt64(point.tick))
                    cue.master(.cueTrackPositions) { positions in
                        positions.unsigned(.cueTrack, UInt64(track))
                        positions.unsigned(.cueClusterPosition, UInt64(point.position))
                    }
                }
            }
        }
        return cues.bytes
    }
}
