import CaptureGate
import CaptureRecording

/// Samples of a capture, channel by channel, without those of the time in which a device settles.
///
/// *session-bound*
struct SoundRecording: StreamInspector {
    /// Time at the start of a capture that does not count: filters and automatic gains settle, and a played sound begins.
    static let settling = Duration.milliseconds(500)
    /// Most samples of all channels together: 64 MiB, three minutes of two channels at 48 kHz.
    static let most = 1 << 24

    let format: AudioFormat
    /// Samples by channel, −1...1.
    private(set) var channels: [[Float]]
    /// Periods, by the number of their first frame in ``channels``.
    private var marks: [(frame: Int, time: Int64)] = []
    /// Frames to skip before the next one counts.
    private var left: Int
    private let wanted: Int

    var rate: Double { Double(format.sampleRate) }

    /// - Parameters:
    ///   - media: media of the capture.
    ///   - settling: time to skip.
    ///   - duration: time to keep.
    /// - Throws: `.usage` for more than fits into memory, and for media that is not audio.
    init(_ media: ClipTrack.Media, after settling: Duration, keeping duration: Duration) throws(CaptureError) {
        guard case .audio(let format) = media else {
            throw CaptureError(.usage, "A camera has no audio.", remedies: [Remedy("Name a microphone.")])
        }
        self.format = format
        left = Self.frames(settling, format)
        wanted = Self.frames(duration, format)
        channels = Array(repeating: [], count: format.channels)
        guard wanted <= Self.most / max(format.channels, 1) else {
            let longest = Self.most / max(format.channels, 1) / format.sampleRate
            throw CaptureError(
                .usage, "Audio of this length does not fit into memory.",
                remedies: [Remedy("Choose at most \(longest) s.")])
        }
        for channel in channels.indices { channels[channel].reserveCapacity(wanted) }
    }

    private static func frames(_ time: Duration, _ format: AudioFormat) -> Int {
        Int((time / .seconds(1) * Double(format.sampleRate)).rounded())
    }

    mutating func inspect(_ header: FrameHeader, _ bytes: RawSpan) {
        let frames = bytes.byteCount / format.bytesPerFrame
        let skipped = min(left, frames)
        left -= skipped
        let kept = channels[0].count
        let end = min(frames, skipped + wanted - kept)
        guard skipped < end else { return }
        marks.append((kept, header.timestamp + format.nanoseconds(ofFrames: Int64(skipped))))
        let samples = samples(bytes)
        for channel in channels.indices {
            for frame in skipped..<end { channels[channel].append(samples[frame * format.channels + channel]) }
        }
    }

    private func samples(_ bytes: RawSpan) -> [Float] {
        let count = bytes.byteCount / format.sampleFormat.bytesPerSample
        return [Float](unsafeUninitializedCapacity: count) { samples, initialized in
            guard let start = samples.baseAddress else { return }
            bytes.withUnsafeBytes { Samples.float($0, of: format.sampleFormat, into: start) }
            initialized = count
        }
    }

    /// Frame that was made at a time or right after it; `nil` if it was before the first or after the last one.
    ///
    /// - Parameter time: CLOCK_MONOTONIC in ns.
    /// - Returns: its number, and the frames by which it is later than the time, less than one except at gaps.
    func frame(at time: Int64) -> (number: Int, late: Double)? {
        guard let mark = marks.last(where: { $0.time <= time }) else { return nil }
        let exact = time.elapsed(since: mark.time) * rate / 1e9
        let frame = mark.frame + Int(exact.rounded(.up))
        return frame < channels[0].count ? (frame, exact.rounded(.up) - exact) : nil
    }

    /// Time of a frame, CLOCK_MONOTONIC in ns.
    func time(of frame: Int) -> Int64 {
        guard let mark = marks.last(where: { $0.frame <= frame }) else { return 0 }
        return mark.time + format.nanoseconds(ofFrames: Int64(frame - mark.frame))
    }

    /// Times of the first and the last frame; `nil` if none exists.
    var span: ClosedRange<Int64>? {
        guard let first = marks.first, let count = channels.first?.count else { return nil }
        return first.time...max(first.time, time(of: count - 1))
    }
}

extension CheckContext {
    /// Audio that the check's microphone hears after it has settled.
    ///
    /// - Parameters:
    ///   - standard: time of a check that has no parameter for it.
    ///   - settling: time before.
    ///   - claps: true for clicks of the built-in tone.
    func heard(
        for standard: Duration = .seconds(2), after settling: Duration = SoundRecording.settling, claps: Bool = false
    ) async throws(CaptureError) -> SoundRecording {
        var capture = try capture(for: standard)
        let duration = capture.duration
        capture.duration += settling
        capture.audio.claps = claps
        guard let device = devices.last else { throw CaptureError(.usage, "\(planned.name) has no device.") }
        let (record, recording) = try await streams.record(capture, from: device) { media throws(CaptureError) in
            try SoundRecording(media, after: settling, keeping: duration)
        }
        try record.check()
        return recording
    }

    /// Frames a second at which the check plays and captures.
    func soundRate() throws(CaptureError) -> Int { try capture().audio.sampleRate ?? 48_000 }

    /// Plays tones on the device that the parameter `play` names, as long as a body runs; without it, somebody else plays.
    ///
    /// - Parameter tones: Hz by channel.
    func playing<Output: Sendable>(
        _ tones: [Double], while body: @Sendable () async throws(CaptureError) -> Output
    ) async throws(CaptureError) -> Output {
        guard let name = word("play") else { return try await body() }
        let sound = try PlayedSound(tones: tones, rate: try soundRate())
        return try await streams.player.play(sound, on: name, while: body).output
    }
}
