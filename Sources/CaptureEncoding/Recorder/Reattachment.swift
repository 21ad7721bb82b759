import CSystem
import CaptureGate

/// Waits for devices that were unplugged in the middle of a clip.
final class Reattachment {
    enum Outcome {
        case away
        case back
        /// The clip has become as long as it was to be before the device came back.
        case missed
        /// Nobody waits, or not any longer.
        case over(SessionEnd)
    }

    /// Nanoseconds; `nil` where nobody waits.
    private let patience: Int64?
    private let timeline: Timeline
    /// Since when a lane's device is away, CLOCK_MONOTONIC nanoseconds.
    private var since: [ObjectIdentifier: Int64] = [:]
    /// When a lane's device is looked for again, CLOCK_MONOTONIC nanoseconds.
    private var nextLook: [ObjectIdentifier: Int64] = [:]
    /// How far the lanes had come whose devices came back.
    private var reached: [ObjectIdentifier: Int64] = [:]
    /// Since when a lane's device is back as another, CLOCK_MONOTONIC nanoseconds.
    private var otherwise: [ObjectIdentifier: Int64] = [:]
    /// A device that is just back may be another for a moment, before its firmware is loaded.
    private static let otherwisePatience: Int64 = 1_000_000_000
    /// Between two looks: each goes through all devices.
    private static let interval: Int64 = 200_000_000

    init(patience: Duration?, timeline: Timeline) {
        self.timeline = timeline
        self.patience = patience?.nanoseconds
    }

    func isAway(_ lane: any Lane) -> Bool { since[ObjectIdentifier(lane)] != nil }

    /// Whether nothing has come from its device since that was unplugged.
    func isBehind(_ lane: any Lane) -> Bool { isAway(lane) || reached[ObjectIdentifier(lane)] == lane.elapsed }

    /// - Parameter end: how the capture of the lane's device ended.
    func look(at lane: any Lane, _ end: SessionEnd) -> Outcome {
        guard Self.mayReturn(end), let patience else { return .over(end) }
        let now = cs_clock_ns(Int32(CS_CLOCK_MONOTONIC))
        let name = ObjectIdentifier(lane)
        let begin = since[name, default: now]
        since[name] = begin
        if let over, over <= begin + patience, now > over { return .missed }
        if now > begin + patience { return .over(end) }
        guard now >= nextLook[name] ?? 0 else { return .away }
        return attach(lane, end)
    }

    static func mayReturn(_ end: SessionEnd) -> Bool {
        switch end {
        case .deviceGone, .signalChanged: true
        default: false
        }
    }

    private func isGone(_ end: SessionEnd) -> Bool {
        if case .deviceGone = end { true } else { false }
    }

    /// When the clip is as long as it was to become, CLOCK_MONOTONIC nanoseconds; `nil` where that is open.
    private var over: Int64? {
        guard let origin = timeline.origin, let duration = timeline.duration else { return nil }
        return origin + duration
    }

    /// A device that is just back may refuse for a moment: udev has not set its permissions yet. What the gate refuses is
    /// refused for good.
    private func attach(_ lane: any Lane, _ end: SessionEnd) -> Outcome {
        let name = ObjectIdentifier(lane)
        do {
            guard try lane.source.reattach() else { return .away }
            since[name] = nil
            otherwise[name] = nil
            reached[name] = lane.elapsed
            // What is plugged in with it, as a camera's microphone, is back as well.
            nextLook = [:]
            return .back
        } catch {
            let now = cs_clock_ns(Int32(CS_CLOCK_MONOTONIC))
            nextLook[name] = now + Self.interval
            switch error.kind {
            // Another signal stays another; what ended the capture names both.
            case .notAsAsked where !isGone(end): return .over(end)
            case .revoked, .expired: return .over(.refused(error))
            // Each further look would leave a thread behind.
            case .stalled: return .over(.stalled(error))
            case .notAsAsked:
                let begun = otherwise[name, default: now]
                otherwise[name] = begun
                return now >= begun + Self.otherwisePatience ? .over(.deviceGone(error)) : .away
            default: return .away
            }
        }
    }
}
