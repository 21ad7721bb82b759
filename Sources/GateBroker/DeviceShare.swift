import CaptureBase
import CaptureGate
import CaptureRealtime
import Dispatch
import Gate
import LinuxSystem

/// Permissions of all programs that share a device, as the one that its session needs.
///
/// *thread-safe*
final class SharedHold: CaptureHold {
    /// Hardware that a name leads to, as the opening has shown.
    private struct Admission: Sendable {
        let device: DeviceDescription
        let aliases: [DeviceID]
        let mayBeAny: Bool
    }

    private struct State {
        var members: [ActiveCapture] = []
        var admissions: [Admission] = []
        var handler: (@Sendable (CaptureEndReason) -> Void)?
    }

    private let state: Locked<State>

    init(_ first: ActiveCapture) {
        state = Locked(State(members: [first]))
    }

    /// Each program has its own decision.
    var decision: Int64? { nil }

    /// The gate ends the programs' captures, and never the device's.
    var endReason: CaptureEndReason? { nil }

    func onEnd(_ handler: @escaping @Sendable (CaptureEndReason) -> Void) { state.withLock { $0.handler = handler } }

    /// Has the session end now, whatever it waits for.
    func end() { state.withLock { $0.handler }?(.revoked) }

    /// Adds a program, unless its user or the administrator denies it the hardware.
    func join(_ member: ActiveCapture) async throws(CaptureError) {
        for one in state.withLock({ $0.admissions }) {
            try await member.admit(one.device, aliases: one.aliases, mayBeAny: one.mayBeAny)
        }
        state.withLock { $0.members.append(member) }
    }

    func leave(_ member: ActiveCapture) { state.withLock { $0.members.removeAll { $0 === member } } }

    func admit(_ other: DeviceDescription, aliases: [DeviceID], mayBeAny: Bool) async throws(CaptureError) {
        let members = state.withLock { state in
            state.admissions.append(Admission(device: other, aliases: aliases, mayBeAny: mayBeAny))
            return state.members
        }
        for member in members { try await member.admit(other, aliases: aliases, mayBeAny: mayBeAny) }
    }

    func isBack(with aliases: [DeviceID]) {
        for member in state.withLock({ $0.members }) { member.isBack(with: aliases) }
    }

    /// Nothing: each program's stream writes its own end.
    func finish(frames: UInt64?, bytes: UInt64?, outcome: String) async {}
}

/// An open device, before its capture, while it runs, and at its end; audio and video alike.
///
/// *thread-safe*
struct SharedSession: Sendable {
    let format: LentDevice.Format
    let signal: SignalState
    /// Runs the capture on a separate thread, and closes the device at its end.
    let run: @Sendable () -> Void
    /// Closes a device that was never run.
    let close: @Sendable () async -> Void

    /// - Parameters:
    ///   - session: open, and not started.
    ///   - format: format of the session.
    ///   - deliver: gets each frame on the capture's thread, valid only during the call.
    ///   - onEnd: called once the device is closed, with the reason if the broker did not end it.
    init<Format>(
        _ session: consuming CaptureSession<Format>, _ format: LentDevice.Format,
        deliver: @escaping @Sendable (FrameHeader, RawSpan, RawSpan, RawSpan) -> Void,
        onEnd: @escaping @Sendable (CaptureError?) async -> Void
    ) {
        self.format = format
        signal = session.signal
        let box = Handoff(session)
        let queue = DispatchQueue(label: "capturegated.share", qos: .userInteractive)
        run = {
            queue.async {
                guard var session = box.take() else { return }
                session.start()
                while true {
                    if session.lendNext(deliver) { continue }
                    if session.end != nil { break }
                    _ = session.wait(milliseconds: 1000)
                }
                let error = session.end?.error
                box.put(session)
                Task {
                    await box.take()?.close()
                    await onEnd(error)
                }
            }
        }
        close = { await box.take()?.close() }
    }
}

/// Device that is opened once, for all programs that may use it, with the first program's format.
///
/// *thread-safe*
final class DeviceShare: Sendable {
    /// State of the device.
    private enum Phase {
        /// Open, and not capturing.
        case open(SharedSession)
        case running
        /// Being opened, or being closed since nobody wants frames; with those who wait for it.
        case changing([CheckedContinuation<Void, Never>])
        case closed
        /// Ended by itself.
        case gone(CaptureError)
    }

    private struct State {
        var phase = Phase.changing([])
        var streams: [LentStream] = []
        /// Programs that have joined, or are about to.
        var members = 1
        /// True once the last has left: nobody joins it any more.
        var isOver = false
    }

    let device: DeviceID
    let hold: SharedHold
    private let capability: CapabilityName
    private let wish: StreamWish
    private let state = Locked(State())
    private let format = Locked<LentDevice.Format?>(nil)

    /// - Parameters:
    ///   - first: the permission of the program that opens it.
    ///   - wish: its format.
    init(_ first: ActiveCapture, _ wish: StreamWish) {
        device = first.device.id
        capability = first.capability
        hold = SharedHold(first)
        self.wish = wish
    }

    /// Opens the device; what it captures then goes to all streams.
    ///
    /// - Returns: its format and its signal.
    @discardableResult
    func open() async throws(CaptureError) -> (LentDevice.Format, SignalState) {
        do throws(CaptureError) {
            let session = try await matching()
            change(to: .open(session))
            return (session.format, session.signal)
        } catch {
            change(to: .closed)
            throw error
        }
    }

    /// The same, with its error as a result.
    func opening() async -> Result<(LentDevice.Format, SignalState), CaptureError> {
        do throws(CaptureError) { return .success(try await open()) } catch { return .failure(error) }
    }

