import CaptureGate
import CaptureRecording

/// Captures from virtual devices, in virtual time: an hour of frames takes as long as computing them.
///
/// A camera shows `VirtualScene`, a microphone plays `VirtualSound`; their faults are in their fault plans.
///
/// *thread-safe*
package struct VirtualStreams: StreamSource {
    private let faults: [DeviceID: FaultPlan]
    private let bench = VirtualBench()

    package var player: any SoundPlayer { VirtualPlayer(bench: bench) }

    package func mixer(of device: Device, through queue: GateQueue) -> any SoundMixer {
        VirtualMixer(bench: bench, hasControls: !(faults[device.id]?.hasNoGain ?? false))
    }

    /// - Parameter faults: of each device that has any, by its id.
    package init(faults: [DeviceID: FaultPlan] = [:]) { self.faults = faults }

    package func record<Inspector: StreamInspector>(
        _ capture: StreamCapture, from device: Device,
        _ inspector: @escaping @Sendable (ClipTrack.Media) throws(CaptureError) -> Inspector
    ) async throws(CaptureError) -> (record: StreamRecord, inspector: Inspector) {
        let faults = faults[device.id] ?? FaultPlan()
        var source = VirtualDevice(device, capture, faults, bench, draws: Inspector.needsContent)
        var inspector = try inspector(source.media)
        let differences = capture.differences(from: source.media)
        var record = StreamRecord(device, source.media, differences: differences, begun: VirtualDevice.epoch)
        while !record.isWhole(capture), !Task.isCancelled {
            guard let frame = source.next() else {
                record.failure = CaptureError(.deviceGone, "\(device.id) stopped delivering.")
                break
            }
            // Virtual hours are computed at once: other tasks shall not wait for their end.
            if record.delivered % 64 == 63 { await Task.yield() }
            record.note(frame.header, arrival: frame.arrival, keepsAll: capture.keepsHeaders)
            inspector.inspect(frame.header, frame.bytes.span.bytes)
            // Virtual time does not advance meanwhile.
            capture.action?.note(frame.header.timestamp)
            await capture.action?.finish()
        }
        record.repairedTimestamps = source.repaired
        record.xruns = UInt64(faults.overruns)
        return (record, inspector)
    }
}

extension StreamCapture {
    /// Settings that a device did not take. A virtual camera shows its own pixel format, whichever was set.
    fileprivate func differences(from media: ClipTrack.Media) -> [FormatDifference] {
        switch media {
        case .video(let format):
            var asked = video
            asked.pixelFormat = nil
            return asked.differences(from: format)
        case .audio(let format):
            var asked = audio
            asked.sampleFormat = nil
            return asked.differences(from: format)
        }
    }
}

/// A virtual device that makes one frame after another.
///
/// *session-bound*
struct VirtualDevice {
    /// Time at which each capture begins, CLOCK_MONOTONIC in ns: a day after the start of the machine.
    static let epoch: Int64 = 86_400_000_000_000

    let media: ClipTrack.Media
    private let faults: FaultPlan
    /// Times of the fault plan that each frame needs, in ns.
    private let jitter: Double
    private let delay: Int64
    private let startDelay: Int64
    /// False if nobody reads images or samples, so that there are none.
    private let draws: Bool
    private let scene: VirtualScene?
    private var sound: VirtualSound?
    private var noise: TestNoise
    /// Number of the next frame that the device makes, and of the next header.
    private var made: UInt64 = 0
    private var sequence: UInt64 = 0
    /// Time of the last timestamp: each is later than the one before.
    private var last: Int64 = 0
    private var previous: [UInt8] = []
    private(set) var repaired: UInt64 = 0

    /// A frame and what its header says of it.
    struct Frame {
        let header: FrameHeader
        let arrival: Int64
        let bytes: [UInt8]
    }

