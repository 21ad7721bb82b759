import CaptureBase

/// Account of every frame of one track. A frame is one image of video, or one sample of each channel.
///
/// *thread-safe*
public struct TrackLedger: Hashable, Sendable, Codable {
    public let kind: MediaKind
    /// Name for people.
    public let name: String
    /// Stable id of the device.
    public let device: String
    /// Frames that the device made while the clip was recorded.
    public var asked: UInt64 = 0
    /// Frames from the device that are in the clip.
    public var delivered: UInt64 = 0
    public var lost = LostFrames()
    /// Number of overruns.
    public var xruns: UInt64 = 0
    /// Frames put in for lost ones: silence, or repeated video frames. Video frames without a signal are among them.
    public var filled: UInt64 = 0
    /// Audio frames that resampling to the clip's clock added to those of the device; negative if it removed some.
    public var corrected: Int64 = 0
    /// Video frames that were repaired, such as MJPEG without Huffman tables.
    public var repaired: UInt64 = 0
    /// ``startOffset`` in nanoseconds, for JSON.
    package var startOffsetNanoseconds: Int64 = 0
    /// Rate of the device's clock against CLOCK_MONOTONIC, parts per million; `nil` if the recording is too short.
    public var driftPPM: Double?
    /// Uncertainty of ``driftPPM`` in parts per million: the error is smaller 19 times in 20.
    public var driftUncertaintyPPM: Double?
    /// ``endOffset`` in nanoseconds, for JSON.
    package var endOffsetNanoseconds: Int64?
    /// Priority that the capture thread got; `nil` if there was none.
    public var priority: ThreadPriority?
    /// ``firstTime`` in nanoseconds, for JSON.
    package var firstNanoseconds: Int64?
    /// ``lastTime`` in nanoseconds, for JSON.
    package var lastNanoseconds: Int64?

    /// Gaps of the track, the first thousand; `nil` if losses are not marked.
    public var marks: [LossEvent]?

    public init(kind: MediaKind, name: String, device: String) {
        self.kind = kind
        self.name = name
        self.device = device
    }

    private enum CodingKeys: String, CodingKey {
        case kind, name, device, asked, delivered, lost, xruns, filled, corrected, repaired, priority, marks
        case startOffsetNanoseconds = "start_offset_ns"
        case endOffsetNanoseconds = "end_offset_ns"
        case driftPPM = "drift_ppm"
        case driftUncertaintyPPM = "drift_uncertainty_ppm"
        case firstNanoseconds = "first_ns"
        case lastNanoseconds = "last_ns"
    }

    /// Time from the clip's start to the track's first frame.
    public var startOffset: Duration {
        get { .nanoseconds(startOffsetNanoseconds) }
        set { startOffsetNanoseconds = newValue.exactNanoseconds }
    }

    /// Delay of the audio's end on the clip's clock; `nil` for a track that does not follow that clock. More than some
    /// milliseconds means that the device's clock differs by more than 2 %, the limit of the correction, or that the clip was
    /// too short for a correction.
    public var endOffset: Duration? {
        get { endOffsetNanoseconds.map { .nanoseconds($0) } }
        set { endOffsetNanoseconds = newValue?.exactNanoseconds }
    }

    /// Presentation time of the first frame, from the clip's start.
    public var firstTime: Duration? {
        get { firstNanoseconds.map { .nanoseconds($0) } }
        set { firstNanoseconds = newValue?.exactNanoseconds }
    }

    /// Presentation time of the last frame, from the clip's start.
    public var lastTime: Duration? {
        get { lastNanoseconds.map { .nanoseconds($0) } }
        set { lastNanoseconds = newValue?.exactNanoseconds }
    }

    /// Frames of the track in the file.
    public var frames: UInt64 { UInt64(clamping: Int64(clamping: delivered + filled) + corrected) }

