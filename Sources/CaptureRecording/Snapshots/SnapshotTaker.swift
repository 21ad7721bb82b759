import CaptureEncoding
import CaptureGate

/// Taker of still images with a camera.
///
/// *thread-safe*
public struct SnapshotTaker: Sendable {
    public let settings: SnapshotSettings
    public let files: SnapshotFiles

    public init(_ settings: SnapshotSettings, into files: SnapshotFiles) {
        self.settings = settings
        self.files = files
    }

    /// Opens the camera, takes the images, and closes it. Cancelling the task ends it; images that were stored stay.
    ///
    /// A camera that is allowed only at the level `.still` is opened at most once per ``SnapshotSettings/stillPace``, through one
    /// gatekeeper: this waits for it.
    ///
    /// - Parameters:
    ///   - permit: permit for one camera, at the level `.still` or higher; at least at ``SnapshotSettings/leastLevel``.
    ///   - taken: called for each image as soon as it is stored.
    ///   - opened: called once, before the first image, with the settings that the driver did not apply as requested; often none.
    /// - Returns: the images, fewer than `count` if it was cancelled.
    /// - Throws: if the camera can't be opened, its capture ends, or an image can't be stored.
    public func take(
        with permit: consuming DevicePermit, taken: @Sendable (Snapshot) -> Void = { _ in },
        opened: @Sendable (_ differences: [FormatDifference]) -> Void = { _ in }
    ) async throws(CaptureError) -> [Snapshot] {
        let device = permit.device.name
        if settings.leastLevel == .still { try await permit.awaitStill(apart: SnapshotSettings.stillPace) }
        var session = try await VideoSession(opening: permit, settings: settings.video, for: settings.leastLevel)
        if !files.format.takes(session.format) { _ = try session.convertFrames() }
        var work = Work(
            encoder: try StillEncoder(session.format, as: files.format, parameters: settings.parameters),
            meter: BrightnessMeter(session.format),
            clock: SnapshotSchedule(patience: settings.patience.nanoseconds, interval: settings.interval.nanoseconds),
            title: settings.title, device: device, differences: session.differences,
            blindness: SignalWait(session.device.description, patience: settings.patience.nanoseconds))
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
                waited: .nanoseconds(shot.waited), timestamp: frame.header.timestamp,
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
        var clock: SnapshotSchedule
        let title: String?
        let device: String
        let differences: [FormatDifference]
        var trouble = BrokenFrameLimit()
        var blindness: SignalWait

        /// Judges a frame, and encodes it if it is due.
        /// - Returns: `nil` for a frame that is not due, or broken.
        mutating func shot(_ frame: CapturedFrame) throws(CaptureError) -> Shot? {
            let time = frame.header.timestamp
            // Noise may be as steady as an image.
            guard try blindness.shows(frame.header.flags, at: time) else { return nil }
            var isBroken = false
            let verdict = try clock.judge(time) { () throws(CaptureError) in
                let mean = meter.mean(of: frame.bytes.span.bytes)
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

/// Still image that was taken and stored.
///
/// *thread-safe*
public struct Snapshot: Hashable, Sendable {
    /// Path of its file, or `-`.
    public let path: String
    /// Size of the file, bytes.
    public let size: Int
    /// Format that the camera delivered.
    public let format: VideoFormat
    /// True if the exposure had settled, of a series that of the first image; otherwise the patience was over.
    public let isSettled: Bool
    /// Time since the camera's first frame.
    public let waited: Duration
    /// Timestamp of its first line, or of whatever the driver stamps, ns on CLOCK_MONOTONIC.
    public let timestamp: Int64
    /// Frames missed since the image before, in a series of all frames: storing that image took too long. 0 in any other series.
    public let missed: UInt64
    /// Settings that the driver does otherwise than asked; the same for all images of a series.
    public let differences: [FormatDifference]
}

/// Settings of still images.
///
/// *thread-safe*
public struct SnapshotSettings: Hashable, Sendable {
    /// Settings of the camera.
    public var video = VideoSettings()
    public var parameters = StillParameters()
    /// Longest wait until the exposure has settled; zero takes the first frame. Cameras start too dark or too bright, so the
    /// mean of five frames in a row must stay within 2 %.
    public var patience = Duration.seconds(3)
    /// Number of images, 1 upwards.
    public var count = 1
    /// Time from one image to the next; zero takes each frame that the camera delivers.
    public var interval = Duration.zero

    /// Title, written into PNG and JPEG beside the camera's name and the time.
    public var title: String?

    public init() {}

    /// Least time between two images, and least wait for the first to settle, at the level `.still`. Faster images would be video.
    public static let stillPace = Duration.seconds(1)

    /// Minimum level of the permit for these images: `.still` for images that have at least ``stillPace`` to settle and
    /// between them; `.video` for a burst, and for the first frame.
    public var leastLevel: AccessLevel {
        patience >= Self.stillPace && (count <= 1 || interval >= Self.stillPace) ? .still : .video
    }
}

/// Meter of a camera's brightness, for still images.
///
/// *session-bound*
final class BrightnessMeter {
    private let pixels: StillPixels

    /// - Parameter format: of the frames, one that ``StillEncoder`` takes.
    init(_ format: VideoFormat) {
        pixels = StillPixels(format, range: MJPEGParameters().range, keepsDepth: false)
    }

    /// Mean brightness of a frame, 0…1; `nil` for one that is short or broken.
    func mean(of frame: RawSpan) -> Double? { pixels.read(frame) ? mean : nil }

    /// Mean of every eighth pixel of every eighth row: noise and edges don't matter to it.
    private var mean: Double {
        var (sum, count) = (0, 0)
        let channels = pixels.kind.channels
        for row in stride(from: 0, to: pixels.height, by: 8) {
            let start = pixels.start + row * pixels.rowBytes
            for pixel in stride(from: 0, to: pixels.width, by: 8) {
                sum += luma(start + pixel * channels, channels)
                count += 1
            }
        }
        return Double(sum) / Double(count * 256 * 255)
    }

    /// Luma by the weights of ITU-R BT.601, in 1/256.
    private func luma(_ pixel: UnsafePointer<UInt8>, _ channels: Int) -> Int {
        channels == 1 ? 256 * Int(pixel[0]) : 77 * Int(pixel[0]) + 150 * Int(pixel[1]) + 29 * Int(pixel[2])
    }
}
