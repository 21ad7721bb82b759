import CaptureEncoding
import CaptureGate

extension ClipFormat {
    /// Checks whether the format can hold what the codecs make, before anybody is asked for a device.
    ///
    /// - Throws: `.usage`, saying what can.
    func check(_ video: VideoCodec, _ audio: AudioCodec) throws(CaptureError) {
        guard videoCodecs.contains(video) else { throw other("--video-codec \(video.rawValue)") }
        guard audioCodecs.contains(audio) else { throw other("--audio-codec \(audio.rawValue)") }
    }

    private var videoCodecs: [VideoCodec] {
        switch self {
        case .matroska, .nothing: VideoCodec.allCases
        case .mjpeg: [.automatic, .mjpeg]
        case .y4m, .raw, .wav, .flac, .opus: [.automatic, .raw]
        }
    }

    private var audioCodecs: [AudioCodec] {
        switch self {
        case .matroska, .nothing: AudioCodec.allCases
        case .flac: [.automatic, .flac]
        case .opus: [.automatic, .opus]
        case .wav, .raw, .y4m, .mjpeg: [.automatic, .pcm]
        }
    }

    /// Which encoders with settings of their own may be at work.
    func codecs(_ video: VideoCodec, _ audio: AudioCodec, _ kinds: Set<MediaKind>) -> Set<String> {
        var codecs: Set<String> = []
        if self == .flac { codecs.insert("FLAC") }
        if self == .opus { codecs.insert("Opus") }
        if self == .mjpeg { codecs.insert("JPEG") }
        guard self == .matroska else { return codecs }
        if kinds.contains(.video), video != .raw { codecs.insert("JPEG") }
        guard kinds.contains(.audio) else { return codecs }
        if audio == .opus { codecs.insert("Opus") }
        if audio == .flac || audio == .automatic { codecs.insert("FLAC") }
        return codecs
    }

    private func other(_ option: String) -> CaptureError {
        CaptureError(
            .usage, "A .\(rawValue) file can't hold what \(option) makes.",
            remedies: [Remedy("Record to a name that ends in .mkv, or leave the option out.")])
    }
}
