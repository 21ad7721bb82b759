import CaptureRealtime
import Gate
import LinuxSystem

/// The gate's hold on a device that the broker has opened: this program's own permission, and the broker's stream.
///
/// The broker judges by its own gate, and erases the ring before it reports the end. The permission here ends with it, whichever
/// end is noticed first.
///
/// *thread-safe*
final class LentHold: CaptureHold {
    private struct State {
        /// Stream on a connection; `nil` while there is none.
        var stream: (number: UInt32, connection: UInt64)?
        /// Name of the requested input; empty if none was requested.
        var input = ""
        var endReason: CaptureEndReason?
        var handler: (@Sendable (CaptureEndReason) -> Void)?
        /// The broker's words for an end that is not the gate's.
        var failure: CaptureError?
        var isFinished = false

        /// The request, with the input's name of the previous one if it has none.
        mutating func completed(_ wish: StreamWish) -> StreamWish {
            guard case .video(let settings, let name) = wish else { return wish }
            if !name.isEmpty { input = name }
            return .video(settings, input: input)
        }
    }

    private let permission: ActiveCapture
    private let link: BrokerLink
    /// Level that the session needs.
    private let level: AccessLevel
    private let state = Locked(State())

    /// - Parameters:
    ///   - permission: redeemed.
    ///   - link: to the broker.
    ///   - level: least level that the session needs, by what it lends.
    init(_ permission: ActiveCapture, by link: BrokerLink, for level: AccessLevel) {
        self.permission = permission
        self.link = link
        self.level = level
        permission.onEnd { [weak self] reason in self?.end(reason) }
    }

    deinit {
        guard let stream = state.withLock({ $0.stream }), stream.connection == link.connection else { return }
        link.forget(stream.number)
        link.send(.close(StreamReport(stream.number, frames: 0, bytes: 0)))
    }

    var decision: Int64? { permission.decision }

    var endReason: CaptureEndReason? { state.withLock { $0.endReason } ?? permission.endReason }

    /// The broker's description of an end that is not the gate's; `nil` if none exists.
    var failure: CaptureError? { state.withLock { $0.failure } }

    func onEnd(_ handler: @escaping @Sendable (CaptureEndReason) -> Void) {
        let reason = state.withLock { state -> CaptureEndReason? in
            guard let reason = state.endReason else {
                state.handler = handler
                return nil
            }
            return reason
        }
        if let reason { handler(reason) }
    }

    func admit(_ other: DeviceDescription, aliases: [DeviceID], mayBeAny: Bool) async throws(CaptureError) {
        try await permission.admit(other, aliases: aliases, mayBeAny: mayBeAny)
    }

    func isBack(with aliases: [DeviceID]) { permission.isBack(with: aliases) }

    func finish(frames: UInt64?, bytes: UInt64?, outcome: String) async {
        let stream = state.withLock { state in
            state.isFinished = true
            return state.stream.take()
        }
        if let stream, stream.connection == link.connection {
            link.forget(stream.number)
            let report = StreamReport(stream.number, frames: frames ?? 0, bytes: bytes ?? 0)
            // Waited for: the device is free afterwards. A broker that has gone has closed it.
            do throws(CaptureError) {
                _ = try await link.call(.close(report))
            } catch {
                // Its log lacks the end.
                if error.kind == .store { permission.noteUnlogged(error) }
            }
        }
        await permission.finish(frames: frames, bytes: bytes, outcome: outcome)
    }
}

extension LentHold {
    /// Device that the broker has opened, and the ring of its frames.
    struct Opening: ~Copyable, Sendable {
        let device: LentDevice
        var reader: SharedRingReader
    }

    /// Makes the broker open the device, or open it again if this program has its stream already; blocks.
    ///
    /// - Parameter wish: format. The name of an input also applies to later openings.
    func open(_ wish: StreamWish) throws(CaptureError) -> Opening {
        let (wish, old) = state.withLock { state in (state.completed(wish), state.stream) }
        let request: BrokerRequest =
            if let old, old.connection == link.connection {
                .reopen(StreamReturn(old.number, wish))
            } else {
                .open(
                    StreamOrder(
                        permission.device.id, as: permission.capability, for: level, purpose: permission.purpose, wish))
            }
        state.withLock { $0.failure = nil }
        let reply = try link.wait(for: request) { [weak self] news in self?.take(news) }
        let files = reply.files.take()
        guard case .opened(let device) = reply.body, files.count == 2 else { throw BrokerFault.kind.error }
        let isWanted = state.withLock { state in
            state.stream = state.isFinished ? nil : (device.stream, reply.connection)
            return !state.isFinished
        }
        let reader = Result { () throws(RealtimeFault) in
            Handoff(try SharedRingReader(memory: files[0].number, wake: files[1].number))
        }
        guard isWanted else {
            link.send(.close(StreamReport(device.stream, frames: 0, bytes: 0)))
            throw CaptureError(.cancelled, "The opening of \(permission.device.id) was cancelled.")
        }
        guard let reader = try? reader.get().take() else { throw BrokerFault.value.error }
        return Opening(device: device, reader: reader)
    }

    /// Has the frames come.
    func begin() {
        guard let stream = state.withLock({ $0.stream }) else { return }
        link.send(.start(stream.number)) { [weak self] error in
            self?.fail(error)
            // No data comes, and the ring does not report an end.
            self?.stop()
        }
    }

    /// Does what the broker says of the stream.
    private func take(_ news: BrokerLink.StreamNews) {
        switch news {
        case .ended(let reason): end(reason)
        // The ring says that it is over.
        case .gone(let error): fail(error)
        case .lost: fail(.lenderGone)
        }
    }

    private func fail(_ error: CaptureError) {
        state.withLock { state in if state.failure == nil { state.failure = error } }
    }

    private func stop() { state.withLock { $0.handler }?(.revoked) }

    private func end(_ reason: CaptureEndReason) {
        let handler = state.withLock { state -> (@Sendable (CaptureEndReason) -> Void)? in
            guard state.endReason == nil else { return nil }
            state.endReason = reason
            return state.handler.take()
        }
        handler?(reason)
    }
}

extension SessionEnd {
    /// End of a capture by the broker's words.
    init(ofLender error: CaptureError) {
        switch error.kind {
        case .deviceGone, .noDevice: self = .deviceGone(error)
        case .stalled: self = .stalled(error)
        case .unavailable: self = .signalChanged(error)
        case .revoked, .expired, .notAuthorized: self = .refused(error)
        default: self = .failed(error)
        }
    }
}

extension CaptureError {
    /// Error of a broker that went away while it lent a device: one that comes back lends it again.
    static let lenderGone = CaptureError(
        .deviceGone, "The capture broker has stopped, so the device is lost.", remedies: [.restartBroker])
}

extension DevicePermit {
    /// The broker that opens what this permit is for; `nil` if this program does.
    var broker: BrokerLink? { (store as? BrokeredStore)?.link }
}
