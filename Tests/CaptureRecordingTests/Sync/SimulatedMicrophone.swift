import CaptureGate
import ClipScenery

@testable import CaptureRecording

/// One channel of 8 kHz on its way into a clip, from a device with its own clock.
struct SimulatedMicrophone {
    static let rate = 8000.0
    /// 10 ms.
    static let period = 80
    static let epoch: Int64 = 7_000_000_000

    let writer: MemoryWriter
    let output: AudioTrackWriter
    let clip: ClipClock
    let losses = LossLog(.fill)
    let aligner: AudioAligner
    var clock: SimulatedClock
    /// Of the next frame, since the device began.
    private(set) var time = 0.0
    private(set) var frame: UInt64 = 0
    /// Frames that were handed over.
    private(set) var offered = 0
    private(set) var cut = 0

    init(_ clock: SimulatedClock, role: SyncRole = .follows, clip: ClipClock = ClipClock(duration: nil)) {
        let format = AudioFormat(sampleRate: Int(Self.rate), channels: 1, sampleFormat: .s16)
        writer = MemoryWriter([Recording.track(format)])
        let target = clip.duration.map { SampleClock(rate: Int(Self.rate)).frames($0) }
        output = AudioTrackWriter(format, to: writer, as: 0, target: target)
        aligner = AudioAligner(
            output, clip, losses, track: losses.add(Recording.track(format)),
            clock: DeviceClock(rate: Self.rate), role: role)
        self.clip = clip
        self.clock = clock
    }

    var moment: Int64 { Self.epoch + Int64((time * 1e9).rounded()) }

    /// Delivers audio for a number of periods: the function computes each sample from its number.
    mutating func deliver(
        _ periods: Int, lost: UInt64 = 0, flags: FrameFlags = [], _ sample: (UInt64) -> Int16
    ) throws(CaptureError) {
        for number in 0..<periods where !output.isFull {
            let period = (0..<UInt64(Self.period)).map { sample(frame + $0) }
            var header = FrameHeader(
                sequence: frame, timestamp: moment + Int64(clock.lateness() * 1e9), byteCount: 2 * Self.period,
                frameCount: Self.period, flags: number == 0 ? flags : [])
            if number == 0 { header.lost.device = lost }
            let before = output.written
            _ = try aligner.place(header, period.span.bytes)
            offered += Self.period
            if before == 0, output.written - output.filled < Self.period, !output.isFull {
                cut = Self.period - Int(output.written - output.filled)
            }
            advance(UInt64(Self.period))
        }
    }

    /// The device makes frames that nobody gets; the loop numbers them by the stamps, at the nominal rate.
    mutating func lose(_ frames: UInt64) { advance(frames) }

    private mutating func advance(_ frames: UInt64) {
        frame += frames
        time += clock.seconds(Double(frames), rate: Self.rate)
    }
}
