import CaptureGate

extension ClipFormat {
    /// Opens a writer once the devices' formats are known.
    /// - Parameters:
    ///   - output: where it goes; consumed.
    ///   - tracks: in the order of the file.
    ///   - labels: title and tags, where the format has room for them.
    ///   - settings: of the encoders.
    /// - Throws: `.usage` for tracks that the format can't hold or settings out of range, with what to choose;
    ///   `.inputOutput`, `.diskFull`. An empty partial file is removed then.
    public func writer(
        on output: consuming ClipOutput, tracks: [ClipTrack], labels: ClipLabels = ClipLabels(),
        settings: EncoderSettings = EncoderSettings()
    ) throws(CaptureError) -> any ClipWriter {
        try check(tracks.map(\.kind))
        switch self {
        case .nothing: return NullWriter(output: output, tracks: tracks)
        case .matroska: return try MatroskaWriter(output: output, tracks: tracks, labels: labels, settings: settings)
        case .raw: return StreamWriter(output: output, format: self, tracks: tracks, stream: RawStream(tracks[0]))
        case .y4m:
            let stream = try Y4MStream(tracks[0])
            return StreamWriter(output: output, format: self, tracks: tracks, stream: stream)
        case .flac:
            let stream = try FLACStream(tracks[0], labels: labels, settings: settings)
            return StreamWriter(output: output, format: self, tracks: tracks, stream: stream)
        case .opus:
            let stream = try OggOpusStream(tracks[0], labels: labels, settings: settings)
            return StreamWriter(output: output, format: self, tracks: tracks, stream: stream)
        case .mjpeg:
            let stream = try MJPEGStream(tracks[0], settings: settings)
            return StreamWriter(output: output, format: self, tracks: tracks, stream: stream)
        case .wav:
            let stream = try WAVStream(tracks[0])
            return StreamWriter(output: output, format: self, tracks: tracks, stream: stream)
        }
    }
}
