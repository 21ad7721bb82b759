import CaptureBase

extension ClipFormat {
    /// Opens a writer once the devices' formats are known.
    /// - Parameters:
    ///   - output: the destination; consumed.
    ///   - tracks: in the order of the file.
    ///   - labels: title and tags, as far as the format stores them.
    ///   - settings: codecs and their parameters, as far as the format leaves a choice.
    /// - Throws: `.usage` for tracks that the format can't hold or settings out of range, with a
    ///   remedy; `.inputOutput`, `.diskFull`. The empty partial file is removed then.
    public func writer(
        on output: consuming ClipOutput, tracks: [ClipTrack], labels: ClipLabels = ClipLabels(),
        settings: EncoderSettings = EncoderSettings()
    ) throws(CaptureError) -> any ClipWriter {
        // The number and kinds of tracks; each format checks their own formats below.
        try check(tracks.map(\.kind))
        let settings = settings.chosen(for: self)
        switch self {
        case .nothing: return NullWriter(output: output, tracks: tracks)
        case .v4l2: throw CaptureError(.usage, "\(output.destination) is not a video output.")
        case .own: throw CaptureError(.usage, "A custom container needs a custom writer.")
        case .matroska, .webm:
            return try MatroskaWriter(
                output: output, format: self, tracks: tracks, labels: labels, settings: settings)
        case .mp4: return try MP4Writer(output: output, tracks: tracks, labels: labels, settings: settings)
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

/// Writer that counts and discards, to measure capture without encoding.
///
/// *session-bound*
final class NullWriter: ClipWriter {
    let format = ClipFormat.nothing
    let tracks: [ClipTrack]
    private(set) var bytesWritten: Int64 = 0

    /// Kept for the clip's path; the output itself is dropped at once.
    private let destination: ClipDestination
    private var counted: [EncoderCounts]
    /// End of the last frame, in nanoseconds from the clip's start.
    private var end: Int64 = 0

    func extend(to nanoseconds: Int64) { end = max(end, nanoseconds) }

    init(output: consuming ClipOutput, tracks: [ClipTrack]) {
        destination = output.destination
        self.tracks = tracks
        counted = Array(repeating: EncoderCounts(), count: tracks.count)
    }

    /// Input totals: nothing is encoded.
    func counts(of track: Int) -> EncoderCounts { counted[track] }

    func write(_ data: RawSpan, to track: Int, at nanoseconds: Int64) throws(CaptureError) {
        try checkTrack(track)
        let frames = try tracks[track].frames(in: data)
        counted[track].frames += UInt64(frames)
        counted[track].packets += 1
        counted[track].bytes += UInt64(data.byteCount)
        bytesWritten += Int64(data.byteCount)
        end = max(end, nanoseconds + tracks[track].nanoseconds(ofFrames: Int64(frames)))
    }

    func finish(ledger: LossLedger, end reason: EndReason) -> Clip {
        Clip(
            path: destination.description, format: format, duration: .nanoseconds(end), bytes: bytesWritten,
            tracks: tracks, ledger: ledger, end: reason)
    }

    func discard() {}
}

/// A device's bytes, unchanged and without any header.
///
/// *session-bound*
final class RawStream: ClipStream {
    let head: [UInt8] = []
    private(set) var counts = EncoderCounts()
    private let track: ClipTrack

    init(_ track: ClipTrack) { self.track = track }

    /// Copies the driver's buffer, including padding: the file does not store where rows end.
    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError) {
        let frames = try track.frames(in: data)
        let duration = track.nanoseconds(ofFrames: Int64(frames))
        try data.withUnsafeBytes { (data) throws(CaptureError) in
            try packets.append(capacity: data.count, at: nanoseconds, lasting: duration) { room in
                room.copyMemory(from: data)
                return data.count
            }
        }
        counts.frames += UInt64(frames)
        counts.packets += 1
        counts.bytes += UInt64(data.byteCount)
    }
}

/// JPEG images one after the other, without timestamps: the format that players call `mjpeg`.
///
/// *session-bound*
final class MJPEGStream: ClipStream {
    let head: [UInt8] = []
    /// Passthrough of a camera's JPEG, or an encoder of raw frames.
    private let encoder: any TrackEncoder

    /// - Throws: `.usage` for a format that can't be made JPEG.
    init(_ track: ClipTrack, settings: EncoderSettings) throws(CaptureError) {
        var settings = settings
        settings.videoCodec = .mjpeg
        encoder = settings.encoder(for: track)
        try encoder.begin()
    }

    var counts: EncoderCounts { encoder.counts }

    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError) {
        try encoder.encode(data, at: nanoseconds, into: &packets)
    }

    /// Ends what the encoder still holds, its threads among them.
    func finish(into packets: inout PacketBuffer) throws(CaptureError) { try encoder.finish(into: &packets) }
}
