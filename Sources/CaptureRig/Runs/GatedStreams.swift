import CaptureGate
import CaptureRecording
import LinuxSystem

/// Captures from devices, each with the gate's permission.
///
/// *thread-safe*
package struct GatedStreams: StreamSource {
    private let queue: GateQueue

    package init(_ queue: GateQueue) { self.queue = queue }

    package func record<Inspector: StreamInspector>(
        _ capture: StreamCapture, from device: Device,
        _ inspector: @escaping @Sendable (ClipTrack.Media) throws(CaptureError) -> Inspector
    ) async throws(CaptureError) -> (record: StreamRecord, inspector: Inspector) {
        // Here, since an operation runs in a separate task.
        let member = CaptureGroup.Member.current
        let reading = try await queue.run(
            DeviceOperation(device, purpose: "Test the hardware, without keeping anything") {
                (permit: consuming DevicePermit) async throws(CaptureError) in
                try await StreamReading.read(permit, capture, member, inspector)
            })
        return (reading.record, reading.inspector)
    }
}

/// Record of a running capture, and the inspector of its frames.
///
/// *session-bound*
private struct StreamReading<Inspector: StreamInspector>: Sendable {
    var record: StreamRecord
    var inspector: Inspector
    let capture: StreamCapture

    /// - Parameter permit: of a camera at the level `video`, or of a microphone at the level `record`.
    static func read(
        _ permit: consuming DevicePermit, _ capture: StreamCapture, _ member: CaptureGroup.Member?,
        _ inspector: @Sendable (ClipTrack.Media) throws(CaptureError) -> Inspector
    ) async throws(CaptureError) -> StreamReading {
        let begun = SystemClock.monotonic.now
        if permit.capability == .camera {
            let session = try await VideoSession(opening: permit, settings: capture.video)
            let media = ClipTrack.Media.video(session.format)
            return try await read(session, capture, media, member, inspector, begun)
        }
        let session = try await AudioSession(opening: permit, settings: capture.audio)
        let media = ClipTrack.Media.audio(session.format)
        return try await read(session, capture, media, member, inspector, begun)
    }

    private static func read<Format: Sendable>(
        _ session: consuming CaptureSession<Format>, _ capture: StreamCapture, _ media: ClipTrack.Media,
        _ member: CaptureGroup.Member?,
        _ inspector: @Sendable (ClipTrack.Media) throws(CaptureError) -> Inspector, _ begun: Int64
    ) async throws(CaptureError) -> StreamReading {
        let record = StreamRecord(session.device, media, differences: session.differences, begun: begun)
        let empty = StreamReading(record: record, inspector: try inspector(media), capture: capture)
        let box = Handoff(session)
        var reading = await SessionReading.read(box, on: "capturegate.rig", into: empty) {
            session, reading, isStopped in
            reading.read(&session, isStopped)
        }
        guard let session = box.take() else { throw CaptureError(.unavailable, "The capture did not start.") }
        reading.record.failure = session.end.map(\.error) ?? reading.silence
        await member?.waitForOthers()
        let stopped = SystemClock.monotonic.now
        let statistics = await session.close()
        reading.record.closing = SystemClock.monotonic.now - stopped
        reading.record.repairedTimestamps = statistics.repairedTimestamps
        reading.record.xruns = statistics.xruns
        return reading
    }

    private mutating func read<Format: Sendable>(_ session: inout CaptureSession<Format>, _ isStopped: StopMark) {
        record.headers.reserveCapacity(10_000)
        record.arrivals.reserveCapacity(10_000)
        let begun = SystemClock.monotonic.now
        session.start()
        while session.end == nil, !isStopped.isSet, !isOver(since: begun) {
            _ = session.wait(milliseconds: 100)
            while !record.isWhole(capture), take(from: &session) {}
        }
    }

    /// - Returns: false if nothing is there now.
    private mutating func take<Format: Sendable>(from session: inout CaptureSession<Format>) -> Bool {
        let taken: Void? = session.withNext { header, bytes in
            record.note(header, arrival: SystemClock.monotonic.now, keepsAll: capture.keepsHeaders)
            inspector.inspect(header, bytes)
            capture.action?.note(header.timestamp)
        }
        return taken != nil
    }

    /// Error of a capture that nobody ended, and that did not get what it was to have: its numbers would be about a part.
    private var silence: CaptureError? {
        if record.isWhole(capture) || Task.isCancelled { return nil }
        return CaptureError(.stalled, "\(record.device.id) delivered nothing for \(capture.patience).")
    }

    private func isOver(since begun: Int64) -> Bool {
        record.isWhole(capture)
            || SystemClock.monotonic.now - (record.arrivals.last ?? begun) > capture.patience.nanoseconds
    }
}

/// Checks that a plan runs at once: none closes its first capture before all have finished capturing. Closing a device takes a
/// driver's locks, unmaps buffers and redistributes a bus's bandwidth, which would cost the others frames.
///
/// *thread-safe*
final class CaptureGroup: Sendable {
    private struct State {
        /// Checks whose first capture has not ended.
        var capturing: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>

    init(of count: Int) { state = Locked(State(capturing: count)) }

    private func leave() {
        let ready = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.capturing -= 1
            guard state.capturing == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in ready { continuation.resume() }
    }

    private func wait() async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.capturing > 0 { state.waiting.append(continuation) }
                return state.capturing <= 0
            }
            if isReady { continuation.resume() }
        }
    }

    /// One of the checks.
    ///
    /// *thread-safe*
    final class Member: Sendable {
        /// The one whose check this task makes.
        @TaskLocal static var current: Member?

        private let group: CaptureGroup
        private let hasLeft = Locked(false)

        init(of group: CaptureGroup) { self.group = group }

        /// Ends its first capture, or the check without one; later calls do nothing.
        func leave() { _ = leaveOnce() }

        /// Ends its first capture, and waits until the others' have ended; later captures wait for nobody.
        func waitForOthers() async {
            if leaveOnce() { await group.wait() }
        }

        private func leaveOnce() -> Bool {
            let isFirst = hasLeft.withLock { hasLeft in
                defer { hasLeft = true }
                return !hasLeft
            }
            if isFirst { group.leave() }
            return isFirst
        }
    }
}

/// A capture from one device by a closure: at a recording's level, since it is a recording whose quality or cost is measured.
///
/// *thread-safe*
package struct DeviceOperation<Output: Sendable>: CaptureOperation {
    package let authorization: AuthorizedFor<Capability.All>
    private let body: @Sendable (consuming DevicePermit) async throws(CaptureError) -> Output

    /// - Parameters:
    ///   - device: a camera or a microphone.
    ///   - purpose: shown to the person in a question.
    ///   - body: gets the permit of the device.
    package init(
        _ device: Device, purpose: String,
        _ body: @escaping @Sendable (consuming DevicePermit) async throws(CaptureError) -> Output
    ) {
        let request = DeviceRequest(
            capability: device.capability, level: device.capability == .camera ? .video : .record,
            device: .id(device.id), purpose: purpose)
        authorization = AuthorizedFor(Capability.All([request]))
        self.body = body
    }

    package func execute(
        with permit: consuming Permit, in context: OperationContext
    ) async throws(CaptureError) -> Output {
        var permit = permit
        guard let id = permit.devices.first?.device.id, let part = permit.take(id) else {
            throw CaptureError(.notAuthorized, "The permit is empty.")
        }
        return try await body(part)
    }
}
