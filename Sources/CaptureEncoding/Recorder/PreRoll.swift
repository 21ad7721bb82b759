import CSystem
import CaptureGate

/// What a recording waits for before its clip begins, and how much from before then belongs to it.
struct PreRoll {
    /// Nanoseconds.
    let length: Int64
    /// Nanoseconds since 1970; `nil` where somebody asks for it.
    let startsAt: Int64?

    /// Of the memory of all devices together.
    static let mostBytes = 1 << 30
    /// A device's frames come late, and what was asked for is learnt late.
    static let slack: Int64 = 1_000_000_000

    /// - Returns: `nil` where a recording begins when its devices deliver.
    init?(_ settings: RecorderSettings) {
        guard settings.preRoll != nil || settings.startsAt != nil else { return nil }
        length = settings.preRoll?.nanoseconds ?? 0
        startsAt = settings.startsAt
    }

    /// Refuses what would not fit into memory, rather than keep less than was asked for.
    /// - Throws: `.usage`, with what it needs.
    func check(_ tracks: [ClipTrack]) throws(CaptureError) {
        guard length > 0 else { return }
        let bytes = tracks.reduce(0) { $0 + mostBytes(of: $1) }
        guard bytes > Self.mostBytes else { return }
        throw CaptureError(
            .usage,
            "The pre-roll of \(length / 1_000_000_000) s needs \(bytes >> 20) MiB of memory as the devices deliver it; "
                + "at most \(Self.mostBytes >> 20) MiB are kept.",
            remedies: [
                Remedy(
                    "Record JPEG images: to a name that ends in .mkv, without --video-codec raw. Else choose a shorter "
                        + "pre-roll, a smaller size or fewer frames a second.")
            ])
    }

    /// How much each of them may hold: those of which it is known were checked, the others share the rest.
    func mostBytes(of tracks: [ClipTrack]) -> [Int] {
        let known = tracks.map(mostBytes)
        let open = known.count { $0 == 0 }
        let rest = max(0, Self.mostBytes - known.reduce(0, +))
        return known.map { $0 > 0 ? Self.mostBytes : rest / open }
    }

    /// 0 for compressed pictures, of which nobody knows.
    private func mostBytes(of track: ClipTrack) -> Int {
        Int(track.rawBytesPerSecond * Double(length + Self.slack) / 1e9)
    }

    /// The start on CLOCK_MONOTONIC, once it is there.
    /// - Parameter asked: when somebody asked for it, CLOCK_MONOTONIC nanoseconds.
    func start(asked: Int64?) -> Int64? {
        // Without a pre-roll the clip has its moment: nothing was captured at any other.
        if let asked, length > 0 || startsAt == nil { return asked }
        guard let startsAt else { return nil }
        let left = startsAt - cs_clock_ns(Int32(CS_CLOCK_REALTIME))
        return left > 0 ? nil : cs_clock_ns(Int32(CS_CLOCK_MONOTONIC)) + left
    }

    /// How long to wait before looking again, milliseconds.
    var patience: Int32 {
        guard let startsAt else { return 100 }
        let left = (startsAt - cs_clock_ns(Int32(CS_CLOCK_REALTIME))) / 1_000_000
        return Int32(min(max(left + 1, 0), 100))
    }
}

extension ClipTrack {
    /// What a second of it takes as it comes; 0 for compressed pictures, of which nobody knows.
    fileprivate var rawBytesPerSecond: Double {
        switch media {
        case .audio(let format): Double(format.bytesPerFrame * format.sampleRate)
        case .video(let format): Double(format.rawByteCount ?? 0) * format.frameRate.framesPerSecond
        }
    }
}
