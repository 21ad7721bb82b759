import CaptureEncoding
import CaptureGate
import LinuxSystem

/// Pre-roll of a recording: the start that it waits for, and the time before it that belongs to the clip.
struct PreRoll {
    /// Time before the start that belongs to the clip, nanoseconds; 0 for a start that is only scheduled.
    let length: Int64
    /// Scheduled start, nanoseconds since 1970; `nil` if somebody asks for it.
    let startsAt: Int64?

    /// Memory of all devices together, bytes.
    static let mostBytes = 1 << 30
    /// Time held beyond the pre-roll: frames come late, and the start is learnt late, nanoseconds.
    static let slack: Int64 = 1_000_000_000
    /// The same beside a camera's own stream, for its last key frame before the start.
    static let slackOfKeys: Int64 = 10_000_000_000

    /// - Returns: `nil` if a recording begins when its devices deliver.
    init?(_ settings: RecorderSettings) {
        guard settings.preRoll != nil || settings.startsAt != nil else { return nil }
        length = settings.preRoll?.nanoseconds ?? 0
        startsAt = settings.startsAt?.exactNanoseconds
    }

    /// Refuses a pre-roll that would not fit into memory, rather than keep a shorter one than requested.
    /// - Throws: `.usage`, with the memory that it needs.
    func check(_ tracks: [ClipTrack]) throws(CaptureError) {
        guard length > 0 else { return }
        let bytes = tracks.reduce(0) { $0 + mostBytes(of: $1) }
        guard bytes > Self.mostBytes else { return }
        throw CaptureError(
            .usage,
            "A pre-roll of \(length / 1_000_000_000) s needs \(bytes >> 20) MiB of memory. "
                + "The limit is \(Self.mostBytes >> 20) MiB.",
            remedies: [
                Remedy(
                    "Record MJPEG, to a name that ends in .mkv and without --video-codec raw. Or choose a shorter "
                        + "pre-roll, a smaller size or a lower frame rate.")
            ])
    }

    /// Memory that each track may take. Tracks of known size were checked; the others share the rest.
    func mostBytes(of tracks: [ClipTrack]) -> [Int] {
        let known = tracks.map(mostBytes)
        let open = known.count { $0 == 0 }
        let rest = max(0, Self.mostBytes - known.reduce(0, +))
        return known.map { $0 > 0 ? Self.mostBytes : rest / open }
    }

    /// Memory that a track needs, in bytes; 0 for compressed video, whose size is unknown.
    private func mostBytes(of track: ClipTrack) -> Int {
        Int(track.rawBytesPerSecond * Double(length + Self.slack) / 1e9)
    }

    /// Start on CLOCK_MONOTONIC, once it is known; `nil` before.
    /// - Parameter asked: moment of a request to start, CLOCK_MONOTONIC nanoseconds.
    func start(asked: Int64?) -> Int64? {
        // Without a pre-roll only the scheduled moment counts: nothing was captured at any other.
        if let asked, length > 0 || startsAt == nil { return asked }
        guard let startsAt else { return nil }
        let left = startsAt - SystemClock.realtime.now
        return left > 0 ? nil : SystemClock.monotonic.now + left
    }

    /// Time to wait before the next check, milliseconds.
    var patience: Int32 {
        guard let startsAt else { return 100 }
        let left = (startsAt - SystemClock.realtime.now) / 1_000_000
        return Int32(min(max(left + 1, 0), 100))
    }
}

extension ClipTrack {
    /// Bytes per second in the device's own format; 0 for compressed video, whose size is unknown.
    fileprivate var rawBytesPerSecond: Double {
        switch media {
        case .audio(let format): Double(format.bytesPerFrame * format.sampleRate)
        case .video(let format): Double(format.rawByteCount ?? 0) * format.frameRate.framesPerSecond
        }
    }
}

/// Frames of one device in memory, the oldest first: those from before the start was requested.
final class PreRollBuffer {
    private struct Frame {
        var header: FrameHeader
        var bytes: [UInt8]
        /// A clip can begin with it.
        var isKey: Bool
    }

