import FoundationEssentials

/// Output of `record --json` so far: a file with one event per line.
package struct RecordingEvents {
    private let path: String

    package init(_ path: String) { self.path = path }

    /// Whether it has begun to capture.
    package var hasStarted: Bool { text(of: path).contains(#""event":"start""#) }

    /// The last event; `nil` until it has come.
    package var end: End? {
        let lines = text(of: path).split(separator: "\n")
        return lines.last { $0.contains(#""event":"end""#) }.flatMap { decoded(End.self, from: String($0)) }
    }

    package struct End: Decodable, Sendable {
        package let lastTimestamp: Int64?
        package let tracks: [Summary]
        package let error: Failure?
        package let ledger: Ledger?

        enum CodingKeys: String, CodingKey {
            case tracks, error, ledger
            case lastTimestamp = "last_timestamp_ns"
        }
    }

    /// A track in brief.
    package struct Summary: Decodable, Sendable {
        package let kind: String
        package let frames: Int
    }

    package struct Failure: Decodable, Sendable {
        package let kind: String
    }

    package struct Ledger: Decodable, Sendable {
        package let tracks: [Track]
    }

    /// Counts and clocks of a track, as far as probes judge them.
    package struct Track: Decodable, Sendable {
        package let kind: String
        package let delivered, filled, corrected: Int
        package let drift, driftUncertainty: Double?
        package let startOffset, endOffset: Double?
        package let lost: [String: Int]

        enum CodingKeys: String, CodingKey {
            case kind, delivered, filled, corrected, lost
            case drift = "drift_ppm"
            case driftUncertainty = "drift_uncertainty_ppm"
            case startOffset = "start_offset_ns"
            case endOffset = "end_offset_ns"
        }
    }

    /// Frames in the file of the first track of a kind.
    package func frames(_ kind: String) -> Int? { end?.tracks.first { $0.kind == kind }?.frames }

    /// The ledger's first track of a kind.
    package func track(_ kind: String) -> Track? { end?.ledger?.tracks.first { $0.kind == kind } }
}

/// A value from JSON; `nil` if it is another.
package func decoded<Value: Decodable>(_ type: Value.Type, from text: String) -> Value? {
    try? JSONDecoder().decode(type, from: Data(text.utf8))
}
