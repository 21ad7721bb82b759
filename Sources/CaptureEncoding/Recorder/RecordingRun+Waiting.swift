import CSystem
import CaptureGate

extension RecordingRun {
    /// Has the lanes hold what comes until the clip is to begin, and says when that is.
    /// - Returns: why nothing came of it.
    func awaitStart(_ preRoll: PreRoll) -> End? {
        if preRoll.length > 0 { report(.waiting(preRoll: .nanoseconds(preRoll.length), startsAt: preRoll.startsAt)) }
        let most = preRoll.mostBytes(of: lanes.map(\.writtenTrack))
        while true {
            let took: Bool
            do {
                took = try hold(preRoll, most)
            } catch {
                return end(error)
            }
            let end = ended()
            if let end, end.reason == .revoked { return end }
            // Before any other end: a clip that was asked for and stopped right after it has its pre-roll.
            if let start = preRoll.start(asked: control.beginning), lanes.allSatisfy({ $0.source.oldestHeld != nil }) {
                begin(preRoll, at: start)
                return nil
            }
            if let end { return end }
            if !took { wait(for: lanes, milliseconds: preRoll.patience) }
        }
    }

    /// - Parameter most: bytes of each lane.
    /// - Returns: false where there was nothing.
    private func hold(_ preRoll: PreRoll, _ most: [Int]) throws(CaptureError) -> Bool {
        var took = false
        for (lane, most) in zip(lanes, most) {
            if try lane.source.hold(preRoll.length + PreRoll.slack, most: most) { took = true }
        }
        return took
    }

    /// - Parameter start: CLOCK_MONOTONIC nanoseconds.
    private func begin(_ preRoll: PreRoll, at start: Int64) {
        let wanted = start - preRoll.length
        // Where there is no sound or picture yet, there is no clip; a clip that has its moment begins at it all the same.
        let oldest = lanes.compactMap { $0.source.oldestHeld }.max() ?? wanted
        let origin = preRoll.length > 0 ? max(wanted, oldest) : wanted
        if origin > wanted {
            differences.append(
                "The pre-roll is \(Self.seconds(start - origin)) s, not \(Self.seconds(preRoll.length)) s: "
                    + "there was no more yet, or no more memory.")
        }
        timeline.start(at: origin)
        over.expect(timeline.duration, from: origin)
    }

    /// Writes one period or picture of what was held, of all devices the oldest one, so that the file has them in order.
    /// - Returns: `nil` where nothing is held any more.
    func replay() throws(CaptureError) -> Bool? {
        guard timeline.origin != nil, let index = oldestHeld else { return nil }
        // What comes meanwhile waits as well: sound is never left to its ring.
        for case let lane as AudioLane in lanes { while try lane.source.holdNext() {} }
        if throttle.holds(writer.isBusy) {
            // Not for a stop as well: it may have been asked for, and what is held comes before it.
            wait(on: [], milliseconds: Throttle.pause)
            return true
        }
        let wrote = try lanes[index].writeNext(to: writer, as: index)
        try finishParts()
        return wrote
    }

    /// Writes what was captured before the end: what is held, and what waits in the rings.
    /// - Returns: the end, or why the output did not take all.
    func drained(_ end: End) -> End {
        guard timeline.origin != nil, end.isOfInput, end.reason != .revoked else { return end }
        // From here on nothing is committed, so there is an end of it.
        for lane in lanes { lane.source.stop() }
        do {
            while try writeOnce() { tell() }
        } catch {
            // A clip of the greatest size has an error to tell where its device has one.
            return error == .sizeReached && end.error != nil ? end : self.end(error)
        }
        return lanes.allSatisfy(\.isComplete) ? End(reason: .complete, error: nil) : end
    }

    func wait(for lanes: [any Lane], milliseconds: Int32 = 100) {
        wait(on: lanes.map { $0.source.readySignal } + [control.descriptor], milliseconds: milliseconds)
    }

    private func wait(on descriptors: [Int32], milliseconds: Int32) {
        var items = descriptors.map { cs_poll_item(fd: $0, events: Int16(CS_POLL_IN), revents: 0) }
        _ = cs_poll(&items, items.count, milliseconds)
    }

    private var oldestHeld: Int? {
        var found: (index: Int, time: Int64)?
        for (index, lane) in lanes.enumerated() where !lane.isComplete {
            guard let time = lane.source.oldestHeld, time < found?.time ?? .max else { continue }
            found = (index, time)
        }
        return found?.index
    }

    private static func seconds(_ nanoseconds: Int64) -> String {
        let tenths = (max(0, nanoseconds) + 50_000_000) / 100_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}
