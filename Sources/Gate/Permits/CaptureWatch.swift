import CaptureBase

/// What the watcher knows of one capture.
final class WatchedCapture: Sendable {
    private struct State {
        var basis: Grant
        var aliases: [DeviceID]
        var mayBeAny = false
        var reason: CaptureEndReason?
        var handler: (@Sendable (CaptureEndReason) -> Void)?
        /// The session has closed the device.
        var isFinished = false
    }

    let item: PermitState.Item
    private let state: Locked<State>

    init(_ item: PermitState.Item, basis: Grant) {
        self.item = item
        state = Locked(State(basis: basis, aliases: item.aliases))
    }

    /// The grant it rests on now.
    var basis: Grant { state.withLock { $0.basis } }
    var endReason: CaptureEndReason? { state.withLock { $0.reason } }

    /// What is to be judged.
    var evaluationRequest: CaptureJudge.Case {
        let (basis, aliases, mayBeAny) = state.withLock { ($0.basis, $0.aliases, $0.mayBeAny) }
        return CaptureJudge.Case(
            request: item.request, device: item.device.id, aliases: aliases, mayBeAny: mayBeAny, basis: basis)
    }

    /// What is captured goes by other ids as well.
    ///
    /// - Parameter mayBeAny: by that of any device of its capability.
    /// - Returns: whether one of them is new.
    func alsoIs(_ aliases: [DeviceID], mayBeAny: Bool = false) -> Bool {
        state.withLock { state in
            let fresh = aliases.filter { !state.aliases.contains($0) }
            state.aliases += fresh
            if mayBeAny { state.mayBeAny = true }
            return !fresh.isEmpty
        }
    }

    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Whether this was the first time.
    func finish() -> Bool {
        state.withLock { state in
            defer { state.isFinished = true }
            return !state.isFinished
        }
    }

    func onEnd(_ handler: @escaping @Sendable (CaptureEndReason) -> Void) {
        let reason = state.withLock { state in
            if state.reason == nil { state.handler = handler }
            return state.reason
        }
        if let reason { handler(reason) }
    }

    func end(_ reason: CaptureEndReason) {
        let handler = state.withLock { state -> (@Sendable (CaptureEndReason) -> Void)? in
            guard state.reason == nil else { return nil }
            state.reason = reason
            defer { state.handler = nil }
            return state.handler
        }
        handler?(reason)
    }

    /// Goes on, on this grant.
    func rest(on grant: Grant) {
        state.withLock { $0.basis = grant }
    }
}
