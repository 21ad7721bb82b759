import CaptureGate

/// One device's clock against CLOCK_MONOTONIC, as its time stamps show it.
struct DeviceClock {
    private var loop: DelayLockedLoop
    private var measure: DriftMeasure
    /// The first stamp, and its frame: all is counted from there.
    private var epoch: (stamp: Int64, frame: UInt64)?

    /// - Parameter rate: frames a second, nominal: samples, or pictures.
    init(rate: Double) {
        loop = DelayLockedLoop(rate: rate)
        measure = DriftMeasure(rate: rate)
    }

    /// The next period or picture came.
    mutating func update(_ header: FrameHeader) {
        let epoch = epoch ?? (header.timestamp, header.sequence)
        self.epoch = epoch
        // How long an interruption was is known by the stamps alone. What the ring dropped is known to the frame.
        if !header.flags.isDisjoint(with: [.xrun, .restarted, .suspended, .reattached]) { loop.breakLine() }
        guard !header.flags.contains(.repairedTimestamp) else { return loop.pass(to: header.sequence) }
        let stamp = Double(header.timestamp - epoch.stamp) * 1e-9
        switch loop.update(frame: header.sequence, stamp: stamp) {
        case .newLine: measure.breakLine()
        case .ofTheLine: break
        case .stray: return
        }
        measure.add(frame: Double(header.sequence &- epoch.frame), stamp: stamp)
    }

    /// When a frame was taken, jitter removed: CLOCK_MONOTONIC, nanoseconds.
    func nanoseconds(at frame: UInt64) -> Int64 {
        (epoch?.stamp ?? 0) + Int64((loop.time(at: frame) * 1e9).rounded())
    }

    /// How much faster than CLOCK_MONOTONIC it runs now; 1e-6 is one part per million.
    var rateOffset: Double { loop.drift }

    /// Standard deviation of `nanoseconds(at:)`, seconds.
    var noise: Double { loop.noise }

    /// Over all of the recording, parts per million, with how far off that may be; `nil` where it is too short to tell.
    var drift: (ppm: Double, uncertainty: Double)? { measure.result }
}