    /// Frames from `first` on; those before are empty.
    private var frames: [Frame] = []
    private var first = 0
    /// Memory of frames that are gone.
    private var spare: [[UInt8]] = []
    /// Memory that they take, bytes.
    private(set) var byteCount = 0

    var isEmpty: Bool { first == frames.count }
    /// Timestamp of the oldest, CLOCK_MONOTONIC nanoseconds; `nil` if none exists.
    var oldest: Int64? { isEmpty ? nil : frames[first].header.timestamp }

    /// - Parameter isKey: true if a clip can begin with the frame.
    func append(_ header: FrameHeader, _ bytes: RawSpan, isKey: Bool = true) {
        var copy = spare.popLast() ?? []
        copy.removeAll(keepingCapacity: true)
        // Exactly: an array that grows by itself takes twice what it had.
        copy.reserveCapacity(bytes.byteCount)
        bytes.withUnsafeBytes { copy.append(contentsOf: $0) }
        byteCount += copy.capacity
        frames.append(Frame(header: header, bytes: copy, isKey: isKey))
    }

    /// Removes the oldest frame where the rest reaches back to a moment, or takes more memory than allowed.
    /// - Parameters:
    ///   - moment: CLOCK_MONOTONIC nanoseconds.
    ///   - most: bytes.
    /// - Returns: its header; `nil` if it stays.
    func dropFirst(before moment: Int64, most: Int) -> FrameHeader? {
        guard frames.count - first > 1 else { return nil }
        guard frames[first + 1].header.timestamp <= moment || byteCount > most else { return nil }
        return removeFirst()
    }

    /// Removes the oldest frame if a clip would not begin with it, or if a later one can be used instead; also if the frames need
    /// more memory than allowed.
    /// - Returns: its header; `nil` if it stays.
    func dropFirstBeforeKey(most: Int) -> FrameHeader? {
        guard !isEmpty, let last = frames.last else { return nil }
        let isBefore = last.isKey && frames.count - first > 1
        return isBefore || !frames[first].isKey || byteCount > most ? removeFirst() : nil
    }

    /// Timestamp of the last frame up to a moment that a clip can begin with, otherwise of the first one; `nil` if none exists.
    func keyTime(near moment: Int64) -> Int64? {
        let times = frames[first...].lazy.filter(\.isKey).map(\.header.timestamp)
        return times.last { $0 <= moment } ?? times.first
    }

    /// Lends the oldest frame, and removes it.
    func takeFirst(_ body: (FrameHeader, RawSpan) throws(CaptureError) -> Void) throws(CaptureError) {
        let bytes = frames[first].bytes
        try body(frames[first].header, bytes.span.bytes)
        _ = removeFirst()
    }

    private func removeFirst() -> FrameHeader {
        let header = frames[first].header
        byteCount -= frames[first].bytes.capacity
        // One is removed for each that comes, so a few are enough.
        if spare.count < 8 { spare.append(frames[first].bytes) }
        frames[first].bytes = []
        first += 1
        if first == frames.count || first > 1024 {
            frames.removeFirst(first)
            first = 0
        }
        return header
    }
}

/// Throttle for frames that are in memory already. They wait for an output that is behind and would drop some, but not forever if
/// the output is stuck.
struct Throttle {
    /// Time between two checks, milliseconds.
    static let pause: Int32 = 5
    /// Time without any progress after which it stops waiting, nanoseconds.
    private static let patience: Int64 = 2_000_000_000
    private var since: Int64?

    /// Decides whether to wait.
    /// - Parameter isBusy: true if the output is behind.
    /// - Returns: true to wait.
    mutating func holds(_ isBusy: Bool) -> Bool {
        holds(isBusy, now: isBusy ? SystemClock.monotonic.now : 0)
    }

    /// Decides whether to wait, at a moment.
    /// - Parameters:
    ///   - isBusy: true if the output is behind.
    ///   - now: CLOCK_MONOTONIC nanoseconds.
    mutating func holds(_ isBusy: Bool, now: Int64) -> Bool {
        guard isBusy else {
            since = nil
            return false
        }
        let start = since ?? now
        since = start
        return now - start < Self.patience
    }
}
