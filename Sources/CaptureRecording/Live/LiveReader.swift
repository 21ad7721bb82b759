import CaptureEncoding
import CaptureGate
import Dispatch
import LinuxSystem

/// One clip of a running capture.
///
/// *thread-safe*
final class LiveJob: Sendable {
    let control: RecordingControl
    private let targets: [RecordingTarget]
    /// Records it, on the reader's thread.
    let record: @Sendable () -> Result<Clip, CaptureError>
    /// Tells the caller, who may ask for the next clip at once.
    let end: @Sendable (Result<Clip, CaptureError>) -> Void

    init(
        _ control: RecordingControl, _ targets: [RecordingTarget],
        record: @escaping @Sendable () -> Result<Clip, CaptureError>,
        end: @escaping @Sendable (Result<Clip, CaptureError>) -> Void
    ) {
        self.control = control
        self.targets = targets
        self.record = record
        self.end = end
    }

    /// Ends it before it has begun.
    func refuse(_ error: CaptureError) {
        for target in targets { target.discard() }
        end(.failure(error))
    }
}

/// Thread that reads the devices of a running capture. Between clips it discards their frames, so that no old frame gets into the
/// next clip.
///
/// *thread-safe*
final class LiveReader: Sendable {
    private let devices: [OpenDevice]
    private let state = Locked(State())
    private let wakeup: EventDescriptor
    private let queue = DispatchQueue(label: "capturegate.recorder")

    private struct State {
        /// Clip that is to be recorded next, and the one that is.
        var next: LiveJob?
        var current: LiveJob?
        var isClosed = false
        /// Unrequested end of the capture.
        var failure: CaptureError?
        var hasEnded = false
    }

    /// Interval at which it is woken if nobody watches.
    private static let interval = Duration.milliseconds(50)

    /// - Throws: `.unavailable` if the process has no descriptor left.
    init(_ devices: [OpenDevice]) throws(CaptureError) {
        self.devices = devices
        wakeup = try EventDescriptor.forWaiting()
    }

    var isRecording: Bool { state.withLock { $0.current != nil || $0.next != nil } }
    var failure: CaptureError? { state.withLock { $0.failure } }

    func start() { queue.async { [self] in run() } }

    /// Takes a clip in, or refuses it.
    func add(_ job: LiveJob) {
        let refusal = state.withLock { state -> CaptureError? in
            if let failure = state.failure { return failure }
            if state.isClosed || state.hasEnded { return .captureIsClosed }
            if state.current != nil || state.next != nil { return .alreadyRecording }
            state.next = job
            return nil
        }
        if let refusal { return job.refuse(refusal) }
        wakeup.signal()
    }

    /// Has somebody see the frames of a device from now on.
    func add(_ watcher: FrameWatcher, to device: OpenDevice) {
        device.add(watcher)
        wakeup.signal()
        // It may have ended ahead of that, and told those alone that it knew of.
        let (hasEnded, failure) = state.withLock { ($0.hasEnded, $0.failure) }
        if hasEnded { watcher.end(failure) }
    }

    /// Ends the clip that is recorded, and then the reading.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.current?.control.stop()
            state.next?.control.stop()
        }
        wakeup.signal()
    }

    /// Waits until the reading has ended.
    func wait() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    // MARK: On its thread

    private func run() {
        for device in devices { device.start(wakingEvery: Self.interval) }
        while true {
            let (job, isClosed) = state.withLock { state in
                state.current = state.next.take()
                return (state.current, state.isClosed)
            }
            if let job {
                let result = job.record()
                state.withLock { $0.current = nil }
                job.end(result)
                // A device may have ended in the clip, which has taken its signal.
                wakeup.signal()
            } else if isClosed || !idle() {
                break
            }
        }
        end()
    }

    /// Waits for frames, and gives them up.
    /// - Returns: false if a device has ended.
    private func idle() -> Bool {
        var items = devices.map { PollItem($0.readySignal) } + [PollItem(wakeup.descriptor)]
        _ = try? Poll.wait(for: &items, milliseconds: -1)
        wakeup.take()
        for device in devices { device.skip() }
        let ends = devices.compactMap(\.end)
        guard !ends.isEmpty else { return true }
        let failure = ends.lazy.compactMap(\.error).first
        state.withLock { $0.failure = failure }
        return false
    }

    private func end() {
        let (job, failure) = state.withLock { state in
            state.hasEnded = true
            return (state.next.take(), state.failure)
        }
        // One has ended, by a revocation perhaps: the others capture for nobody.
        for device in devices { device.stop() }
        job?.refuse(failure ?? .captureIsClosed)
        for device in devices { device.endWatching(failure) }
    }
}

extension CaptureError {
    fileprivate static let captureIsClosed = CaptureError(.usage, "The capture is closed.")
    fileprivate static let alreadyRecording = CaptureError(
        .usage, "A clip is being recorded already.",
        remedies: [Remedy("Stop it first, or name all outputs in one recording.")])
}
