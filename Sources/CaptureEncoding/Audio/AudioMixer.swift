/// Sum of several tracks of one format by the clip's time. Tracks arrive in turns; a frame is written once all tracks have reached
/// it.
///
/// It waits for the slowest track, but not forever: after `most` frames that track counts as silent, like a microphone that was
/// unplugged. If it delivers audio for that time later, this is dropped and counted.
struct AudioMixer {
    private let channels: Int
    /// Frames that it waits for a track.
    private let most: Int
    /// Sums that are not complete, interleaved; those of frame `first` and on.
    private var sums: [Double] = []
    private var first = 0
    /// Frame after the last one of each track; `nil` before its first.
    private var ends: [Int?]
    /// Frames of each track that came too late.
    private(set) var late: [UInt64]

    /// - Parameters:
    ///   - tracks: number of tracks.
    ///   - channels: of each.
    ///   - most: frames that it waits for a track.
    init(tracks: Int, channels: Int, most: Int) {
        (self.channels, self.most) = (channels, most)
        ends = Array(repeating: nil, count: tracks)
        late = Array(repeating: 0, count: tracks)
    }

    /// Frames that wait for other tracks.
    var waiting: Int { sums.count / channels }

    /// Appends audio to a track.
    /// - Parameters:
    ///   - samples: interleaved.
    ///   - track: 0 or more.
    ///   - start: frame at which the track begins, from the clip's start; only the first of these counts.
    mutating func add(_ samples: [Double], of track: Int, from start: Int) {
        let begin = ends[track] ?? start
        let end = begin + samples.count / channels
        ends[track] = end
        let skipped = min(max(0, first - begin), end - begin)
        late[track] += UInt64(skipped)
        let at = (begin + skipped - first) * channels
        if sums.count < at { sums.append(contentsOf: repeatElement(0, count: at - sums.count)) }
        samples.withUnsafeBufferPointer { samples in
            let new = UnsafeBufferPointer(rebasing: samples[(skipped * channels)...])
            let known = min(sums.count - at, new.count)
            sums.withUnsafeMutableBufferPointer { sums in
                for index in 0..<known { sums[at &+ index] += new[index] }
            }
            sums.append(contentsOf: UnsafeBufferPointer(rebasing: new[known...]))
        }
    }

    /// Takes out the frames that are complete.
    /// - Parameters:
    ///   - samples: receives exactly those.
    ///   - all: true at the end, when no track has more.
    mutating func take(into samples: inout [Double], all: Bool = false) {
        samples.removeAll(keepingCapacity: true)
        var slowest = Int.max
        for track in ends.indices { slowest = min(slowest, ends[track] ?? 0) }
        let fastest = first + waiting
        let limit = all ? fastest : min(max(slowest, fastest - most), fastest)
        guard limit > first else { return }
        let count = (limit - first) * channels
        sums.withUnsafeBufferPointer { samples.append(contentsOf: UnsafeBufferPointer(rebasing: $0[..<count])) }
        sums.removeFirst(count)
        first = limit
    }
}