    /// Fits the ledger to the file of an output that failed: it has fewer frames than it was given, or some that it refused.
    mutating func fit(to kept: KeptFrames) {
        if kept.frames > frames {
            delivered += kept.frames - frames
        } else {
            limit(to: kept.frames)
        }
        asked = delivered + lost.total
        lastNanoseconds = kept.frames == 0 ? nil : kept.last
        if kept.frames == 0 { firstNanoseconds = nil }
    }

    /// Limits the ledger to the frames that were written.
    package mutating func limit(to written: UInt64) {
        guard written < frames else { return }
        filled = min(filled, written)
        corrected = min(corrected, Int64(clamping: written - filled))
        delivered = UInt64(clamping: Int64(clamping: written - filled) - corrected)
    }

    package mutating func note(drift: (ppm: Double, uncertainty: Double)?) {
        driftPPM = drift.map(\.ppm)
        driftUncertaintyPPM = drift.map(\.uncertainty)
    }
}

/// Account of every frame of a recording, track by track, in the clip's order.
///
/// *thread-safe*
public struct LossLedger: Hashable, Sendable, Codable {
    public var tracks: [TrackLedger]
    /// Pauses: what the devices made meanwhile is not in the clip, and not lost.
    public var pauses: [ClipPause]

    public init(tracks: [TrackLedger] = [], pauses: [ClipPause] = []) {
        self.tracks = tracks
        self.pauses = pauses
    }

    private enum CodingKeys: String, CodingKey { case tracks, pauses }

    /// Reads a ledger; one without pauses may not name them.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        tracks = try values.decode([TrackLedger].self, forKey: .tracks)
        pauses = try values.decodeIfPresent([ClipPause].self, forKey: .pauses) ?? []
    }

    /// Writes a ledger; one without pauses does not name them.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(tracks, forKey: .tracks)
        if !pauses.isEmpty { try values.encode(pauses, forKey: .pauses) }
    }

    /// Frames lost in all tracks.
    public var totalLost: UInt64 { tracks.reduce(0) { $0 + $1.lost.total } }

    /// JSON on one line (RFC 8259).
    public var json: String { jsonValue.text }
}

/// Frames that the device made, or should have made, and that the clip lacks, by cause.
///
/// *thread-safe*
public struct LostFrames: Hashable, Sendable, Codable {
    /// Frames lost before they reached the program: missing in the driver's sequence, dropped without a gap in it as the
    /// timestamps show, or lost while the device was unplugged.
    public var device: UInt64 = 0
    /// Frames for which the ring had no free slot: the reader was too slow.
    public var ring: UInt64 = 0
    /// Frames with the driver's error flag, and video frames broken beyond repair.
    public var corrupt: UInt64 = 0
    /// Buffers without a byte.
    public var empty: UInt64 = 0
    /// Buffers with fewer bytes than a frame has.
    public var short: UInt64 = 0
    /// Audio frames missing through xruns.
    public var xrun: UInt64 = 0
    /// Frames that a stalled device would have made, by the clock, between its last frame and the first one after a restart.
    public var stall: UInt64 = 0
    /// Audio frames that the sleeping device did not make, by the clock.
    public var suspend: UInt64 = 0
    /// Frames for which the encoder, or an output that shows them at once, was too slow.
    public var encoder: UInt64 = 0
    /// Video frames that the device delivered while its input had no signal: they are in the clip in place of missing ones.
    public var noSignal: UInt64 = 0
    /// Video frames that the device delivered while a shutter covered the lens.
    public var covered: UInt64 = 0
    /// Video frames of a camera's own H.264 or H.265 between a cut of the clip, such as a pause, and the next key frame: nothing
    /// could decode them.
    public var keyFrame: UInt64 = 0

    public init() {}

    private enum CodingKeys: String, CodingKey {
        case device, ring, corrupt, empty, short, xrun, stall, suspend, encoder, covered
        case noSignal = "no_signal"
        case keyFrame = "key_frame"
    }

