import CaptureRealtime
import Dispatch
import Gate

/// Common part of audio and video sessions: end signal, counters, capture thread, and the gate's hold on the capture.
///
/// *thread-safe*
final class CaptureCore: Sendable {
    let device: Device
    /// End signal of the loop.
    let control: LoopControl
    /// Counters, which outlive an unplugging.
    let counters: CaptureCounters
    /// The gate's hold: it ends the capture when the permission goes.
    let capture: any CaptureHold
    /// The same where the broker has the device; `nil` if this process opens it.
    let lent: LentHold?
    /// Owner of the stream where a provider has opened the device.
    let lender = Locked<(any StreamLender)?>(nil)
    /// Thread of the loop.
    private let queue: RealtimeQueue
    /// Result of the loop, set once its device is closed.
    private let ended = Locked<LoopResult?>(nil)
    /// Hardware that the gate has checked; `nil` before, and for built-in devices.
    private let admitted: Locked<Admitted?>

    /// Hardware that a PCM's name leads to, and whether all of it is known.
    private struct Admitted: Equatable {
        var devices: Set<DeviceID>
        var mayBeAny: Bool
    }

    /// Uses the permit up: asks the store once more, and writes the start into the audit log. The node is opened
    /// afterwards.
    ///
    /// - Parameters:
    ///   - permit: of the device.
    ///   - capability: kind of session.
    ///   - level: least level that the session needs, by what it lends.
    ///   - hasThreads: true if the caller has checked that there are threads for it.
    init(
        _ permit: consuming DevicePermit, as capability: CapabilityName, for level: AccessLevel, hasThreads: Bool
    ) async throws(CaptureError) {
        let id = permit.device.id
        // Checked before the permit is used up: Dispatch would wait without end for a thread that it can't have.
        let (device, control) = try Self.provided(id, capability, hasThreads: hasThreads)
        self.device = device
        self.control = control
        counters = CaptureCounters()
        admitted = Locked(nil)
        queue = RealtimeQueue(label: "capturegate.\(id)", broker: RealtimeKit())
        // The broker decides about a sound server's devices, but does not open them.
        let isLent = device.provided == nil
        let broker = permit.broker.flatMap { !isLent || device.isBuiltIn && !$0.lendsBuiltIn ? nil : $0 }
        let permission = try await permit.redeem(opening: id, as: capability, for: level)
        lent = broker.map { LentHold(permission, by: $0, for: level) }
        capture = lent ?? permission
        capture.onEnd { reason in control.request(reason == .expired ? .expired : .revoked) }
    }

    /// Opens under permissions that exist already: those of all for whom the device is shared.
    ///
    /// - Parameters:
    ///   - hold: has redeemed them, ends the capture with the last, and writes their lines of the audit log.
    ///   - id: device that all of them are for.
    ///   - capability: kind of session.
    init(sharing hold: any CaptureHold, of id: DeviceID, as capability: CapabilityName) throws(CaptureError) {
        let (device, control) = try Self.provided(id, capability, hasThreads: false)
        self.device = device
        self.control = control
        counters = CaptureCounters()
        admitted = Locked(nil)
        queue = RealtimeQueue(label: "capturegate.\(id)", broker: RealtimeKit())
        capture = hold
        lent = nil
        hold.onEnd { reason in control.request(reason == .expired ? .expired : .revoked) }
    }

    /// Finds the device, and the means that a capture of it needs.
    private static func provided(
        _ id: DeviceID, _ capability: CapabilityName, hasThreads: Bool
    ) throws(CaptureError) -> (Device, LoopControl) {
        if !hasThreads { try Provision.checkThreads(threads) }
        try Provision.checkDescriptors(descriptors)
        let device = try DeviceCatalog.device(id, capability)
        do { return (device, try LoopControl()) } catch { throw DeviceFault(device: device).error(error) }
    }

    /// Number of threads: the loop's, the opening's, the watcher's of both, and a spare one.
    private static let threads = 4
    /// Number of descriptors: the device's, its rings' and signals', and some for a search for its holders while it is open.
    private static let descriptors = 20

    /// Finds the unplugged device of an earlier capture again, which keeps its permission.
    ///
    /// - Parameter old: core of the capture before.
    /// - Throws: `.revoked` or `.expired` if the gate has ended the capture meanwhile, `.noDevice` while the device
    ///   is away.
    init(resuming old: CaptureCore) throws(CaptureError) {
        if let reason = old.capture.endReason {
            throw reason.error(old.device.description, as: old.device.capability)
        }
        let device = try DeviceCatalog.device(old.device.id, old.device.capability)
        let control: LoopControl
        do { control = try LoopControl() } catch { throw DeviceFault(device: device).error(error) }
        self.device = device
        self.control = control
        counters = old.counters
        admitted = Locked(old.admittedHardware)
        queue = RealtimeQueue(label: "capturegate.\(device.id)", broker: RealtimeKit())
        capture = old.capture
        lent = old.lent
        capture.isBack(with: device.aliases)
        // Last, since it may call at once: the gate may have ended the capture already.
        capture.onEnd { reason in control.request(reason == .expired ? .expired : .revoked) }
    }

