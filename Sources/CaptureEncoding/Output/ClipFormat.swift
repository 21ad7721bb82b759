import CaptureBase

/// A file format of clips.
///
/// *thread-safe*
public enum ClipFormat: String, Hashable, Sendable, Codable, CaseIterable {
    /// RIFF WAVE, or RF64 (EBU Tech 3306) if it grows past 4 GiB. Audio.
    case wav
    /// FLAC (RFC 9639). Audio.
    case flac
    /// Matroska (RFC 9559). Any number of tracks.
    case matroska = "mkv"
    /// MP4 (ISO/IEC 14496-14). Any number of tracks.
    case mp4
    /// WebM: Matroska with VP8, VP9 or AV1, and Opus, for browsers. Any number of tracks.
    case webm
    /// Opus in Ogg (RFC 7845). Audio.
    case opus
    /// JPEG images one after the other. Video.
    case mjpeg
    /// YUV4MPEG2. Raw video.
    case y4m
    /// Only the device's bytes. One track.
    case raw
    /// Nothing is stored.
    case nothing = "null"
    /// Frames for a video node that takes them, such as a virtual camera. Nothing is stored. Video.
    case v4l2
    /// A container of the program's own: ``OwnContainer``. Any number of tracks.
    case own

    /// Formats that can be chosen for a file; ``v4l2`` is what ``ClipDestination/videoOutput(path:)`` has, and ``own`` what an ``OwnContainer`` has.
    public static let allCases: [ClipFormat] = [
        .wav, .flac, .matroska, .mp4, .webm, .opus, .mjpeg, .y4m, .raw, .nothing,
    ]

    /// Finds the format for a destination.
    /// - Parameters:
    ///   - destination: destination of the clip.
    ///   - name: name of the format, which takes precedence; without it the file's ending decides, and standard output and
    ///     pipes without an ending are Matroska.
    /// - Throws: `.usage` for an unknown name or ending; lists the known ones.
    public init(for destination: ClipDestination, named name: String? = nil) throws(CaptureError) {
        if let name, case .videoOutput = destination {
            throw CaptureError(
                .usage, "\(destination) has its own format, so the format \(name) can't be chosen.",
                remedies: [Remedy("Remove the format. --pixel-format sets the camera's format.")])
        }
        if let name {
            self = try Self.named(name)
        } else {
            self =
                switch destination {
                case .file(let path): try Self.ofEnding(path)
                case .pipe(let path): (try? Self.ofEnding(path)) ?? .matroska
                case .standardOutput: .matroska
                case .nothing: .nothing
                case .videoOutput: .v4l2
                }
        }
    }

    /// Kinds of tracks that it can hold.
    public var kinds: Set<MediaKind> {
        switch self {
        case .wav, .flac, .opus: [.audio]
        case .y4m, .mjpeg, .v4l2: [.video]
        case .matroska, .mp4, .webm, .raw, .nothing, .own: [.audio, .video]
        }
    }

    /// File name extensions, without the point.
    public var endings: [String] {
        switch self {
        case .matroska: ["mkv", "mka"]
        case .mp4: ["mp4", "m4a", "m4v"]
        case .opus: ["opus", "ogg", "oga"]
        case .mjpeg: ["mjpeg", "mjpg"]
        case .wav, .flac, .y4m, .raw, .webm: [rawValue]
        case .nothing, .v4l2, .own: []
        }
    }

    /// True if its frames have no timestamps, but follow one another at the camera's rate.
    public var hasConstantRate: Bool { self == .y4m || self == .mjpeg }

    /// True for formats that store chapters.
    public var holdsChapters: Bool { [.matroska, .mp4, .webm, .own].contains(self) }

    /// True for formats that hold more than one track.
    package var holdsSeveral: Bool { [.matroska, .mp4, .webm, .nothing, .own].contains(self) }

    private static func named(_ name: String) throws(CaptureError) -> ClipFormat {
        let wanted = name.lowercased()
        if let format = allCases.first(where: { $0.rawValue == wanted || $0.endings.contains(wanted) }) {
            return format
        }
        let known = allCases.map(\.rawValue).joined(separator: ", ")
        throw CaptureError(
            .usage, "The clip format \"\(name)\" is unknown.", remedies: [Remedy("Use one of \(known).")])
    }

    private static func ofEnding(_ path: String) throws(CaptureError) -> ClipFormat {
        let file = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        let parts = file.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count > 1, let ending = parts.last?.lowercased(),
            let format = allCases.first(where: { $0.endings.contains(ending) })
        {
            return format
        }
        throw unknownEnding(path)
    }

    private static func unknownEnding(_ path: String) -> CaptureError {
        let known = allCases.flatMap(\.endings).map { "." + $0 }.joined(separator: ", ")
        let remedy = Remedy("Use one of \(known), or null: to store nothing.")
        return CaptureError(
            .usage, "The ending of \"\(path)\" is not a known clip format.",
            remedies: elsewhere(path).map { [$0, remedy] } ?? [remedy])
    }

