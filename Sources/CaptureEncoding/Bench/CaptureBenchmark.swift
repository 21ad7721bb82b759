import CaptureGate
import Dispatch
import Synchronization

/// Measures how a device is captured: what is lost, how steadily it comes, and what that takes.
///
/// *thread-safe*
public struct CaptureBenchmark: Sendable {
    /// From the first frame on.
    public var duration: Duration
    public var video = VideoSettings()
    public var audio = AudioSettings()

    public init(for duration: Duration) { self.duration = duration }

    /// Opens the device, looks at its frames until the time is over, and closes it. Cancelling the task ends it sooner.
    /// - Parameter permit: of a camera at the level `video`, or of a microphone at the level `record`.
    /// - Throws: what keeps the device from being opened, or ends the capture.
    public func measure(with permit: consuming DevicePermit) async throws(CaptureError) -> CaptureMeasurement {
        if permit.capability == .camera {
            try await watch(try await VideoSession(opening: permit, settings: video)) { .video($0) }
        } else {
            try await watch(try await AudioSession(opening: permit, settings: audio)) { .audio($0) }
        }
    }

    private func watch<Reader: RingReader & ~Copyable, Format: Sendable>(
        _ session: consuming CaptureSession<Reader, Format>, _ media: (Format) -> ClipTrack.Media
    ) async throws(CaptureError) -> CaptureMeasurement {
        let (device, differences) = (session.device, session.differences)
        let media = media(session.format)
        let box = Handoff(session)
        let watch = await watched(box)
        guard let session = box.take() else { throw CaptureError(.unavailable, "The capture did not begin.") }
        let end = session.end
        let statistics = await session.close()
        if let error = end?.error { throw error }
        return CaptureMeasurement(
            device: device, media: media, differences: differences, statistics: statistics, units: watch.units,
            elapsedNanoseconds: watch.elapsed, processorNanoseconds: watch.processor,
            intervals: .init(watch.intervals), delays: .init(watch.delays))
    }

    /// On a thread of its own: it waits for the device.
    private func watched<Reader: RingReader & ~Copyable, Format: Sendable>(
        _ box: Handoff<CaptureSession<Reader, Format>>
    )
        async -> FrameWatch
    {
        let isStopped = StopMark()
        let limit = duration.nanoseconds
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                DispatchQueue(label: "capturegate.benchmark").async {
                    var watch = FrameWatch(limit: limit)
                    if var session = box.take() {
                        watch.run(&session, isStopped)
                        box.put(session)
                    }
                    continuation.resume(returning: watch)
                }
            }
        } onCancel: {
            isStopped.value.store(true, ordering: .relaxed)
        }
    }
}

final class StopMark: Sendable {
    let value = Atomic(false)
}
