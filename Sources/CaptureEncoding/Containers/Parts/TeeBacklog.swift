/// What waits in memory for one output of several, and what was left out because it was too slow.
struct TeeBacklog: Sendable {
    /// One more is left out: at 30 a second that is half a second behind.
    static let mostPictures = 16
    /// Large pictures are left out sooner, bytes; two may always wait.
    static let mostPictureBytes = 128 << 20
    /// With more sound than that waiting the output has failed, bytes.
    static let mostSoundBytes = 64 << 20

    /// Pictures without times need one in each place.
    let fillsPlaces: Bool
    private(set) var tracks: [TeeTrack]
    private var pictures = 0
    private var pictureBytes = 0
    private var soundBytes = 0

    init(_ tracks: [ClipTrack], fillsPlaces: Bool) {
        self.tracks = tracks.map { TeeTrack($0) }
        self.fillsPlaces = fillsPlaces
    }

    // MARK: Sound

    /// - Returns: false where that is too much.
    mutating func add(sound byteCount: Int) -> Bool {
        soundBytes += byteCount
        return soundBytes <= Self.mostSoundBytes
    }

    mutating func remove(sound byteCount: Int) { soundBytes -= byteCount }

    // MARK: Pictures

    var isFull: Bool { pictures >= 2 && (pictures >= Self.mostPictures || pictureBytes >= Self.mostPictureBytes) }

    /// Takes a picture in, or leaves it out.
    /// - Returns: the places that it takes; `nil` where it is left out.
    mutating func add(_ picture: TeePicture, bytes byteCount: Int, to track: Int) -> TeePicture? {
        guard !isFull else {
            tracks[track].shed(picture, fillsPlaces: fillsPlaces)
            return nil
        }
        pictures += 1
        pictureBytes += byteCount
        return tracks[track].take(picture)
    }

    mutating func remove(picture byteCount: Int) {
        pictures -= 1
        pictureBytes -= byteCount
    }

    mutating func takeMissing(of track: Int) -> TeePicture? { tracks[track].takeMissing() }

    mutating func note(written frames: Int, to track: Int) { tracks[track].written += UInt64(frames) }
}
