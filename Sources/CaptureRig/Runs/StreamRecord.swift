import CaptureGate
import CaptureRecording
import LinuxSystem

/// Record of one capture, by which the checks of a stream judge: headers and arrivals of all frames, and no pictures.
///
/// *thread-safe*
package struct StreamRecord: Sendable {
    package let device: Device
    package let media: ClipTrack.Media
    /// Settings that the device did not take.
    package let differences: [FormatDifference]
    /// One of each video frame, or of each period of sound.
    package internal(set) var headers: [FrameHeader] = []
    /// Time at which the reader had it, CLOCK_MONOTONIC in ns.
    package internal(set) var arrivals: [Int64] = []
    /// Counters after the end; `nil` where the capture goes on.
    package internal(set) var statistics: CaptureStatistics?
    /// Error that ended the capture.
    package internal(set) var failure: CaptureError?

    /// Number of headers that are kept: nine hours at 30 frames a second.
    static let most = 1_000_000

    /// Video frames for the measures of timing.
    package var frames: [TimedFrame] {
        headers.map { TimedFrame(sequence: $0.sequence, timestamp: $0.timestamp, lostBefore: $0.lost.total) }
    }

    /// Periods of sound for the measures of timing.
    package var periods: [TimedPeriod] {
        headers.map {
            TimedPeriod(
                sequence: $0.sequence, timestamp: $0.timestamp, frames: $0.frameCount, lostBefore: $0.lost.total)
        }
    }

    /// Appends a frame, as long as there is room for it.
    mutating func note(_ header: FrameHeader, arrival: Int64) {
        guard headers.count < Self.most else { return }
        headers.append(header)
        arrivals.append(arrival)
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
    /// Time without any frame after which the capture is over.
    package var patience = Duration.seconds(10)

    package init(for duration: Duration) { self.duration = duration }

    /// Captures, and closes the device. Cancelling the task ends it sooner.
    ///
    /// - Parameter permit: a permit of a camera at the level `video`, or of a microphone at the level `record`.
    /// - Throws: the error that prevents opening the device. One that ends the capture is in the record.
    package func record(with permit: consuming DevicePermit) async throws(CaptureError) -> StreamRecord {
        if permit.capability == .camera {
            return try await record(try await VideoSession(opening: permit, settings: video)) { .video($0) }
        }
        return try await record(try await AudioSession(opening: permit, settings: audio)) { .audio($0) }
    }

    private func record<Format: Sendable>(
        _ session: consuming CaptureSession<Format>, _ media: (Format) -> ClipTrack.Media
    ) async throws(CaptureError) -> StreamRecord {
        let empty = StreamRecord(
            device: session.device, media: media(session.format), differences: session.differences)
        let box = Handoff(session)
        var record = await SessionReading.read(box, on: "capturegate.rig", into: empty) { session, record, isStopped in
            read(&session, into: &record, isStopped)
        }
        guard let session = box.take() else { throw CaptureError(.unavailable, "The capture did not begin.") }
        record.failure = session.end?.error
        record.statistics = await session.close()
        return record
    }

    private func read<Format: Sendable>(
        _ session: inout CaptureSession<Format>, into record: inout StreamRecord, _ isStopped: StopMark
    ) {
        record.headers.reserveCapacity(10_000)
        record.arrivals.reserveCapacity(10_000)
        let begun = SystemClock.monotonic.now
        session.start()
        while session.end == nil, !isStopped.isSet {
            _ = session.wait(milliseconds: 100)
            while let header = session.withNext({ header, _ in header }) {
                record.note(header, arrival: SystemClock.monotonic.now)
            }
            if isOver(record, since: begun) { return }
        }
    }

    private func isOver(_ record: StreamRecord, since begun: Int64) -> Bool {
        guard let first = record.headers.first, let last = record.headers.last else {
            return SystemClock.monotonic.now - begun > patience.nanoseconds
        }
        // By the device's clock: a reader that came late must not make the capture shorter.
        if last.timestamp - first.timestamp >= duration.nanoseconds { return true }
        return SystemClock.monotonic.now - (record.arrivals.last ?? begun) > patience.nanoseconds
    }
}
