import CaptureEncoding
import CaptureGate

/// Owner of a session from the device's opening to its closing. It lends the session, under a lock, and gives it away only
/// to be closed.
///
/// The threads that read it come one after the other, so the lock is never waited for; it is what makes that checkable.
///
/// *thread-safe*
final class SessionOwner<Format: Sendable>: Sendable {
    /// The session; `nil` once it is closed.
    let session: Locked<CaptureSession<Format>?>
    private let watching = Locked(Watching())

    /// Others that see each frame that is read, and how often the reader is woken.
    private struct Watching {
        var watchers: [FrameWatcher] = []
        /// Interval of a reader that nobody watches.
        var interval = Duration.zero
        /// False until the reader's thread has set it: those who watch may come and go inside its call.
        var isSet = true

        /// Interval that the session does not have yet.
        mutating func takeInterval() -> Duration? {
            defer { isSet = true }
            return isSet ? nil : watchers.isEmpty ? interval : .zero
        }
    }

    init(_ session: consuming CaptureSession<Format>) { self.session = Locked(session) }

    /// Gives the session away, to be closed; `nil` the second time.
    func take() -> CaptureSession<Format>? { session.withLock { $0.take() } }

    /// Starts the capture, or continues with it.
    /// - Parameter interval: interval at which a reader without hurry is woken; if somebody watches, each frame wakes it.
    func start(wakingEvery interval: Duration) {
        let interval = watching.withLock { watching in
            (watching.interval, watching.isSet) = (interval, false)
            return watching.takeInterval()
        }
        session.withLock { session in
            if let interval { session?.wake(every: interval) }
            session?.start()
        }
    }

    /// Lends the next period or video frame, to those who watch first.
    /// - Returns: the result of `body`; `nil` if nothing is there now.
    func withNext<Value: Sendable>(
        _ body: (FrameHeader, RawSpan) throws(CaptureError) -> Value
    ) throws(CaptureError) -> Value? {
        let (watchers, interval) = watching.withLock { ($0.watchers, $0.takeInterval()) }
        return try session.withLock { (session) throws(CaptureError) in
            if let interval { session?.wake(every: interval) }
            return try session?.withNext { (header, bytes) throws(CaptureError) in
                for watcher in watchers { watcher.see(header, bytes) }
                return try body(header, bytes)
            } ?? nil
        }
    }

    /// Discards the available frames, except for watchers.
    func skip() {
        // Nothing in it throws.
        while (try? withNext { (_, _) throws(CaptureError) in true }) ?? false {}
    }

    /// End of the capture, once everything was taken; `nil` before.
    var end: SessionEnd? {
        session.withLock { session in
            let end = session?.end ?? nil
            return session?.unread ?? 0 == 0 ? end : nil
        }
    }

    func add(_ watcher: FrameWatcher) {
        watching.withLock { watching in
            watching.watchers.append(watcher)
            watching.isSet = false
        }
    }

    func remove(_ watcher: FrameWatcher) {
        watching.withLock { watching in
            watching.watchers.removeAll { $0 === watcher }
            watching.isSet = false
        }
    }

    /// Tells those who watch that no more frames follow.
    /// - Parameter error: that ended the capture; `nil` if the program did.
    func endWatching(_ error: CaptureError?) {
        for watcher in watching.withLock({ $0.watchers }) { watcher.end(error) }
        watching.withLock { $0.watchers = [] }
    }
}

/// Somebody who sees each frame of a device beside its reader.
///
/// *thread-safe*
final class FrameWatcher: Sendable {
    let see: @Sendable (FrameHeader, RawSpan) -> Void
    let end: @Sendable (CaptureError?) -> Void

    init(
        see: @escaping @Sendable (FrameHeader, RawSpan) -> Void, end: @escaping @Sendable (CaptureError?) -> Void
    ) {
        self.see = see
        self.end = end
    }
}

/// Device of a recording, open from the recorder's beginning to its end.
enum OpenDevice: Sendable {
    case microphone(SessionOwner<AudioFormat>)
    case camera(SessionOwner<VideoFormat>)

    /// Threads beside those of the devices: of the recorder, of finishing, of the preview and of the monitor.
    private static let threads = 4

    /// Opens every device of a permit.
    /// - Throws: as `AudioSession` and `VideoSession`; devices that were opened before are closed again. `.unavailable`
    ///   where the system has not as many threads for it as it takes.
    static func all(
        of permit: consuming Permit, _ settings: RecorderSettings
    ) async throws(CaptureError) -> [OpenDevice] {
        try await permit.requireFrames()
        try Provision.checkThreads(permit.devices.count * 3 + threads)
        var devices: [OpenDevice] = []
        for device in permit.devices {
            guard let own = permit.take(device.device.id) else { continue }
            do {
                devices.append(try await OpenDevice(own, settings: settings))
            } catch {
                for device in devices { await device.close() }
                throw error
            }
        }
        return devices
    }

