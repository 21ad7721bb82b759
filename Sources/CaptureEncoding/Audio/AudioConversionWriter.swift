import CaptureBase

/// Writer that converts the audio of a capture before the writer that stores it. Video passes.
///
/// Audio frames of a track follow one another: the time of its first write counts, and later ones are counted from there, as in
/// the encoders. Times do not change: the filters' delay is subtracted. A ledger in frames of the device becomes one in frames of
/// the file.
///
/// *session-bound*
final class AudioConversionWriter: ClipWriter {
    let tracks: [ClipTrack]
    private let inner: any ClipWriter
    /// Way of each track of the capture.
    private let routes: [AudioRoute]
    /// Mix of all microphones; `nil` if each has a separate track.
    private let mix: MixedTrack?

    /// - Parameters:
    ///   - tracks: of the capture.
    ///   - routes: way of each of them.
    ///   - mix: of all microphones, if they are mixed.
    ///   - inner: stores the converted tracks.
    init(_ tracks: [ClipTrack], routes: [AudioRoute], mix: MixedTrack?, to inner: any ClipWriter) {
        (self.tracks, self.routes, self.mix, self.inner) = (tracks, routes, mix, inner)
    }

    var storedTracks: [ClipTrack] {
        zip(tracks, routes).map { track, route in
            guard let format = inner.tracks[route.stored].audio else { return track }
            return ClipTrack(.audio(format), name: track.name, device: track.device)
        }
    }

    func write(_ data: RawSpan, to track: Int, at nanoseconds: Int64) throws(CaptureError) {
        try checkTrack(track)
        guard case .convert(let chain, let output) = routes[track].conversion else {
            return try inner.write(data, to: routes[track].stored, at: nanoseconds)
        }
        _ = try chain.source.frames(in: data)
        output.begin(at: nanoseconds)
        try chain.source.forEachPiece(of: data) { (piece, _) throws(CaptureError) in
            defer { chain.removeSamples() }
            chain.convert(piece)
            try output.put(chain.samples, to: inner)
        }
    }

    /// Writes the contents of the filters, and the part of the mix that waits for tracks that have ended.
    private func flush() throws(CaptureError) {
        for route in routes {
            guard case .convert(let chain, let output) = route.conversion else { continue }
            defer { chain.removeSamples() }
            chain.finish()
            try output.put(chain.samples, to: inner)
        }
        try mix?.flush(to: inner)
    }

    // MARK: The ledger

    /// Ledger in frames of the file, with one entry for each of its tracks.
    /// - Parameters:
    ///   - ledger: of the capture.
    ///   - isFinal: true at the end, when each track's number of frames is known.
    private func stored(_ ledger: LossLedger, isFinal: Bool) -> LossLedger {
        var ledger = ledger
        let converted = converted(ledger, isFinal: isFinal)
        ledger.tracks = converted
        guard let mix else { return ledger }
        let isMixed = routes.map { $0.stored == mix.index }
        let parts = zip(converted, isMixed).filter(\.1).map(\.0)
        var own = zip(converted, isMixed).filter { !$0.1 }.map(\.0)
        let mixed = TrackLedger(
            mixing: parts, as: inner.tracks[mix.index], stored: isFinal ? mix.frames : nil)
        own.insert(mixed, at: mix.index)
        ledger.tracks = own
        return ledger
    }

    /// Ledger in frames of the file, with one entry for each track of the capture.
    private func converted(_ ledger: LossLedger, isFinal: Bool) -> [TrackLedger] {
        zip(ledger.tracks, routes).map { track, route in
            guard case .convert(let chain, let output) = route.conversion else { return track }
            return track.converted(
                from: chain.source.sampleRate, to: chain.target.sampleRate, stored: isFinal ? output.frames : nil,
                late: output.late)
        }
    }

    // MARK: Passed on

    func fill(_ data: RawSpan, to track: Int, at nanoseconds: Int64, times: Int) throws(CaptureError) {
        try checkTrack(track)
        try inner.fill(data, to: routes[track].stored, at: nanoseconds, times: times)
    }

    func finishSegments(_ ledger: () -> LossLedger) throws(CaptureError) {
        try inner.finishSegments { stored(ledger(), isFinal: false) }
    }

    /// Writes the rest of the audio first. The clip's ledger has an entry for each track of the capture, even if they are mixed to
    /// one.
    func finish(ledger: LossLedger, end: EndReason) throws(CaptureError) -> Clip {
        // If that fails, the output has failed, and is finished with the data so far.
        try? flush()
        var clip = try inner.finish(ledger: stored(ledger, isFinal: true), end: end)
        let tracks = converted(ledger, isFinal: true)
        clip.tracks = storedTracks
        clip.ledger.tracks = zip(tracks, routes).map { track, route in
            guard let mix, route.stored == mix.index else { return clip.ledger.tracks[route.stored] }
            var track = track
            track.limit(to: clip.ledger.tracks[mix.index].frames)
            return track
        }
        return clip
    }

    func counts(of track: Int) -> EncoderCounts { inner.counts(of: routes[track].stored) }
    func leftOut(of track: Int) -> UInt64 { inner.leftOut(of: routes[track].stored) }
    func add(_ chapter: ClipChapter) { inner.add(chapter) }

