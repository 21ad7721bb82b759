import CaptureBase

/// Library of an encoder that a build may lack and that is loaded when it is first used.
///
/// *thread-safe*
enum CodecLibrary {
    case openH264, voAAC, libvpx, svtAV1

    /// Name of the library.
    var title: String {
        switch self {
        case .openH264: "OpenH264"
        case .voAAC: "vo-aacenc"
        case .libvpx: "libvpx"
        case .svtAV1: "SVT-AV1"
        }
    }

    /// Trait of the package that builds it in.
    private var trait: String {
        switch self {
        case .openH264, .voAAC: "MP4"
        case .libvpx: "WebM"
        case .svtAV1: "AV1"
        }
    }

    /// True if the encoder can be used.
    var isAvailable: Bool { state >= 0 }

    /// - Throws: `.unavailable` for a build without the library, and for a machine without it.
    func check(_ remedies: [Remedy] = []) throws(CaptureError) {
        switch state {
        case 0...: return
        case -Self.notBuilt:
            throw CaptureError(
                .unavailable, "This program was built without \(title).",
                remedies: remedies + [Remedy("Build it with the trait \(trait), or choose another codec.")])
        default:
            throw CaptureError(
                .unavailable, "\(title) is not installed, or has a version that this program was not built for.",
                remedies: remedies + [Remedy("Install the library of \(title), or choose another codec.")])
        }
    }

    /// ENOSYS: a shim was compiled without its library.
    private static let notBuilt: Int32 = 38
}

extension VideoCodec {
    /// Library of the codec, if a build may lack it.
    var library: CodecLibrary? {
        switch self {
        case .automatic, .mjpeg, .raw: nil
        case .h264: .openH264
        case .vp8, .vp9: .libvpx
        case .av1: .svtAV1
        }
    }

    /// True if this program can encode it, here.
    public var isAvailable: Bool { library?.isAvailable ?? true }
}

extension AudioCodec {
    /// Library of the codec, if a build may lack it.
    var library: CodecLibrary? { self == .aac ? .voAAC : nil }

    /// True if this program can encode it, here.
    public var isAvailable: Bool { library?.isAvailable ?? true }
}

extension EncoderSettings {
    /// Settings with the codecs that `automatic` means in a format.
    ///
    /// MP4 has H.264 and AAC, WebM VP8 and Opus: what every player of those formats plays.
    /// - Parameter format: of the clip.
    public func chosen(for format: ClipFormat) -> EncoderSettings {
        var settings = self
        switch format {
        case .mp4:
            if videoCodec == .automatic { settings.videoCodec = .h264 }
            if audioCodec == .automatic { settings.audioCodec = .aac }
        case .webm:
            if videoCodec == .automatic { settings.videoCodec = .vp8 }
            if audioCodec == .automatic { settings.audioCodec = .opus }
        default: break
        }
        return settings
    }

    /// Checks that the encoders of a clip can be used, before anybody is asked for a device.
    /// - Parameters:
    ///   - format: format of the clip.
    ///   - kinds: kinds of its tracks.
    ///   - destination: destination of the clip, which the remedy names.
    /// - Throws: `.unavailable`, with a step by which another program makes the file.
    public func check(
        for format: ClipFormat, _ kinds: Set<MediaKind>, to destination: ClipDestination
    ) throws(CaptureError) {
        guard format.kinds == [.audio, .video] else { return }
        let settings = chosen(for: format)
        var path = "clip.\(format.endings.first ?? format.rawValue)"
        if case .file(let name) = destination { path = name }
        let elsewhere = Remedy(
            "Let ffmpeg make the file",
            .transcode(path: path, sound: kinds.contains(.audio), picture: kinds.contains(.video)))
        if kinds.contains(.video) { try settings.videoCodec.library?.check([elsewhere]) }
        if kinds.contains(.audio) { try settings.audioCodec.library?.check([elsewhere]) }
    }
}