    /// Asks the gate about all hardware that a PCM's name has led to.
    ///
    /// Each card has its own id, which decisions may name. Hardware that can't be identified counts as any microphone: a denial of
    /// one, by a rule or a person, refuses it.
    ///
    /// - Parameter hardware: `nil` for the built-in tone.
    func admit(hardware: PCMHardware?) async throws(CaptureError) {
        guard let hardware else { return }
        do throws(CaptureError) {
            let found = try microphones(hardware)
            admitted.withLock { $0 = Admitted(devices: Set(found.map(\.id)), mayBeAny: !hardware.isComplete) }
            // A microphone with its own id is the one that the permit is for.
            guard device.nodes.isEmpty, let first = found.first ?? (hardware.isComplete ? nil : device) else { return }
            try await capture.admit(
                first.description, aliases: found.flatMap { [$0.id] + $0.aliases }, mayBeAny: !hardware.isComplete)
        } catch {
            throw await refused(error)
        }
    }

    /// Asks the gate about hardware that may be the source of a provider's device.
    func admitProvided() async throws(CaptureError) {
        guard let facts = device.provided, facts.mayBeAny else { return }
        do throws(CaptureError) {
            try await capture.admit(device.description, aliases: device.aliases, mayBeAny: true)
        } catch {
            throw await refused(error)
        }
    }

    /// Has the provider open the device; blocks.
    func openProvided(_ wish: StreamWish) throws(CaptureError) -> ProvidedStream {
        let stream = try DeviceCatalog.open(provided: device, wish)
        let owner = stream.lender
        lender.withLock { $0 = owner }
        return stream
    }

    /// True if a PCM's name leads to the hardware that the gate has checked, in whatever port it is now.
    func isAdmitted(hardware: PCMHardware?) -> Bool {
        guard let hardware else { return admittedHardware == nil }
        guard let found = try? microphones(hardware),
            Admitted(devices: Set(found.map(\.id)), mayBeAny: !hardware.isComplete) == admittedHardware
        else { return false }
        capture.isBack(with: found.flatMap(\.aliases))
        return true
    }

    /// Microphones that the hardware is; of one that was opened by its own id, no other.
    private func microphones(_ hardware: PCMHardware) throws(CaptureError) -> [Device] {
        // ALSA's configuration may redefine `hw`: then the hardware is not what the id says.
        if let own = device.pcmName, !device.nodes.isEmpty {
            guard hardware.isComplete, hardware.names == [own] else {
                throw leadsElsewhere("to hardware other than \(own), because of ALSA's configuration")
            }
            return [device]
        }
        let all = DeviceCatalog.scan(.identity, of: .microphone)
        var found: [Device] = []
        for name in hardware.names.sorted() {
            guard let microphone = all.first(where: { $0.pcmName == name }) else {
                throw leadsElsewhere("to \(name), which is not a microphone")
            }
            found.append(microphone)
        }
        return found
    }

    /// Error for a name that leads to hardware which it must not lead to.
    private func leadsElsewhere(_ place: String) -> CaptureError {
        CaptureError(
            .noDevice, "\(device.name) [\(device.id)] leads \(place).",
            remedies: [Remedy("Name the hardware by its id.", .listDevices)])
    }

    /// Copy for comparison.
    private var admittedHardware: Admitted? { admitted.withLock { $0 } }

    /// Runs the loop on a separate thread, and keeps its result.
    func run<Run: CaptureRun & ~Copyable>(_ run: consuming Run) {
        queue.run(run) { result in self.ended.withLock { $0 = result } }
    }

    /// Result of the loop, once its device is closed.
    var result: LoopResult? { ended.withLock { $0 } }

    /// Public end of a capture.
    ///
    /// - Parameters:
    ///   - result: result of the loop; `nil` while it runs.
    ///   - format: format of a camera's own frames, for the errors' texts.
    func end(_ result: LoopResult?, of format: VideoFormat?) -> SessionEnd? {
        result.map {
            let own = DeviceFault(
                device: device, format: format, signal: counters.signal, changed: counters.changedSignal
            ).end($0, gate: capture.endReason)
            // The device's owner knows more than the ring reports, unless this program or the gate has ended the capture.
            guard own != .stopped, capture.endReason == nil,
                let error = lent?.failure ?? lender.withLock({ $0 })?.failure
            else { return own }
            return SessionEnd(ofLender: error)
        }
    }

    /// Writes the end into the audit log, with the number of frames and bytes.
    func finish(_ end: SessionEnd?) async {
        await capture.finish(
            frames: counters.delivered, bytes: counters.bytes, outcome: end?.error?.message ?? "stopped by the program")
    }

    /// Runs the opening of a device, a real one on a separate thread. If it fails, or does not return in time, the end is in the
    /// audit log.
    func opening<Value: ~Copyable & Sendable>(
        _ open: @escaping @Sendable () throws(CaptureError) -> Value
    ) async throws(CaptureError) -> Value {
        let isAtOnce = device.isBuiltIn && lent == nil
        let opening = isAtOnce ? OpenResult(open) : await OpenResult.of(open, on: "capturegate.\(device.id)")
        do { return try value(of: opening) } catch { throw await refused(error) }
    }