    /// Step by which another program makes a file of a format that is not supported here; `nil` for an unknown ending.
    private static func elsewhere(_ path: String) -> Remedy? {
        let ending = path.split(separator: ".").last?.lowercased() ?? ""
        let (sound, picture) = (soundElsewhere.contains(ending), pictureElsewhere.contains(ending))
        guard sound || picture || bothElsewhere.contains(ending) else { return nil }
        return Remedy(
            "Let ffmpeg make the file",
            .transcode(path: path, sound: !picture, picture: !sound))
    }

    /// Endings that people expect of a recorder, by what their formats hold.
    private static let soundElsewhere: Set = ["mp3", "aac", "ac3", "aif", "aiff", "wma", "m4b"]
    private static let pictureElsewhere: Set = ["gif", "apng", "webp"]
    private static let bothElsewhere: Set = ["avi", "mov", "mpg", "mpeg", "ts", "flv", "wmv", "3gp", "ogv"]
}

extension ClipFormat {
    /// Checks that the format can hold tracks of these kinds, before anybody is asked for a device.
    /// - Parameter kinds: one entry for each track.
    /// - Throws: `.usage`, which names the formats that can hold them.
    public func check(_ kinds: [MediaKind]) throws(CaptureError) {
        guard !kinds.isEmpty else {
            throw CaptureError(
                .usage, "A clip needs a camera or a microphone.",
                remedies: [Remedy("Choose one with --camera or --microphone.")])
        }
        for kind in Set(kinds) where !self.kinds.contains(kind) { throw cannotHold(kind) }
        guard kinds.count == 1 || holdsSeveral else {
            if self == .v4l2 { throw cannotShow("shows one camera, not \(kinds.count)", "choose one --camera") }
            throw CaptureError(
                .usage, "\(title) can contain one track, not \(kinds.count).",
                remedies: [Remedy("Record to a name that ends in .mkv.")])
        }
    }

    private func cannotHold(_ kind: MediaKind) -> CaptureError {
        if self == .v4l2 { return cannotShow("has no audio", "add --microphone none") }
        return kind == .video
            ? CaptureError(
                .usage, "\(title) can contain only audio.",
                remedies: [Remedy("Record to a name that ends in .mkv, or add --camera none.")])
            : CaptureError(
                .usage, "\(title) can contain only video.",
                remedies: [
                    Remedy("Record to a name that ends in .mkv, or add --microphone none.")
                ])
    }

    /// - Parameters:
    ///   - what: that a virtual camera does.
    ///   - instead: for it alone.
    private func cannotShow(_ what: String, _ instead: String) -> CaptureError {
        CaptureError(
            .usage, "\(title) \(what).",
            remedies: [
                Remedy("Record to a file, and add --tee v4l2:/dev/videoN."), Remedy("Or \(instead)."),
            ])
    }

    /// Common name of the format.
    public var title: String {
        switch self {
        case .wav: "WAV"
        case .flac: "FLAC"
        case .matroska: "Matroska"
        case .mp4: "MP4"
        case .webm: "WebM"
        case .opus: "Ogg Opus"
        case .mjpeg: "A stream of JPEG images"
        case .y4m: "Y4M"
        case .raw: "A raw file"
        case .nothing: "null:"
        case .v4l2: "A virtual camera"
        case .own: "A custom container"
        }
    }
}

/// The destination of a clip.
///
/// *thread-safe*
public enum ClipDestination: Hashable, Sendable, CustomStringConvertible {
    case file(path: String)
    /// A pipe with a name, or another open file of this process (`/dev/fd/3`, a shell's `>(…)`): written as it comes.
    case pipe(path: String)
    case standardOutput
    /// Captured, counted and discarded.
    case nothing
    /// Sent to a V4L2 video output, such as a virtual camera.
    case videoOutput(path: String)

    /// Examines the existing path: a pipe is written to, and a file replaced.
    ///
    /// - Parameter argument: `-` is standard output, as is a path that leads to it, such as `/dev/stdout`; `null:` is nothing,
    ///   `v4l2:/dev/video9` or `v4l2:video9` a node that accepts frames; everything else is a path.
    public init(_ argument: String) {
        switch argument {
        case "-": self = .standardOutput
        case "null:": self = .nothing
        case _ where argument.hasPrefix(Self.outputPrefix):
            let node = String(argument.dropFirst(Self.outputPrefix.count))
            self = .videoOutput(path: node.contains("/") || node.isEmpty ? node : "/dev/\(node)")
        case _ where ClipOutput.descriptor(ofLink: argument) == 1: self = .standardOutput
        case _ where ClipOutput.isPipe(argument): self = .pipe(path: argument)
        default: self = .file(path: argument)
        }
    }

    public var description: String {
        switch self {
        case .file(let path), .pipe(let path): path
        case .standardOutput: "-"
        case .nothing: "null:"
        case .videoOutput(let path): Self.outputPrefix + path
        }
    }

    /// Scheme of a node that accepts frames; a file with such a name is `./v4l2:NAME`.
    private static let outputPrefix = "v4l2:"
}
