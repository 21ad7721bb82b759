import CaptureGate
import CaptureRecording
import LinuxSystem

/// Record of one capture, by which the checks of a stream judge: headers and arrivals of all frames, without their images.
///
/// *thread-safe*
package struct StreamRecord: Sendable {
    package let device: Device
    package let media: ClipTrack.Media
    /// Settings that the device did not take.
    package let differences: [FormatDifference]
    /// Time right before the device was opened, CLOCK_MONOTONIC in ns.
    package let begun: Int64
    /// One for each video frame, or for each period of audio.
    package internal(set) var headers: [FrameHeader] = []
    /// Number of video frames, or of periods of audio, whether they are kept or not.
    package private(set) var delivered = 0
    /// Time at which the reader had it, CLOCK_MONOTONIC in ns.
    package internal(set) var arrivals: [Int64] = []
    /// Number of timestamps that were missing, did not rise or lay in the future; `nil` if the capture did not end.
    package internal(set) var repairedTimestamps: UInt64?
    /// Number of overruns; `nil` if the capture did not end.
    package internal(set) var xruns: UInt64?
    /// Time that stopping and closing the device took, in ns.
    package internal(set) var closing: Int64 = 0
    /// Error that ended the capture.
    package internal(set) var failure: CaptureError?

    /// Number of headers that are kept: nine hours at 30 frames a second.
    static let most = 1_000_000

    package init(_ device: Device, _ media: ClipTrack.Media, differences: [FormatDifference] = [], begun: Int64) {
        self.device = device
        self.media = media
        self.differences = differences
        self.begun = begun
    }

    /// Video frames for the measures of timing.
    package var frames: [TimedFrame] {
        headers.map { TimedFrame(sequence: $0.sequence, timestamp: $0.timestamp, lostBefore: $0.lost.total) }
    }

    /// Periods of audio for the measures of timing.
    package var periods: [TimedPeriod] {
        headers.map {
            TimedPeriod(
                sequence: $0.sequence, timestamp: $0.timestamp, frames: $0.frameCount, lostBefore: $0.lost.total)
        }
    }

    /// Appends a frame. If there is no space for more, it replaces the last one.
    ///
    /// - Parameter keepsAll: false to keep only the first and the last.
    package mutating func note(_ header: FrameHeader, arrival: Int64, keepsAll: Bool = true) {
        delivered += 1
        if headers.count < (keepsAll ? Self.most : 2) {
            headers.append(header)
            arrivals.append(arrival)
        } else {
            headers[headers.count - 1] = header
            arrivals[arrivals.count - 1] = arrival
        }
    }

    /// True once a capture has what it was to have.
    func isWhole(_ capture: StreamCapture) -> Bool {
        if let frames = capture.frames, delivered >= frames { return true }
        guard let first = headers.first, let last = headers.last else { return false }
        if let action = capture.action {
            return action.ended.map { last.timestamp - $0 >= capture.duration.nanoseconds } ?? false
        }
        // By the device's own clock or count: a reader that came late must not make the capture shorter.
        switch media {
        case .video: return last.timestamp - first.timestamp >= capture.duration.nanoseconds
        case .audio(let format):
            let frames = last.sequence + UInt64(last.frameCount) - first.sequence
            return format.nanoseconds(ofFrames: Int64(frames)) >= capture.duration.nanoseconds
        }
    }

    /// - Throws: the error that ended the capture, or `.notAsAsked` if the device used other settings: the numbers would be about
    ///   a mode that nobody requested.
    func check() throws(CaptureError) {
        if let failure { throw failure }
        try CaptureError.checkInterruption()
        if !differences.isEmpty {
            throw CaptureError(.notAsAsked, differences.map(\.description).joined(separator: "; ") + ".")
        }
    }
}

/// A capture that a check makes.
///
/// *thread-safe*
package struct StreamCapture: Sendable {
    package var video = VideoSettings()
    package var audio = AudioSettings()
    /// Time from the first frame; the device's start is not part of it.
    package var duration: Duration
    /// Number of video frames or of periods after which the capture is over, if that is sooner.
    package var frames: Int?
    /// False for a record of the first and the last frame alone: captures of hours are looked at while they run.
    package var keepsHeaders = true
    /// Time without any frame after which the capture is over.
    package var patience = Duration.seconds(10)
    /// Done while the capture runs, whose time then counts from its end.
    package var action: StreamAction?

    package init(for duration: Duration) { self.duration = duration }
}

