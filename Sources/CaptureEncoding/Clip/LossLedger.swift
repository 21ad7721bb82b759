/// What became of every frame of a recording, track by track, in the clip's order of tracks.
///
/// *thread-safe*
public struct LossLedger: Hashable, Sendable, Codable {
    public var tracks: [TrackLedger]

    public init(tracks: [TrackLedger] = []) {
        self.tracks = tracks
    }

    /// Frames lost in all tracks.
    public var totalLost: UInt64 { tracks.reduce(0) { $0 + $1.lost.total } }

    /// One line of JSON (RFC 8259).
    public var json: String { jsonText.rendered }
}