    /// Opens the device of a permit, if there are threads for all of them.
    /// - Throws: as `AudioSession` and `VideoSession`.
    private init(_ permit: consuming DevicePermit, settings: RecorderSettings) async throws(CaptureError) {
        if permit.capability == .microphone {
            let own = settings.recordedAudio(of: permit.device.id)
            let session = try await AudioSession(opening: permit, settings: own, for: .record, hasThreads: true)
            self = .microphone(SessionOwner(session))
        } else {
            let own = settings.videoOf[permit.device.id] ?? settings.video
            let session = try await VideoSession(
                opening: permit, settings: own, for: .video, hasThreads: true)
            self = .camera(SessionOwner(session))
        }
    }

    var isMicrophone: Bool {
        if case .microphone = self { true } else { false }
    }

    /// Converts a camera's frames if a target can't store them. If that is impossible, the writer reports it.
    /// - Parameters:
    ///   - target: target of the clip.
    ///   - codec: codec of the clip.
    ///   - mayConvert: false if others use the unconverted frames.
    /// - Throws: `.usage` for frames that can't or must not be converted.
    func adapt(to target: RecordingTarget, _ codec: VideoCodec, mayConvert: Bool) throws(CaptureError) {
        guard case .camera(let owner) = self else { return }
        try owner.session.withLock { (session) throws(CaptureError) in
            guard let delivered = session?.format, !target.takes(delivered, as: codec) else { return }
            guard !delivered.pixelFormat.isPredicted else { throw delivered.pixelFormat.cannotBePassed }
            guard mayConvert else { throw delivered.cannotBeStored(in: target.format) }
            _ = try session?.convertFrames()
        }
    }

    /// The device; `nil` once it is closed.
    var device: Device? {
        switch self {
        case .microphone(let owner): owner.session.withLock { $0?.device }
        case .camera(let owner): owner.session.withLock { $0?.device }
        }
    }

    /// Track as the device delivers it; `nil` once it is closed.
    var track: ClipTrack? {
        switch self {
        case .microphone(let owner):
            owner.session.withLock { $0?.track { .audio($0) } }
        case .camera(let owner):
            owner.session.withLock { $0?.track { .video($0) } }
        }
    }

    /// Settings that the device does otherwise than asked.
    var differences: [FormatDifference] {
        switch self {
        case .microphone(let owner): owner.session.withLock { $0?.differences ?? [] }
        case .camera(let owner): owner.session.withLock { $0?.differences ?? [] }
        }
    }

    /// End of its capture, once everything was taken; `nil` before.
    var end: SessionEnd? {
        switch self {
        case .microphone(let owner): owner.end
        case .camera(let owner): owner.end
        }
    }

    /// Descriptor for poll(2), readable while frames wait; -1 for a closed device.
    var readySignal: Int32 {
        switch self {
        case .microphone(let owner): owner.session.withLock { $0?.readySignal ?? -1 }
        case .camera(let owner): owner.session.withLock { $0?.readySignal ?? -1 }
        }
    }

    func start(wakingEvery interval: Duration) {
        switch self {
        case .microphone(let owner): owner.start(wakingEvery: interval)
        case .camera(let owner): owner.start(wakingEvery: interval)
        }
    }

    /// Discards the available frames, except for watchers.
    func skip() {
        switch self {
        case .microphone(let owner): owner.skip()
        case .camera(let owner): owner.skip()
        }
    }

    func add(_ watcher: FrameWatcher) {
        switch self {
        case .microphone(let owner): owner.add(watcher)
        case .camera(let owner): owner.add(watcher)
        }
    }

    func remove(_ watcher: FrameWatcher) {
        switch self {
        case .microphone(let owner): owner.remove(watcher)
        case .camera(let owner): owner.remove(watcher)
        }
    }

    func endWatching(_ error: CaptureError?) {
        switch self {
        case .microphone(let owner): owner.endWatching(error)
        case .camera(let owner): owner.endWatching(error)
        }
    }

    /// Ends the capture; the device is still to be closed.
    func stop() {
        switch self {
        case .microphone(let owner): owner.session.withLock { $0?.stop() }
        case .camera(let owner): owner.session.withLock { $0?.stop() }
        }
    }

    /// Ends the capture and closes the device.
    func close() async {
        switch self {
        case .microphone(let owner): await owner.take()?.close()
        case .camera(let owner): await owner.take()?.close()
        }
    }
}

extension CaptureSession {
    fileprivate func track(_ media: (Format) -> ClipTrack.Media) -> ClipTrack {
        ClipTrack(media(format), name: device.name, device: device.id.rawValue)
    }
}

extension VideoFormat {
    fileprivate func cannotBeStored(in format: ClipFormat) -> CaptureError {
        CaptureError(
            .usage,
            "A \(format.rawValue) clip can't contain the camera's \(pixelFormat) stream, which other readers use.",
            remedies: [Remedy("Open the camera with another pixel format, such as YUYV, or choose another ending.")])
    }
}