    /// Ends a change, and the wait for it.
    private func change(to phase: Phase) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            defer { state.phase = phase }
            if case .changing(let waiting) = state.phase { return waiting }
            return []
        }
        for one in waiting { one.resume() }
    }

    /// An open session of the format that all streams have.
    private func matching() async throws(CaptureError) -> SharedSession {
        let session = try await opened()
        let isSame = format.withLock { format in
            let known = format ?? session.format
            format = known
            return known == session.format
        }
        guard isSame else {
            await session.close()
            throw CaptureError(
                .notAsAsked, "The format of \(device) has changed.", remedies: [Remedy("Open it again.")])
        }
        return session
    }

    private func opened() async throws(CaptureError) -> SharedSession {
        let deliver: @Sendable (FrameHeader, RawSpan, RawSpan, RawSpan) -> Void = { [weak self] in
            self?.deliver($0, $1, $2, $3)
        }
        let onEnd: @Sendable (CaptureError?) async -> Void = { await self.hasEnded($0) }
        switch wish {
        case .video:
            guard capability == .camera else { throw .wrongWish(device) }
            let session = try await VideoSession(sharing: hold, of: device, wish: wish)
            guard let format = session.native else { throw .wrongWish(device) }
            return SharedSession(session, format, deliver: deliver, onEnd: onEnd)
        case .audio:
            guard capability == .microphone else { throw .wrongWish(device) }
            let session = try await AudioSession(sharing: hold, of: device, wish: wish)
            guard let format = session.native else { throw .wrongWish(device) }
            return SharedSession(session, format, deliver: deliver, onEnd: onEnd)
        }
    }

    /// Format that the device has taken; `nil` before it was opened.
    var known: LentDevice.Format? { format.withLock { $0 } }

    private func deliver(_ header: FrameHeader, _ first: RawSpan, _ second: RawSpan, _ third: RawSpan) {
        for stream in state.withLock({ $0.streams }) { stream.deliver(header, first, second, third) }
    }

    /// Counts a program in; false if the last one has left, or the device has gone.
    func enter() -> Bool {
        state.withLock { state in
            if case .gone = state.phase { return false }
            guard !state.isOver else { return false }
            state.members += 1
            return true
        }
    }

    /// Adds a stream, whose program was counted in.
    func add(_ stream: LentStream) { state.withLock { $0.streams.append(stream) } }

    /// Has the device capture, unless it does; one that was closed meanwhile is opened again.
    func begin() async throws(CaptureError) {
        await settle()
        let step = state.withLock { state -> (run: SharedSession?, opens: Bool, error: CaptureError?) in
            switch state.phase {
            case .open(let session):
                state.phase = .running
                return (session, false, nil)
            case .closed:
                state.phase = .changing([])
                return (nil, true, nil)
            case .gone(let error): return (nil, false, error)
            case .running, .changing: return (nil, false, nil)
            }
        }
        if let error = step.error { throw error }
        step.run?.run()
        if step.opens {
            try await open()
            try await begin()
        }
    }

    /// Closes the device if no stream wants frames.
    func rest() async {
        let isIdle = state.withLock { state in
            guard case .running = state.phase, !state.streams.contains(where: \.isRunning) else { return false }
            state.phase = .changing([])
            return true
        }
        guard isIdle else { return }
        hold.end()
        await settle()
    }

    /// Takes a stream out; with the last one the device is closed.
    func leave(_ stream: LentStream) async {
        let isIn = state.withLock { state in
            let count = state.streams.count
            state.streams.removeAll { $0 === stream }
            return state.streams.count < count
        }
        hold.leave(stream.hold)
        if isIn { await leave() } else { await settle() }
    }

    /// Counts a program out.
    func leave() async {
        await rest()
        let session = state.withLock { state -> SharedSession? in
            state.members -= 1
            guard state.members == 0 else { return nil }
            state.isOver = true
            guard case .open(let session) = state.phase else { return nil }
            state.phase = .changing([])
            return session
        }
        guard let session else { return }
        await session.close()
        change(to: .closed)
    }

    /// True once nobody has it any more.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Waits until a device that is being opened or closed is so.
    func settle() async {
        await withCheckedContinuation { continuation in
            let isSettled = state.withLock { state in
                guard case .changing(let waiting) = state.phase else { return true }
                state.phase = .changing(waiting + [continuation])
                return false
            }
            if isSettled { continuation.resume() }
        }
    }

    /// The session has closed the device.
    private func hasEnded(_ error: CaptureError?) async {
        let (waiting, lost) = state.withLock { state in
            if case .changing(let waiting) = state.phase {
                state.phase = .closed
                return (waiting, [LentStream]())
            }
            let error = error ?? .ended(device)
            state.phase = .gone(error)
            return ([], state.streams)
        }
        for one in waiting { one.resume() }
        for stream in lost { stream.lose(error ?? .ended(device)) }
    }

    /// Notifies a stream whose device had gone before it was registered.
    func tellIfGone(_ stream: LentStream) {
        let error = state.withLock { state -> CaptureError? in
            if case .gone(let error) = state.phase { error } else { nil }
        }
        if let error { stream.lose(error) }
    }
}

extension CaptureError {
    /// Refusal of a format for another kind of device.
    fileprivate static func wrongWish(_ device: DeviceID) -> CaptureError {
        CaptureError(
            .usage, "\(device) can't be opened with a format for another kind of device.",
            remedies: [Remedy("Name a camera or a microphone.", .listDevices)])
    }

    /// End of a device without an error.
    fileprivate static func ended(_ device: DeviceID) -> CaptureError {
        CaptureError(
            .deviceGone, "The capture of \(device) has ended.", remedies: [Remedy("Open it again.", .listDevices)])
    }
}
