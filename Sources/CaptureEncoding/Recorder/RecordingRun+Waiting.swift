import CSystem
import CaptureGate

extension RecordingRun {
    /// Has the lanes hold what comes until the clip is to begin, and says when that is.
    /// - Returns: why nothing came of it.
    func awaitStart(_ preRoll: PreRoll) -> End? {
        if preRoll.length > 0 { report(.waiting(preRoll: .nanoseconds(preRoll.length), startsAt: preRoll.startsAt)) }
        let most = PreRoll.mostBytes / lanes.count
        while true {
            for lane in lanes { lane.hold(preRoll.length + PreRoll.slack, most: most) }
            if let end = ended() { return end }
            if let start = preRoll.start(asked: control.beginning), lanes.allSatisfy({ $0.oldestHeld != nil }) {
                begin(preRoll, at: start)
                return nil
            }
            wait(for: lanes, milliseconds: preRoll.patience)
        }
    }

    /// - Parameter start: CLOCK_MONOTONIC nanoseconds.
    private func begin(_ preRoll: PreRoll, at start: Int64) {
        let wanted = start - preRoll.length
        // Where there is no sound or picture yet, there is no clip; a clip that has its moment begins at it all the same.
        let oldest = lanes.compactMap(\.oldestHeld).max() ?? wanted
        let origin = preRoll.length > 0 ? max(wanted, oldest) : wanted
        if origin > wanted {
            differences.append(
                "The pre-roll is \(Self.seconds(start - origin)) s, not \(Self.seconds(preRoll.length)) s: "
                    + "there was no more yet, or no more memory.")
        }
        timeline.start(at: origin)
    }

    private static func seconds(_ nanoseconds: Int64) -> String {
        let tenths = (max(0, nanoseconds) + 50_000_000) / 100_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}