    /// Reads counts; an older ledger may not name each cause.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func count(_ key: CodingKeys) throws -> UInt64 { try values.decodeIfPresent(UInt64.self, forKey: key) ?? 0 }
        (device, ring, corrupt) = (try count(.device), try count(.ring), try count(.corrupt))
        (empty, short, xrun) = (try count(.empty), try count(.short), try count(.xrun))
        (stall, suspend, encoder) = (try count(.stall), try count(.suspend), try count(.encoder))
        (noSignal, covered, keyFrame) = (try count(.noSignal), try count(.covered), try count(.keyFrame))
    }

    /// Sum of all causes.
    public var total: UInt64 { Self.causes.reduce(0) { $0 + self[keyPath: $1] } }

    /// Counts frames that the device lost before a frame or period, by the cause in its flags.
    package mutating func add(_ frames: UInt64, before flags: FrameFlags) {
        if flags.contains(.reattached) {
            device += frames
        } else if flags.contains(.suspended) {
            suspend += frames
        } else if flags.contains(.xrun) {
            xrun += frames
        } else if flags.contains(.restarted) {
            stall += frames
        } else {
            device += frames
        }
    }
}

extension LostFrames {
    static let causes: [WritableKeyPath<LostFrames, UInt64> & Sendable] = [
        \.device, \.ring, \.corrupt, \.empty, \.short, \.xrun, \.stall, \.suspend, \.encoder,
        \.noSignal, \.covered, \.keyFrame,
    ]

    static func += (lost: inout LostFrames, more: LostFrames) {
        for cause in causes { lost[keyPath: cause] += more[keyPath: cause] }
    }

    /// Subtracts the losses up to an earlier moment; never below 0.
    package static func -= (lost: inout LostFrames, before: LostFrames) {
        for cause in causes { lost[keyPath: cause] -= min(lost[keyPath: cause], before[keyPath: cause]) }
    }
}

/// Gap in a clip: frames are missing here.
///
/// *thread-safe*
public struct LossEvent: Hashable, Sendable, Codable {
    /// ``at`` in nanoseconds, for JSON.
    package let atNanoseconds: Int64
    /// Samples of each channel, or video frames.
    public let frames: UInt64

    public init(at: Duration, frames: UInt64) {
        self.init(atNanoseconds: at.exactNanoseconds, frames: frames)
    }

    package init(atNanoseconds: Int64, frames: UInt64) {
        self.atNanoseconds = atNanoseconds
        self.frames = frames
    }

    /// Time from the clip's start.
    public var at: Duration { .nanoseconds(atNanoseconds) }

    private enum CodingKeys: String, CodingKey {
        case frames
        case atNanoseconds = "at_ns"
    }

    /// Event with its time counted from a later moment.
    package func since(_ nanoseconds: Int64) -> LossEvent {
        LossEvent(atNanoseconds: atNanoseconds - nanoseconds, frames: frames)
    }
}

/// Frames of a track that are in the file.
package struct KeptFrames: Hashable {
    package var frames: UInt64 = 0
    /// Presentation time of the last one, nanoseconds from the clip's start; `nil` without one.
    package var last: Int64?

    package init(frames: UInt64 = 0, last: Int64? = nil) {
        self.frames = frames
        self.last = last
    }
}

extension KeptFrames {
    /// - Parameters:
    ///   - track: track of the frames.
    ///   - duration: total duration, nanoseconds.
    ///   - end: end of the last frame, nanoseconds from the clip's start.
    package init(of track: ClipTrack, lasting duration: Int64, until end: Int64) {
        frames = UInt64(max(track.frames(lasting: duration), 0))
        last = frames == 0 ? nil : end - track.nanoseconds(ofFrames: 1)
    }
}

extension LossLedger {
    /// Ledger of an output that failed.
    package func fitted(to kept: [KeptFrames]) -> LossLedger {
        var ledger = self
        for (index, kept) in kept.enumerated() where ledger.tracks.indices.contains(index) {
            ledger.tracks[index].fit(to: kept)
        }
        return ledger
    }
}
