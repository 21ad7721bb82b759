import CaptureGate

/// Takes single pictures with a camera.
///
/// *thread-safe*
public struct SnapshotTaker: Sendable {
    public let settings: SnapshotSettings
    public let files: SnapshotFiles

    public init(_ settings: SnapshotSettings, into files: SnapshotFiles) {
        self.settings = settings
        self.files = files
    }

    /// Opens the camera, takes the pictures, and closes it. Cancelling the task ends it; what was stored stays.
    ///
    /// A camera that is allowed at the level `.still` alone is opened once a ``SnapshotSettings/stillPace`` at most, through
    /// one gatekeeper: this waits for it.
    ///
    /// - Parameters:
    ///   - permit: of one camera, at the level `.still` or higher; at ``SnapshotSettings/leastLevel`` at least.
    ///   - taken: is told of each picture as soon as it is stored.
    ///   - opened: is told once what the driver does otherwise than asked, before the first picture; often nothing.
    /// - Returns: the pictures: fewer than `count` if it was cancelled.
    /// - Throws: what keeps the camera from being opened, ends the capture or can't be stored.
    public func take(
        with permit: consuming DevicePermit, taken: @Sendable (Snapshot) -> Void = { _ in },
        opened: @Sendable (_ differences: [String]) -> Void = { _ in }
    ) async throws(CaptureError) -> [Snapshot] {
        let device = permit.device.name
        if settings.leastLevel == .still { try await permit.awaitStill(apart: SnapshotSettings.stillPace) }
        var session = try await VideoSession(opening: permit, settings: settings.video, for: settings.leastLevel)
        if !files.format.takes(session.format) { _ = try session.convertFrames() }
        var work = Work(
            encoder: try StillEncoder(session.format, as: files.format, parameters: settings.parameters),
            meter: try BrightnessMeter(session.format),
            clock: ShotClock(patience: settings.patience.nanoseconds, interval: settings.interval.nanoseconds),
            title: settings.title, device: device, differences: session.differences,
            blindness: BlindPictures(session.device.description, patience: settings.patience.nanoseconds))
        opened(session.differences)
        let frames = session.frames()
        let result: Result<[Snapshot], CaptureError>
        do throws(CaptureError) {
            result = .success(try await take(from: frames, &work, taken))
        } catch {
            result = .failure(error)
        }
        await frames.close()
        return try result.get()
    }

    private func take(
        from frames: some AsyncSequence<CapturedFrame, CaptureError>, _ work: inout Work, _ taken: (Snapshot) -> Void
    ) async throws(CaptureError) -> [Snapshot] {
        var snapshots: [Snapshot] = []
        var missed: UInt64 = 0
        for try await frame in frames {
            missed += frame.header.lost.total
            guard let shot = try work.shot(frame) else { continue }
            let path = try files.store(shot.bytes, number: snapshots.count + 1)
            let snapshot = Snapshot(
                path: path, size: shot.bytes.count, format: work.encoder.format, isSettled: shot.isSettled,
                waitedNanoseconds: shot.waited, timestamp: frame.header.timestamp,
                missed: snapshots.isEmpty || settings.interval > .zero ? 0 : missed, differences: work.differences)
            missed = 0
            snapshots.append(snapshot)
            taken(snapshot)
            if snapshots.count >= settings.count { break }
        }
        return snapshots
    }

    private struct Shot {
        let bytes: [UInt8]
        let isSettled: Bool
        let waited: Int64
    }

    private struct Work {
        let encoder: StillEncoder
        let meter: BrightnessMeter
        var clock: ShotClock
        let title: String?
        let device: String
        let differences: [String]
        var trouble = BrokenPictures()
        var blindness: BlindPictures

        /// - Returns: `nil` for a picture that is not wanted, or broken.
        mutating func shot(_ frame: CapturedFrame) throws(CaptureError) -> Shot? {
            let time = frame.header.timestamp
            // Noise may be as steady as a picture.
            guard try blindness.shows(frame.header.flags, at: time) else { return nil }
            var isBroken = false
            let verdict = try clock.judge(time) { () throws(CaptureError) in
                let mean = try meter.mean(of: frame.bytes.span.bytes)
                isBroken = mean == nil
                return mean
            }
            guard case .take(let isSettled, let waited) = verdict else {
                try trouble.note(isBroken, at: time, of: device)
                return nil
            }
            let bytes = try encoded(frame)
            try trouble.note(bytes == nil, at: time, of: device)
            guard let bytes else { return nil }
            clock.kept(time)
            return Shot(bytes: bytes, isSettled: isSettled, waited: waited)
        }

        private func encoded(_ frame: CapturedFrame) throws(CaptureError) -> [UInt8]? {
            do throws(CaptureError) {
                let file = try encoder.encode(frame.bytes.span.bytes)
                let time = StillMetadata.wallTime(of: frame.header.timestamp)
                return StillMetadata(title: title, device: device, time: time).added(to: file, encoder.still)
            } catch  where error.kind == .unavailable {
                return nil
            }
        }
    }
}
