import CaptureBase

/// Keeps single pictures of a camera apart, whoever takes them through one gatekeeper: of a camera that is opened again and
/// again they would be moving ones.
///
/// *thread-safe*
package final class StillRateLimiter: Sendable {
    private let last = Locked<[DeviceID: ContinuousClock.Instant]>([:])

    package init() {}

    /// When the next may be taken: each that asks has the moment to itself.
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
    /// Waits, where it is for less than moving pictures, until another single one may be taken of the camera.
    /// - Throws: `.cancelled` where the task is.
    package func awaitStill(apart pause: Duration) async throws(CaptureError) {
        guard let highest = capability.levels.last, level < highest else { return }
        let due = gatekeeper.stills.due(device.id, at: .now, apart: pause)
        do {
            try await Task.sleep(until: due, clock: .continuous)
        } catch {
            throw CaptureError(.cancelled, "It was cancelled before a picture was taken.")
        }
    }
}
