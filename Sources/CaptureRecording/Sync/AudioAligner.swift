import CaptureEncoding
import CaptureGate

/// Alignment of one microphone's periods with the clip's time: cut to the sample at the start, silence for lost frames, and
/// kept to the clip's clock.
///
/// *session-bound*
final class AudioAligner {
    private let clip: ClipClock
    private let losses: LossLog
    /// Index in the clip.
    private let track: Int
    private let time: SampleClock
    private let output: AudioTrackWriter
    private let role: SyncRole
    private var clock: DeviceClock
    private var servo = DriftServo()
    private var hasStarted = false
    /// Capture of the last period, to compute the time between two.
    private var lastTimestamp: Int64?
    /// Time from the clip's start to the first frame, nanoseconds; 0 for a microphone that was there before.
    private(set) var startOffsetNanoseconds: Int64 = 0
    /// Delay of the last period relative to its place by the clip's clock; `nil` for audio that is not steered.
    private(set) var offsetNanoseconds: Int64?

    /// - Parameters:
    ///   - output: takes the audio.
    ///   - clip: the clip's time, which the aligner sets where the role is `.leads`.
    ///   - losses: counts lost frames that the clip would have room for.
    ///   - track: index in the clip.
    ///   - clock: the device's; may have seen timestamps before.
    ///   - role: `.follows` for audio that may be resampled.
    init(
        _ output: AudioTrackWriter, _ clip: ClipClock, _ losses: LossLog, track: Int, clock: DeviceClock,
        role: SyncRole
    ) {
        self.output = output
        self.clip = clip
        self.losses = losses
        self.track = track
        self.clock = clock
        self.role = role
        time = SampleClock(rate: output.format.sampleRate)
        if role == .leads { clip.follow(rateOffset: clock.rateOffset) }
    }

    /// Places one period.
    /// - Returns: the frames of it that fall into the clip, a range within the period.
    func place(_ header: FrameHeader, _ bytes: RawSpan) throws(CaptureError) -> Range<Int> {
        clock.update(header)
        if role == .leads { clip.follow(rateOffset: clock.rateOffset) }
        let timestamp = clock.nanoseconds(at: header.sequence)
        clip.start(at: timestamp)
        var cut = 0
        if hasStarted {
            try fill(lost: header, before: timestamp)
        } else {
            cut = framesBeforeClip(timestamp, header.frameCount)
            guard cut < header.frameCount else { return 0..<0 }
            hasStarted = true
            try lead(timestamp)
        }
        guard !clip.cuts.isEmpty else { return try write(cut..<header.frameCount, of: header, bytes) }
        var last = 0..<0
        for part in parts(cut..<header.frameCount, timestamp) {
            if part.lowerBound > cut { try jump() }
            last = try write(part, of: header, bytes)
        }
        // What follows the pause is no continuation.
        if last.upperBound < header.frameCount { try jump() }
        return last
    }

    /// Writes a part of a period.
    /// - Returns: the frames of it that fall into the clip.
    private func write(_ part: Range<Int>, of header: FrameHeader, _ bytes: RawSpan) throws(CaptureError) -> Range<Int>
    {
        steer(clock.nanoseconds(at: header.sequence + UInt64(part.lowerBound)))
        let kept = part.lowerBound..<part.lowerBound + Int(output.room(for: UInt64(part.count)))
        let size = output.format.bytesPerFrame
        // The resampler needs what follows the clip's last frame.
        let offered = servo.isCorrecting ? part : kept
        try output.write(bytes.extracting(offered.lowerBound * size..<offered.upperBound * size), step: step)
        return kept
    }

    /// Parts of a period that no pause cuts out.
    private func parts(_ frames: Range<Int>, _ timestamp: Int64) -> [Range<Int>] {
        guard let start = clip.captureTime(of: timestamp) else { return [frames] }
        let rate = Double(output.format.sampleRate) / 1e9
        func frame(_ time: Int64) -> Int {
            min(max(frames.lowerBound, Int((Double(time - start) * rate).rounded())), frames.upperBound)
        }
        let span = start..<start + max(1, Int64(Double(frames.upperBound) / rate))
        return clip.cuts.kept(of: span).compactMap { kept in
            let end = kept.upperBound == span.upperBound ? frames.upperBound : frame(kept.upperBound)
            let first = frame(kept.lowerBound)
            return first < end ? first..<end : nil
        }
    }

    /// Continues after a pause.
    private func jump() throws(CaptureError) {
        try output.flush(step: servo.step)
        lastTimestamp = nil
    }

    /// Writes silence for the frames that the device would have made by the clip's end, had it not been away or stalled.
    func miss(_ frames: UInt64, as cause: WritableKeyPath<LostFrames, UInt64>) throws(CaptureError) {
        losses.count(frames, as: cause, of: track)
        try output.writeSilence(frames)
    }

    /// Writes the frames still in the resampler: no more follow.
    func finish() throws(CaptureError) { try output.flush(step: servo.step) }

    /// Drift of the device over the recording, ppm, and its uncertainty; `nil` if the recording is too short.
    var drift: (ppm: Double, uncertainty: Double)? { clock.drift }

