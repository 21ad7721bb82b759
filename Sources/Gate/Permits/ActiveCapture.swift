import CaptureBase

/// Running capture: notifies its session when the gate ends it, and writes to the audit log how much was delivered.
///
/// If it is released without `finish`, its `stop` line says so.
///
/// *thread-safe*
package final class ActiveCapture: Sendable {
    package var device: DeviceDescription { watch.item.device }
    package var capability: CapabilityName { watch.item.request.capability }
    package var level: AccessLevel { watch.item.request.level }
    /// Sentence that the person has read.
    package var purpose: String { watch.item.request.purpose }

    /// The decision that it rests on now; `nil` for a rule of the administrator's.
    package var decision: Int64? { watch.basis.id }

    /// True if it uses a grant for one capture, which is used up.
    package var isForOnce: Bool { watch.basis.lifetime == .once }

    private let watch: WatchedCapture
    private let gatekeeper: Gatekeeper
    /// Writing of the end, once it has begun: any other caller that ends the capture waits for it, too.
    private let report = Locked<Task<CaptureError?, Never>?>(nil)

    init(_ watch: WatchedCapture, gatekeeper: Gatekeeper) {
        self.watch = watch
        self.gatekeeper = gatekeeper
    }

    /// Set when the gate has ended the capture.
    package var endReason: CaptureEndReason? { watch.endReason }

    /// Calls `handler` when the gate ends the capture: at most once, and at once if it has already.
    ///
    /// It runs on the queue that watches all captures, or on the caller's thread if the capture has already ended; it must not
    /// block. A capture has one handler: a second call replaces the first.
    package func onEnd(_ handler: @escaping @Sendable (CaptureEndReason) -> Void) {
        watch.onEnd(handler)
    }

    /// Checks further devices that are known only after opening: the hardware that a name in ALSA's configuration leads to. A
    /// denial of one of them denies this capture, now and while it runs.
    ///
    /// - Parameters:
    ///   - other: Named by the refusal.
    ///   - aliases: Ids of all these devices.
    ///   - mayBeAny: True if not all of them are known: a denial of any device of the capability then denies this one.
    /// - Throws: `.notAuthorized` if one is denied; the audit log has it. Nothing may be captured then.
    package func admit(
        _ other: DeviceDescription, aliases: [DeviceID], mayBeAny: Bool = false
    ) async throws(CaptureError) {
        _ = watch.alsoIs([other.id] + aliases, mayBeAny: mayBeAny)
        let (evaluator, evaluationRequest) = (gatekeeper.watcher.evaluator, watch.evaluationRequest)
        let statuses = await gatekeeper.onStoreQueue { evaluator.statuses(of: [evaluationRequest]) }
        let notice = RefusalNotice(
            subject: gatekeeper.subject, capability: capability, request: evaluationRequest.request, device: other)
        for refusal in statuses.compactMap(notice.refusal(of:)) {
            await gatekeeper.reportRefusal(of: [watch.item], refusal)
            throw refusal
        }
    }

    /// Adds the ids of a device that was plugged in again: if one of them is denied, the gate ends the capture.
    package func isBack(with aliases: [DeviceID]) {
        if watch.alsoIs(aliases) { gatekeeper.watcher.recheck() }
    }

    /// Writes the `stop` line, or the `revocation` line if the gate ended it, and ends the watching. Only the first
    /// call does; all return once it is written.
    /// - Parameters:
    ///   - frames: Audio or video frames delivered to the program; `nil` if nobody counted.
    ///   - bytes: Bytes delivered to the program; `nil` if nobody counted.
    ///   - outcome: One short sentence.
    package func finish(frames: UInt64?, bytes: UInt64?, outcome: String) async {
        _ = await finished(frames: frames, bytes: bytes, outcome: outcome)
    }

    /// Ends the capture of another program, which must be notified if the log can't be written.
    ///
    /// - Returns: the reason why the log has no such line; `nil` if it has one.
    package func finished(frames: UInt64?, bytes: UInt64?, outcome: String) async -> CaptureError? {
        let report = report.withLock { report in
            if watch.finish() {
                let (event, gatekeeper, device) = (line(frames, bytes, outcome), gatekeeper, device)
                report = Task(executorPreference: gatekeeper.executor) {
                    await gatekeeper.reportEnd(event, of: device)
                }
            }
            return report
        }
        gatekeeper.watcher.end(watch)
        return await report?.value
    }

    /// Notes that a broker's log lacks the end; the gate's `unloggedEnds` reports it.
    package func noteUnlogged(_ error: CaptureError) { gatekeeper.keep(error) }

    private func line(_ frames: UInt64?, _ bytes: UInt64?, _ outcome: String) -> AuditEvent {
        watch.item.event(
            watch.endReason == nil ? .stop : .revocation, at: gatekeeper.clock.now, subject: gatekeeper.subject,
            decision: watch.basis.id, frames: frames, bytes: bytes, detail: outcome)
    }

    deinit {
        guard watch.finish() else { return }
        gatekeeper.watcher.end(watch)
        let (event, gatekeeper, device) = (line(nil, nil, "released without a report"), gatekeeper, device)
        Task.detached(executorPreference: gatekeeper.executor) {
            await gatekeeper.reportEnd(event, of: device)
        }
    }
}