    init(
        _ device: Device, _ capture: StreamCapture, _ faults: FaultPlan, _ bench: VirtualBench, draws: Bool
    ) {
        (self.faults, self.draws) = (faults, draws)
        jitter = Double(faults.jitter.nanoseconds)
        (delay, startDelay) = (faults.delay.nanoseconds, faults.startDelay.nanoseconds)
        noise = TestNoise(seed: faults.seed)
        if device.capability == .camera {
            let width = (capture.video.width ?? 320) - (faults.changesSettings ? 2 : 0)
            let format = VideoFormat(
                width: width, height: capture.video.height ?? 180, pixelFormat: .yuyv,
                frameRate: capture.video.frameRate ?? FrameRate(unchecked: 30, 1), bytesPerLine: width * 2)
            media = .video(format)
            (scene, sound) = (draws ? VirtualScene(format, faults) : nil, nil)
        } else {
            let format = AudioFormat(
                sampleRate: capture.audio.sampleRate ?? 48_000,
                channels: (capture.audio.channels ?? 2) + (faults.changesSettings ? 1 : 0),
                sampleFormat: .s16)
            media = .audio(format)
            (scene, sound) = (nil, draws ? VirtualSound(format, faults, bench) : nil)
        }
    }

    /// - Returns: `nil` once the device is gone, or if it never delivers any.
    mutating func next() -> Frame? {
        if let end = faults.goneAfter, made >= end { return nil }
        // One that loses each frame would be waited for without end.
        if max(faults.lost, faults.skipped) >= 1 { return nil }
        var lost: UInt64 = 0
        while happens(faults.lost) { lost += UInt64(framesOfOne) }
        while happens(faults.skipped) { made += 1 }
        made += lost / UInt64(framesOfOne)
        sequence += lost
        let timestamp = stamp()
        let bytes = content(timestamp)
        let header = FrameHeader(
            sequence: sequence, timestamp: timestamp, byteCount: draws ? bytes.count : wholeBytes,
            frameCount: framesOfOne,
            flags: faults.reportsShutter && faults.isCovered(at: timestamp - delay - Self.epoch)
                ? .covered : FrameFlags(rawValue: 0), lost: Loss(device: lost))
        sequence += UInt64(framesOfOne)
        made += 1
        return Frame(header: header, arrival: timestamp + nominal(1) + 200_000, bytes: bytes)
    }

    /// Audio frames of a period of 10 ms, or one video frame.
    private var framesOfOne: Int {
        if case .audio(let format) = media { format.sampleRate / 100 } else { 1 }
    }

    /// Bytes of a frame or period that nothing is missing of.
    private var wholeBytes: Int {
        switch media {
        case .video(let format): format.height * format.bytesPerLine
        case .audio(let format): framesOfOne * format.bytesPerFrame
        }
    }

    /// Time of a number of frames or periods, in ns.
    private func nominal(_ number: UInt64) -> Int64 {
        switch media {
        case .audio(let format): Int64(number) * Int64(framesOfOne) * 1_000_000_000 / Int64(format.sampleRate)
        case .video(let format):
            Int64(number) * Int64(format.frameRate.denominator) * 1_000_000_000 / Int64(format.frameRate.numerator)
        }
    }

    private mutating func stamp() -> Int64 {
        let ideal = Double(nominal(made)) / (1 + faults.clockError / 1e6) + jitter * noise.normal()
        if happens(faults.repaired) { repaired += 1 }
        last = max(last + 1, Self.epoch + startDelay + delay + Int64(ideal.rounded()))
        return last
    }

    /// Image or sound at a time; without a delay of the device.
    private mutating func content(_ timestamp: Int64) -> [UInt8] {
        let time = timestamp - delay
        if var sound {
            defer { self.sound = sound }
            return sound.period(framesOfOne, at: time)
        }
        guard let scene else { return [] }
        if happens(faults.frozen), !previous.isEmpty { return previous }
        var bytes = happens(faults.black) ? scene.black : scene.frame(number: made, at: time, since: time - Self.epoch)
        if happens(faults.flipped) { bytes[noise.next(below: bytes.count)] ^= 1 << UInt8(noise.next(below: 8)) }
        previous = bytes
        if happens(faults.cut) { bytes.removeLast(bytes.count / 2) }
        return bytes
    }

    private mutating func happens(_ share: Double) -> Bool {
        share > 0 && noise.unit() < share
    }
}
