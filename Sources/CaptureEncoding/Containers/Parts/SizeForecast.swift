import CaptureGate

/// How much a track's next write may add to a file, from what the ones before did.
struct SizeForecast {
    private let tracks: [ClipTrack]
    /// The most that one write added so far, bytes.
    private var largest: [Int64]

    init(_ tracks: [ClipTrack]) {
        self.tracks = tracks
        largest = Array(repeating: 0, count: tracks.count)
    }

    mutating func note(_ growth: Int64, of track: Int) { largest[track] = max(largest[track], growth) }

    /// Whether nothing of the track was noted.
    func isNew(_ track: Int) -> Bool { largest[track] == 0 }

    /// - Parameter byteCount: of what is to be written.
    func most(_ byteCount: Int, of track: Int) -> Int64 {
        let bytes = Int64(byteCount)
        guard let video = tracks[track].video else { return bytes + bytes / 8 + 512 }
        if largest[track] > 0 { return largest[track] * 3 / 2 + 8192 }
        return video.pixelFormat.isCompressed ? bytes + 8192 : bytes / 4
    }

    /// What sound may add that lasts so long, nanoseconds; a camera that was away leaves no pictures.
    func most(lasting nanoseconds: Int64, of track: Int) -> Int64 {
        guard let sound = tracks[track].audio, nanoseconds > 0 else { return 0 }
        let bytes = tracks[track].frames(lasting: nanoseconds) * Int64(sound.bytesPerFrame)
        return bytes + bytes / 8
    }

    /// What one more write of each track may add.
    var mostOfAll: Int64 { largest.reduce(0) { $0 + $1 * 3 / 2 + 8192 } }
}