    // MARK: Steering

    /// Frames of the device for one of the clip; `nil` while audio passes bit for bit.
    private var step: Double? { servo.isCorrecting ? servo.step : nil }

    private func steer(_ timestamp: Int64) {
        let next = output.nextFrame(step: servo.step)
        let span = lastTimestamp.map { Double(timestamp - $0) * 1e-9 } ?? 0
        lastTimestamp = timestamp
        let nanoseconds = next * 1e9 / Double(output.format.sampleRate)
        if role == .leads { clip.anchor(timestamp, at: Int64(nanoseconds.rounded())) }
        guard role == .follows, let wanted = clip.time(of: timestamp) else { return }
        let error = Double(wanted) - nanoseconds
        offsetNanoseconds = Int64((-error).rounded())
        servo.steer(
            error: error * 1e-9, noise: clock.noise,
            rateOffset: (1 + clock.rateOffset) / (1 + clip.rateOffset) - 1, span: max(0, span))
    }

    // MARK: Start and losses

    /// Frames of a period that lie before the clip's start.
    private func framesBeforeClip(_ timestamp: Int64, _ count: Int) -> Int {
        guard let origin = clip.origin, timestamp < origin else { return 0 }
        return Int(min(time.frames(origin - timestamp), UInt64(count)))
    }

    /// Writes silence where the first frame comes later than the clip's start.
    private func lead(_ timestamp: Int64) throws(CaptureError) {
        guard let origin = clip.origin, timestamp > origin else { return }
        startOffsetNanoseconds = clip.cuts.keptTime(of: 0..<timestamp - origin)
        try output.writeSilence(time.frames(startOffsetNanoseconds))
    }

    private func fill(lost header: FrameHeader, before timestamp: Int64) throws(CaptureError) {
        guard header.lost.total > 0 else { return }
        try output.flush(step: servo.step)
        // Frames lost past the clip's end, or in a pause, are not lost to the clip. The silence may be what ends it, so the
        // ring's share is counted after the device's is written.
        let most = clip.cuts.isEmpty ? .max : mostLost(header.lost.total, before: timestamp)
        let device = output.room(for: min(header.lost.device, most))
        losses.count(device: device, ring: 0, before: header.flags, of: track)
        try output.writeSilence(device)
        let ring = output.room(for: min(header.lost.ring, most - min(most, header.lost.device)))
        losses.count(device: 0, ring: ring, before: header.flags, of: track)
        try output.writeSilence(ring)
    }

    /// Frames before a moment that no pause cuts out.
    private func mostLost(_ frames: UInt64, before timestamp: Int64) -> UInt64 {
        guard let end = clip.captureTime(of: timestamp) else { return 0 }
        let length = Int64(min(Double(frames) * 1e9 / Double(output.format.sampleRate), Double(max(end, 0))))
        return time.frames(clip.cuts.keptTime(of: end - length..<end))
    }
}

/// Control of the rate at which audio enters the clip, so that it keeps its position on the clip's clock.
///
/// Audio that is less than 2 ms off, or less than the timestamps' jitter, is stored bit for bit. Otherwise it is resampled from
/// then on: at the measured rate, and a little faster or slower until it is in its place. There are no jumps: the rate changes by
/// at most 500 ppm per second. A device that is further off than crystals normally are is set to its own rate at once: audio
/// recorded at a wrong pitch is corrected within some seconds.
struct DriftServo {
    private(set) var isCorrecting = false
    /// Frames of the device for one of the clip.
    private(set) var step = 1.0

    /// Seconds.
    private static let deadBand = 0.002
    /// Time in which the rest of an error falls to a third, seconds.
    private static let settling = 5.0
    /// Correction beside the device's own rate: four hundredths of a semitone, less than people hear.
    private static let mostCorrection = 2500e-6
    /// Change of the rate in a second.
    private static let mostChange = 500e-6
    /// Drift that is corrected at most: a device further off has another rate than it says.
    static let mostDrift = 20_000e-6

    /// Sets the rate for the next period.
    /// - Parameters:
    ///   - error: distance of the next frame before its place in the clip, seconds.
    ///   - noise: standard deviation of `error`, seconds.
    ///   - rateOffset: rate of the device against the clip's clock, less 1.
    ///   - span: time since the last call, seconds.
    mutating func steer(error: Double, noise: Double, rateOffset: Double, span: Double) {
        if !isCorrecting { isCorrecting = abs(error) > Self.deadBand + 4 * noise }
        guard isCorrecting else { return }
        let own = bounded(rateOffset, Self.mostDrift)
        let wanted = own + bounded(-error / Self.settling, max(Self.mostCorrection, abs(own) / 2))
        let isWrong = abs(own) > Self.mostCorrection
        let change = (isWrong ? max(Self.mostChange, abs(own - (step - 1))) : Self.mostChange) * span
        step = 1 + min(max(wanted, step - 1 - change), step - 1 + change)
    }

    private func bounded(_ value: Double, _ most: Double) -> Double { min(max(value, -most), most) }
}
