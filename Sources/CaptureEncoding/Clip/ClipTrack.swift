import CaptureBase

/// Track of a clip: one microphone or camera, with the format that was negotiated.
///
/// *thread-safe*
public struct ClipTrack: Hashable, Sendable {
    public enum Media: Hashable, Sendable {
        case audio(AudioFormat)
        case video(VideoFormat)
    }

    public let media: Media
    /// Name for people, such as "HD Pro Webcam C920".
    public let name: String
    /// Stable id of the device.
    public let device: String
    /// Stream of video that is packets already; `nil` for frames as the device delivers them.
    package private(set) var coded: CodedVideo?

    public init(_ media: Media, name: String, device: String) {
        self.media = media
        self.name = name
        self.device = device
    }

    public var kind: MediaKind { audio == nil ? .video : .audio }

    public var audio: AudioFormat? {
        if case .audio(let format) = media { format } else { nil }
    }

    public var video: VideoFormat? {
        if case .video(let format) = media { format } else { nil }
    }
}

extension ClipTrack {
    /// The track as it is where its frames are packets.
    package func coded(as coded: CodedVideo) -> ClipTrack {
        var track = self
        track.coded = coded
        return track
    }

    /// Frames in the data of one write.
    package func frames(in data: RawSpan) throws(CaptureError) -> Int {
        switch media {
        case .audio(let format): try format.frames(in: data)
        case .video: 1
        }
    }

    /// Duration of frames, nanoseconds.
    package func nanoseconds(ofFrames frames: Int64) -> Int64 {
        switch media {
        case .audio(let format): format.nanoseconds(ofFrames: frames)
        case .video(let format): format.frameRate.frameNanoseconds * frames
        }
    }
}

extension ClipTrack {
    /// Frames of a duration: the inverse of `nanoseconds(ofFrames:)`.
    package func frames(lasting nanoseconds: Int64) -> Int64 {
        switch media {
        case .audio(let format):
            let rate = Int64(format.sampleRate)
            return nanoseconds / 1_000_000_000 * rate
                + (nanoseconds % 1_000_000_000 * rate + 500_000_000) / 1_000_000_000
        case .video(let format): return nanoseconds / max(format.frameRate.frameNanoseconds, 1)
        }
    }
}

/// Kind of a track.
///
/// *thread-safe*
public enum MediaKind: String, Hashable, Sendable, Codable, CaseIterable {
    case audio, video
}

/// Title and tags of a clip, for formats that store them.
///
/// *thread-safe*
public struct ClipLabels: Hashable, Sendable {
    public var title: String?
    /// Further tags: name in upper case, and text. A recorder adds `GRANT`, the decisions that it is based on.
    public var extra: [String: String]

    public init(title: String? = nil, extra: [String: String] = [:]) {
        self.title = title
        self.extra = extra
    }

    /// Labels with the numbers of the decisions that allowed the recording, as in the audit log: `GRANT=3, 4`.
    package func allowed(by decisions: [Int64]) -> ClipLabels {
        guard !decisions.isEmpty, extra["GRANT"] == nil else { return self }
        var labels = self
        labels.extra["GRANT"] = Set(decisions).sorted().map(String.init).joined(separator: ", ")
        return labels
    }

    /// Vorbis comments, `NAME=text`, with the name of the device.
    func comments(of track: ClipTrack) -> [String] {
        let title = title.map { ["TITLE=\($0)"] } ?? []
        return title + ["DEVICE=\(track.name)"] + extra.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    }
}