    /// Result of an opening, or the error for it.
    func value<Value: ~Copyable & Sendable>(of opening: OpenResult<Value>) throws(CaptureError) -> Value {
        let fault = DeviceFault(device: device)
        switch opening {
        case .opened(let box):
            guard let value = box.take() else { throw fault.cancelled }
            return value
        case .failed(let error): throw error
        case .late: throw fault.unanswered(after: OpenResult<Value>.patience)
        case .cancelled: throw fault.cancelled
        }
    }

    /// Runs calls to the device, and names it in their error.
    func calling<Value: ~Copyable>(_ body: () throws(RealtimeFault) -> Value) throws(CaptureError) -> Value {
        do { return try body() } catch { throw DeviceFault(device: device).error(error) }
    }

    /// Ends the capture in the audit log before a frame was captured.
    ///
    /// - Returns: the same error.
    func refused(_ error: CaptureError) async -> CaptureError {
        await capture.finish(frames: 0, bytes: 0, outcome: error.message)
        return error
    }

    /// Error of a strict session.
    func notAsAsked(_ differences: [FormatDifference]) async -> CaptureError {
        await refused(
            CaptureError(
                .notAsAsked,
                "\(QuestionText.visible(device.name)) [\(device.id)] can't do exactly what was requested: "
                    + differences.map(\.description).joined(separator: "; ") + ".",
                remedies: [
                    Remedy("List its formats.", .listFormats(device: device.id.rawValue)),
                    Remedy("Or remove --strict to accept this."),
                ]))
    }
}

/// Loop of one kind of source, which runs on the capture thread.
enum CaptureStream: ~Copyable, Sendable {
    case microphone(AudioStream<PCMSource>)
    case tone(AudioStream<TestTone>)
    case camera(VideoStream<CameraSource>)
    case bars(VideoStream<TestBars>)
    case lentMicrophone(AudioStream<SharedMicrophone>)
    case lentCamera(VideoStream<SharedCamera>)
}

extension CaptureCore {
    /// Runs the loop on the session's thread.
    func run(_ stream: consuming CaptureStream) {
        // Not for a session that is closed without ever having run.
        if control.reason == .none {
            lent?.begin()
            lender.withLock { $0 }?.begin()
        }
        switch consume stream {
        case .microphone(let stream): run(stream)
        case .tone(let stream): run(stream)
        case .camera(let stream): run(stream)
        case .bars(let stream): run(stream)
        case .lentMicrophone(let stream): run(stream)
        case .lentCamera(let stream): run(stream)
        }
    }
}

/// Result of opening a device within a time limit.
///
/// An opening may take seconds, and may never return if the sound server of a PCM was stopped, so it runs on a separate thread. A
/// device whose opening completes after the time limit is closed at once.
enum OpenResult<Value: ~Copyable & Sendable>: Sendable {
    /// The device, to be taken once.
    case opened(Handoff<Value>)
    /// Reason why it is not open.
    case failed(CaptureError)
    /// The opening did not return in time.
    case late
    /// The task was cancelled before or meanwhile.
    case cancelled

    /// Time limit. Cameras take seconds to wake up, as do sound servers that have to be started.
    static var patience: Duration { .seconds(10) }

    /// Opens on a separate thread.
    ///
    /// - Parameters:
    ///   - open: opens the device; may block.
    ///   - label: name of the thread.
    ///   - patience: time limit.
    static func of(
        _ open: @escaping @Sendable () throws(CaptureError) -> Value, on label: String,
        within patience: Duration = patience
    ) async -> OpenResult {
        // A camera that nobody wants any more shows no light.
        guard !Task.isCancelled else { return .cancelled }
        return await Race.of(
            { OpenResult(open) }, on: DispatchQueue(label: label), within: patience, late: .late, cancelled: .cancelled)
    }

    /// Opens on the caller's thread, for devices that answer at once.
    init(_ open: () throws(CaptureError) -> Value) {
        do { self = .opened(Handoff(try open())) } catch { self = .failed(error) }
    }
}

/// Container that carries a noncopyable value into a closure, and hands it out once.
///
/// An escaping closure can't consume a captured noncopyable value (Swift 6): it captures this object instead.
///
/// *thread-safe*
package final class Handoff<Value: ~Copyable & Sendable>: Sendable {
    private let value: Locked<Value?>

    /// Takes the value.
    package init(_ value: consuming Value) {
        self.value = Locked(value)
    }

    /// Hands the value out; `nil` from the second call on.
    package func take() -> Value? { value.withLock { $0.take() } }

    /// Takes a value back; one that is still inside is released.
    package func put(_ value: consuming Value) {
        // `withLock` takes a closure that could not consume `value` either, hence another lock around it.
        let carried = Locked<Value?>(value)
        self.value.withLock { slot in slot = carried.withLock { $0.take() } }
    }
}
