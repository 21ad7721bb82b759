import CaptureGate

/// Places one microphone's periods on the clip's time line: cut to the sample at the start, with silence where frames were
/// lost, and kept to the clip's clock.
final class SoundPlacement {
    private let timeline: Timeline
    private let time: SoundTime
    private let outlet: SoundOutlet
    private let isSteered: Bool
    private var clock: DeviceClock
    private var steering = SoundSteering()
    private var hasStarted = false
    /// Of the last period, to tell how much time passes between two.
    private var lastStamp: Int64?
    /// Frames lost, by the device and in the ring, that the clip would have room for.
    private(set) var lost = LostFrames()
    private(set) var startOffsetNanoseconds: Int64 = 0
    /// How much later the last period stands than the clip's clock wants it; `nil` where nothing steers it.
    private(set) var offsetNanoseconds: Int64?

    /// - Parameters:
    ///   - clock: may have seen stamps before.
    ///   - isSteered: whether the sound may be resampled.
    init(_ outlet: SoundOutlet, _ timeline: Timeline, clock: DeviceClock, isSteered: Bool) {
        self.outlet = outlet
        self.timeline = timeline
        self.clock = clock
        self.isSteered = isSteered
        time = SoundTime(rate: outlet.format.sampleRate)
    }

    /// Places one period.
    ///
    /// - Returns: the frames of it that fall into the clip, from the period's first or a later one.
    func place(_ header: FrameHeader, _ bytes: RawSpan) throws(CaptureError) -> Range<Int> {
        clock.update(header)
        let stamp = clock.nanoseconds(at: header.sequence)
        timeline.start(at: stamp)
        var cut = 0
        if hasStarted {
            try fill(lost: header)
        } else {
            cut = before(stamp, header.frameCount)
            guard cut < header.frameCount else { return 0..<0 }
            hasStarted = true
            try lead(stamp)
        }
        steer(clock.nanoseconds(at: header.sequence + UInt64(cut)))
        let kept = cut..<cut + Int(outlet.room(for: UInt64(header.frameCount - cut)))
        let size = outlet.format.bytesPerFrame
        let offered = isResampling ? cut..<header.frameCount : kept
        try outlet.write(bytes.extracting(offered.lowerBound * size..<offered.upperBound * size), step: step)
        return kept
    }

    /// Silence for what the device would have made by the clip's end, had it not been away or fallen silent.
    func miss(
        _ frames: UInt64, as cause: WritableKeyPath<LostFrames, UInt64> = \.device
    ) throws(CaptureError) {
        lost[keyPath: cause] += frames
        try outlet.writeSilence(frames)
    }

    /// Hands out what is still inside: nothing follows.
    func finish() throws(CaptureError) { try outlet.flush(step: steering.step) }

    /// Where in the clip a moment is by this device's clock; `nil` before the clip has its sound.
    func clipNanoseconds(at moment: Int64) -> Int64? {
        guard let lastStamp else { return nil }
        let since = Double(moment - lastStamp) * (1 + clock.rateOffset)
        return anchor + Int64(since.rounded())
    }

    var rateOffset: Double { clock.rateOffset }
    var drift: (ppm: Double, uncertainty: Double)? { clock.drift }

    // MARK: Steering

    /// Where in the clip the last period began.
    private var anchor: Int64 = 0

    private var isResampling: Bool { steering.isCorrecting }
    private var step: Double? { isResampling ? steering.step : nil }

    private func steer(_ stamp: Int64) {
        let next = outlet.nextFrame(step: steering.step)
        let span = lastStamp.map { Double(stamp - $0) * 1e-9 } ?? 0
        lastStamp = stamp
        anchor = Int64((next * 1e9 / Double(outlet.format.sampleRate)).rounded())
        guard isSteered, let wanted = timeline.time(of: stamp) else { return }
        let error = Double(wanted) - next * 1e9 / Double(outlet.format.sampleRate)
        offsetNanoseconds = Int64((-error).rounded())
        steering.steer(
            error: error * 1e-9, noise: clock.noise,
            rateOffset: (1 + clock.rateOffset) / (1 + timeline.rateOffset) - 1, span: max(0, span))
    }

    // MARK: Start and losses

    /// Frames of a period that lie before the clip's start.
    private func before(_ stamp: Int64, _ count: Int) -> Int {
        guard let origin = timeline.origin, stamp < origin else { return 0 }
        return Int(min(time.frames(origin - stamp), UInt64(count)))
    }

    /// Silence where the first frame comes later than the clip's start.
    private func lead(_ stamp: Int64) throws(CaptureError) {
        guard let origin = timeline.origin, stamp > origin else { return }
        startOffsetNanoseconds = stamp - origin
        try outlet.writeSilence(time.frames(stamp - origin))
    }

    private func fill(lost header: FrameHeader) throws(CaptureError) {
        guard header.lost.total > 0 else { return }
        try outlet.flush(step: steering.step)
        // What is missing past the clip's end is not missing in the clip.
        let device = outlet.room(for: header.lost.device)
        lost.add(device, before: header.flags)
        try outlet.writeSilence(device)
        let ring = outlet.room(for: header.lost.ring)
        lost.ring += ring
        try outlet.writeSilence(ring)
    }
}
