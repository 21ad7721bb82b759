/// What became of every frame of one track. A frame is one picture, or one sample of each channel.
///
/// *thread-safe*
public struct TrackLedger: Hashable, Sendable, Codable {
    public let kind: MediaKind
    /// The name a person reads.
    public let name: String
    /// The device's stable id.
    public let device: String
    /// Frames that the device made while the clip was recorded.
    public var asked: UInt64 = 0
    /// Frames from the device that are in the clip.
    public var delivered: UInt64 = 0
    public var lost = LostFrames()
    /// How often the sound overran.
    public var xruns: UInt64 = 0
    /// Audio frames of silence, and pictures, put in where some were lost; pictures without a signal among them.
    public var filled: UInt64 = 0
    /// Audio frames the clip has more than the device gave, through resampling to the clip's clock; less where negative.
    public var corrected: Int64 = 0
    /// Pictures that were mended, such as MJPEG without Huffman tables.
    public var repaired: UInt64 = 0
    /// How much later than the clip's start the track's first frame is, nanoseconds.
    public var startOffsetNanoseconds: Int64 = 0
    /// How fast the device's clock runs against CLOCK_MONOTONIC, parts per million; `nil` where too short to tell.
    public var driftPPM: Double?
    /// How far off ``driftPPM`` may be, 19 times in 20, parts per million.
    public var driftUncertaintyPPM: Double?
    /// How much later the end of the sound stands than the clip's clock wants it, nanoseconds; `nil` for a track that is not
    /// kept to that clock. More than some milliseconds means that the device's clock is off by more than is corrected, 2 %,
    /// or that the clip was too short for it.
    public var endOffsetNanoseconds: Int64?
    /// What the capture thread had of the priority it asked for, such as "SCHED_FIFO 50".
    public var priority: String?
    /// Presentation time of the first frame, nanoseconds from the clip's start.
    public var firstNanoseconds: Int64?
    /// Presentation time of the last frame, nanoseconds from the clip's start.
    public var lastNanoseconds: Int64?

    /// Where frames are missing, the first thousand; `nil` where losses are not marked.
    public var marks: [LossMark]?

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

    /// Frames of the track in the file.
    public var frames: UInt64 { UInt64(clamping: Int64(clamping: delivered + filled) + corrected) }

    /// Says what is in the file of an output that has failed: less than it was given, or part of what it refused as well.
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

    /// - Parameter written: frames.
    mutating func limit(to written: UInt64) {
        guard written < frames else { return }
        filled = min(filled, written)
        corrected = min(corrected, Int64(clamping: written - filled))
        delivered = UInt64(clamping: Int64(clamping: written - filled) - corrected)
    }

    mutating func note(drift: (ppm: Double, uncertainty: Double)?) {
        driftPPM = drift.map(\.ppm)
        driftUncertaintyPPM = drift.map(\.uncertainty)
    }
}