/// Inspector of the frames of a capture.
///
/// *session-bound*
package protocol StreamInspector: Sendable {
    /// False for one that reads only headers: virtual devices then draw nothing.
    static var needsContent: Bool { get }

    /// Inspects one video frame, or one period of interleaved audio. Runs on the thread that reads, with the device's memory lent:
    /// if it takes longer than the frame's time, the reader is late.
    mutating func inspect(_ header: FrameHeader, _ bytes: RawSpan)
}

extension StreamInspector {
    package static var needsContent: Bool { true }
}

/// Inspector that reads nothing, for checks that judge by headers only. *session-bound*
package struct NoInspector: StreamInspector {
    package static var needsContent: Bool { false }

    package init() {}

    package mutating func inspect(_ header: FrameHeader, _ bytes: RawSpan) {}
}

/// Source of captures for checks: devices behind the gate, or virtual ones with known faults.
///
/// *thread-safe*
package protocol StreamSource: Sendable {
    /// Captures, and closes the device. Cancelling the task ends it sooner.
    ///
    /// - Parameters:
    ///   - capture: settings and length.
    ///   - device: a camera or a microphone.
    ///   - inspector: made when the format is known; throws if it does not support the format.
    /// - Throws: the error that prevents opening the device. One that ends the capture is in the record.
    func record<Inspector: StreamInspector>(
        _ capture: StreamCapture, from device: Device,
        _ inspector: @escaping @Sendable (ClipTrack.Media) throws(CaptureError) -> Inspector
    ) async throws(CaptureError) -> (record: StreamRecord, inspector: Inspector)

    /// Player of sounds that these devices can hear.
    var player: any SoundPlayer { get }

    /// Mixer of a microphone's card.
    func mixer(of device: Device, through queue: GateQueue) -> any SoundMixer
}

extension StreamSource {
    package var player: any SoundPlayer { DevicePlayer() }

    package func mixer(of device: Device, through queue: GateQueue) -> any SoundMixer {
        GatedMixer(queue: queue, device: device)
    }

    /// Captures without inspecting the frames.
    package func record(
        _ capture: StreamCapture, from device: Device
    ) async throws(CaptureError) -> StreamRecord {
        try await record(capture, from: device) { (_) throws(CaptureError) in NoInspector() }.record
    }
}

/// Action of a check during a capture, such as closing a shutter.
///
/// It begins once, at a frame, and runs beside the reading. A virtual device's time does not advance meanwhile.
///
/// *thread-safe*
package final class StreamAction: Sendable {
    private struct State: Sendable {
        var first: Int64?
        var last: Int64 = 0
        var task: Task<Void, Never>?
        var ended: Int64?
        var failure: CaptureError?
    }

    private let delay: Int64
    private let body: @Sendable () async -> CaptureError?
    private let state = Locked(State())

    /// - Parameters:
    ///   - delay: time from the first frame, by the device's clock.
    ///   - body: returns the reason why it could not be done.
    package init(after delay: Duration, _ body: @escaping @Sendable () async -> CaptureError?) {
        self.delay = delay.nanoseconds
        self.body = body
    }

    /// Timestamp of the last frame before the end, CLOCK_MONOTONIC in ns; `nil` before it.
    package var ended: Int64? { state.withLock { $0.ended } }

    /// Reason why it could not be done.
    package var failure: CaptureError? { state.withLock { $0.failure } }

    /// Takes note of a frame that was read, and begins when it is time.
    func note(_ timestamp: Int64) {
        state.withLock { state in
            let first = state.first ?? timestamp
            (state.first, state.last) = (first, timestamp)
            guard state.task == nil, timestamp - first >= delay else { return }
            state.task = Task { await self.perform() }
        }
    }

    /// Waits for the end, if it has begun.
    func finish() async { await state.withLock { $0.task }?.value }

    private func perform() async {
        let failure = await body()
        state.withLock { state in (state.ended, state.failure) = (state.last, failure) }
    }
}