    func extend(to nanoseconds: Int64) { inner.extend(to: nanoseconds) }
    func takeFailures() -> [OutputFailure] { inner.takeFailures() }
    func discard() { inner.discard() }

    var format: ClipFormat { inner.format }
    var bytesWritten: Int64 { inner.bytesWritten }
    var isBusy: Bool { inner.isBusy }
    var isSegmentOver: Bool { inner.isSegmentOver }
    var failure: CaptureError? { inner.failure }
    var ownFailure: CaptureError? { inner.ownFailure }

    /// Those of the inner writer, and the audio that is in the filters and in the mix.
    var pendingBytes: Int64 {
        routes.reduce(inner.pendingBytes + (mix?.pendingBytes ?? 0)) { bytes, route in
            guard case .convert(let chain, _) = route.conversion else { return bytes }
            return bytes + Int64(chain.pending * chain.target.bytesPerFrame)
        }
    }
}

/// Way of one track of a capture into the file.
struct AudioRoute {
    enum Conversion {
        /// Bytes pass unchanged.
        case none
        case convert(AudioChain, any ConvertedOutput)
    }

    /// Index of the file's track.
    let stored: Int
    let conversion: Conversion
}

/// Destination of one microphone's converted samples.
///
/// *session-bound*
protocol ConvertedOutput: AnyObject {
    /// Frames that the file has of it.
    var frames: UInt64 { get }
    /// Frames that were dropped because they came too late.
    var late: UInt64 { get }

    /// Notes the time of the first frame, nanoseconds from the clip's start; later calls do nothing.
    func begin(at nanoseconds: Int64)
    /// Writes what can be written of samples, which are interleaved.
    func put(_ samples: [Double], to writer: any ClipWriter) throws(CaptureError)
}

/// Track of the file with converted audio.
///
/// *session-bound*
final class ConvertedTrack: ConvertedOutput {
    /// Index in the file.
    let index: Int
    let format: AudioFormat
    private(set) var frames: UInt64 = 0
    private var encoded: EncodedSamples
    /// Time of the first frame, nanoseconds from the clip's start.
    private var start: Int64?

    init(_ index: Int, _ format: AudioFormat) {
        (self.index, self.format) = (index, format)
        encoded = EncodedSamples(format)
    }

    var late: UInt64 { 0 }

    func begin(at nanoseconds: Int64) { start = start ?? nanoseconds }

    func put(_ samples: [Double], to writer: any ClipWriter) throws(CaptureError) {
        guard !samples.isEmpty else { return }
        let count = encoded.set(samples)
        let bytes = encoded.bytes
        let time = (start ?? 0) + SampleClock(rate: format.sampleRate).nanoseconds(Int64(frames))
        try writer.write(bytes.span.bytes.extracting(first: count * format.bytesPerFrame), to: index, at: time)
        frames += UInt64(count)
    }
}

/// Track of the file with the mix of several microphones.
///
/// *session-bound*
final class MixedTrack {
    private let track: ConvertedTrack
    private var mixer: AudioMixer
    private var sums: [Double] = []

    /// Seconds for which it waits for a microphone that delivers nothing: periods last at most a second, and late audio in its
    /// ring arrives at once. A microphone that is missing for longer only delivers silence.
    private static let patience = 5

    /// - Parameters:
    ///   - index: in the file.
    ///   - format: of the track, and of all samples.
    ///   - microphones: number of them.
    init(_ index: Int, _ format: AudioFormat, microphones: Int) {
        track = ConvertedTrack(index, format)
        mixer = AudioMixer(
            tracks: microphones, channels: format.channels, most: format.sampleRate * Self.patience)
    }

    var index: Int { track.index }
    var frames: UInt64 { track.frames }
    var pendingBytes: Int64 { Int64(mixer.waiting * track.format.bytesPerFrame) }

    /// Place of a microphone in the mix, 0 upwards.
    func input(_ number: Int) -> any ConvertedOutput { Input(self, number) }

    /// Writes all mixed audio; no more follows.
    func flush(to writer: any ClipWriter) throws(CaptureError) {
        mixer.take(into: &sums, all: true)
        try track.put(sums, to: writer)
    }

    /// Microphone of a mix.
    private final class Input: ConvertedOutput {
        private unowned let mix: MixedTrack
        private let number: Int
        private var start: Int?
        /// Frames of it that are in the mix.
        private(set) var frames: UInt64 = 0

        init(_ mix: MixedTrack, _ number: Int) { (self.mix, self.number) = (mix, number) }

        var late: UInt64 { mix.mixer.late[number] }

        func begin(at nanoseconds: Int64) {
            guard start == nil else { return }
            start = Int(SampleClock(rate: mix.track.format.sampleRate).frames(nanoseconds))
        }

        func put(_ samples: [Double], to writer: any ClipWriter) throws(CaptureError) {
            guard !samples.isEmpty else { return }
            let late = late
            mix.mixer.add(samples, of: number, from: start ?? 0)
            frames += UInt64(samples.count / mix.track.format.channels) - (self.late - late)
            mix.mixer.take(into: &mix.sums)
            try mix.track.put(mix.sums, to: writer)
        }
    }
}