/// Reason for which the gate ended a capture.
///
/// *thread-safe*
public enum CaptureEndReason: String, Hashable, Sendable {
    /// The grant was revoked, or the policy changed.
    case revoked
    /// The grant's time is over.
    case expired
    /// All devices of the capability were switched off.
    case killed

    /// The error with which a session of this device ends.
    /// - Parameters:
    ///   - device: The device of the session.
    ///   - capability: Its use, if known: the remedy is exact then.
    public func error(_ device: DeviceDescription, as capability: CapabilityName? = nil) -> CaptureError {
        let what = "\(device.name) (\(device.id))"
        return switch self {
        case .revoked:
            CaptureError(.revoked, "The permission to use \(what) was revoked.", remedies: remedies(capability))
        case .expired:
            CaptureError(.expired, "The permission to use \(what) has expired.", remedies: remedies(capability))
        case .killed:
            CaptureError(.revoked, "\(what) was switched off for this user.", remedies: remedies(capability))
        }
    }

    private func remedies(_ capability: CapabilityName?) -> [Remedy] {
        guard let capability else { return [Remedy("See your permissions.", .showStatus)] }
        return switch self {
        case .killed: Restriction.killSwitch(capability).remedies
        case .revoked, .expired: [Remedy("Allow it again.", .grant(Remedy.Permission(capability.rawValue)))]
        }
    }
}

/// Limits the rate of still images of a camera, for all users of one gatekeeper: a camera that is opened again and again would
/// deliver video.
///
/// *thread-safe*
package final class StillRateLimiter: Sendable {
    private let last = Locked<[DeviceID: ContinuousClock.Instant]>([:])

    package init() {}

    /// Reserves the next moment for a still image: each caller gets a different one.
    package func due(
        _ device: DeviceID, at now: ContinuousClock.Instant, apart pause: Duration
    ) -> ContinuousClock.Instant {
        last.withLock { last in
            let due = last[device].map { max($0.advanced(by: pause), now) } ?? now
            last[device] = due
            return due
        }
    }
}

extension DevicePermit {
    /// Waits until another still image may be taken of the camera; returns at once if the permit is for video.
    /// - Throws: `.cancelled` if the task is.
    package func awaitStill(apart pause: Duration) async throws(CaptureError) {
        guard let highest = capability.levels.last, level < highest else { return }
        let due = gatekeeper.stills.due(device.id, at: .now, apart: pause)
        do {
            try await Task.sleep(until: due, clock: .continuous)
        } catch {
            throw CaptureError(.cancelled, "The capture was cancelled before it took an image.")
        }
    }
}
