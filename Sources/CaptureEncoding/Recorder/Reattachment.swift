import CSystem
import CaptureGate

/// Waits for devices that were unplugged in the middle of a clip.
final class Reattachment {
    enum Outcome {
        case away
        case back
        /// Nobody waits, or not any longer.
        case over(SessionEnd)
    }

    /// Nanoseconds; `nil` where nobody waits.
    private let patience: Int64?
    private let timeline: Timeline
    /// Since when a lane's device is away, CLOCK_MONOTONIC nanoseconds.
    private var since: [ObjectIdentifier: Int64] = [:]
    private var nextLook: Int64 = 0
    /// Between two looks: each goes through all devices.
    private static let interval: Int64 = 200_000_000

    init(patience: Duration?, timeline: Timeline) {
        self.timeline = timeline
        self.patience = patience?.nanoseconds
    }

    func isAway(_ lane: any Lane) -> Bool { since[ObjectIdentifier(lane)] != nil }

    /// - Parameter end: how the capture of the lane's device ended.
    func look(at lane: any Lane, _ end: SessionEnd) -> Outcome {
        guard case .deviceGone = end, let patience else { return .over(end) }
        let now = cs_clock_ns(Int32(CS_CLOCK_MONOTONIC))
        let begin = since[ObjectIdentifier(lane), default: now]
        since[ObjectIdentifier(lane)] = begin
        if now - begin > patience || isOver(now) { return .over(end) }
        guard now >= nextLook else { return .away }
        defer { nextLook = cs_clock_ns(Int32(CS_CLOCK_MONOTONIC)) + Self.interval }
        return attach(lane)
    }

    /// The clip is as long as it was to become.
    private func isOver(_ now: Int64) -> Bool {
        guard let origin = timeline.origin, let duration = timeline.duration else { return false }
        return now - origin > duration
    }

    /// A device that is just back may refuse for a moment: udev has not set its permissions yet. What the gate refuses is
    /// refused for good.
    private func attach(_ lane: any Lane) -> Outcome {
        do {
            try lane.source.reattach()
            since[ObjectIdentifier(lane)] = nil
            return .back
        } catch {
            switch error.kind {
            case .revoked, .expired: return .over(.refused(error))
            default: return .away
            }
        }
    }
}
