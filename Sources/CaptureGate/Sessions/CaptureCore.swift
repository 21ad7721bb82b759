import CaptureRealtime
import Dispatch
import Gate

/// What a session of sound and one of picture have in common: the end signal, the counters, the thread, and the gate's
/// hold on the capture.
final class CaptureCore: Sendable {
    let device: Device
    let control: LoopControl
    let counters: CaptureCounters
    let capture: ActiveCapture
    private let queue: RealtimeQueue
    private let ended = Locked<LoopResult?>(nil)
    /// The hardware that the gate was asked about.
    private let admitted: Locked<Admitted?>

    private struct Admitted: Equatable {
        var devices: Set<DeviceID>
        var mayBeAny: Bool
    }

    /// Uses the permit up: asks the store once more and writes the start into the audit log. The node is opened after.
    ///
    /// - Parameter level: the least that the session needs, by what it lends.
    init(
        _ permit: consuming DevicePermit, as capability: CapabilityName, for level: AccessLevel
    ) async throws(CaptureError) {
        let id = permit.device.id
        try Provision.checkThreads(Self.threads)
        try Provision.checkDescriptors(Self.descriptors)
        let device = try DeviceCatalog.device(id, capability)
        let control: LoopControl
        do { control = try LoopControl() } catch { throw DeviceFault(device: device).error(error) }
        self.device = device
        self.control = control
        counters = CaptureCounters()
        admitted = Locked(nil)
        queue = RealtimeQueue(label: "capturegate.\(id)", broker: RealtimeKit())
        capture = try await permit.redeem(opening: id, as: capability, for: level)
        capture.onEnd { reason in control.request(reason == .expired ? .expired : .revoked) }
    }

    /// The loop's, the opening's, who watches both, and one to spare.
    private static let threads = 4
    /// The device's, its rings' and signals', and some for whoever looks while it is open.
    private static let descriptors = 20

    /// Finds the device of an earlier capture again, which was unplugged; the gate's hold on the capture is the same.
    ///
    /// - Throws: `.revoked` or `.expired` where the gate ended the capture meanwhile, `.noDevice` while it is away.
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
        capture.isBack(with: device.aliases)
        capture.onEnd { reason in control.request(reason == .expired ? .expired : .revoked) }
    }

    /// Asks the gate about all the hardware that a PCM's name has led to: each has an id of its own, which decisions may be
    /// about. What can't be told counts as any microphone: a denial of one of them, by a rule or a person, refuses it.
    ///
    /// - Parameter hardware: `nil` for the built-in tone.
    func admit(hardware: PCMHardware?) async throws(CaptureError) {
        guard let hardware else { return }
        do throws(CaptureError) {
            let found = try microphones(hardware)
            admitted.withLock { $0 = Admitted(devices: Set(found.map(\.id)), mayBeAny: !hardware.isComplete) }
            // Hardware by its own id is what the permit is for.
            guard device.nodes.isEmpty, let first = found.first ?? (hardware.isComplete ? nil : device) else { return }
            try await capture.admit(
                first.description, aliases: found.flatMap { [$0.id] + $0.aliases }, mayBeAny: !hardware.isComplete)
        } catch {
            throw await refused(error)
        }
    }

    /// Whether such a name leads to the hardware that the gate was asked about, wherever that is by now.
    func isAdmitted(hardware: PCMHardware?) -> Bool {
        guard let hardware else { return admittedHardware == nil }
        guard let found = try? microphones(hardware),
            Admitted(devices: Set(found.map(\.id)), mayBeAny: !hardware.isComplete) == admittedHardware
        else { return false }
        capture.isBack(with: found.flatMap(\.aliases))
        return true
    }

    /// The microphones that such hardware is; of one that is opened by its own id, no other.
    private func microphones(_ hardware: PCMHardware) throws(CaptureError) -> [Device] {
        if let own = device.pcmName, !device.nodes.isEmpty {
            guard hardware.isComplete, hardware.names == [own] else {
                throw leadsElsewhere("to other hardware than \(own), by ALSA's configuration")
            }
            return [device]
        }
        let all = DeviceCatalog.scan(.identity, of: .microphone)
        var found: [Device] = []
        for name in hardware.names.sorted() {
            guard let microphone = all.first(where: { $0.pcmName == name }) else {
                throw leadsElsewhere("to \(name), which is no microphone")
            }
            found.append(microphone)
        }
        return found
    }

    private func leadsElsewhere(_ place: String) -> CaptureError {
        CaptureError(
            .noDevice, "\(device.name) [\(device.id)] leads \(place).",
            remedies: [Remedy("Name hardware by its own id.", command: "capturegate devices")])
    }

    private var admittedHardware: Admitted? { admitted.withLock { $0 } }

    /// Runs the capture on a thread of its own.
    func run<Run: CaptureRun & ~Copyable>(_ run: consuming Run) {
        queue.run(run) { result in self.ended.withLock { $0 = result } }
    }

    /// How the loop ended, once its device is closed.
    var result: LoopResult? { ended.withLock { $0 } }

    /// How the capture ended, once it has.
    ///
    /// - Parameter format: what a camera was to deliver.
    func end(_ result: LoopResult?, of format: VideoFormat?) -> SessionEnd? {
        result.map {
            DeviceFault(
                device: device, format: format, signal: counters.signal, changed: counters.changedSignal
            ).end($0, gate: capture.endReason)
        }
    }

    /// Writes the end into the audit log.
    func finish(_ end: SessionEnd?) async {
        await capture.finish(
            frames: counters.delivered, bytes: counters.bytes, outcome: end?.error?.message ?? "stopped by the program")
    }

    /// Runs what opens the device, a real one on a thread of its own; the capture is written off in the audit log where
    /// it fails, and where it does not return in time.
    func opening<Value: ~Copyable & Sendable>(
        _ open: @escaping @Sendable () throws(RealtimeFault) -> Value
    ) async throws(CaptureError) -> Value {
        let opening = device.isBuiltIn ? OpenResult(open) : await OpenResult.of(open, on: "capturegate.\(device.id)")
        do { return try value(of: opening) } catch { throw await refused(error) }
    }

    /// What was opened, or why it was not.
    func value<Value: ~Copyable & Sendable>(of opening: OpenResult<Value>) throws(CaptureError) -> Value {
        let fault = DeviceFault(device: device)
        switch opening {
        case .opened(let box):
            guard let value = box.take() else { throw fault.cancelled }
            return value
        case .failed(let failure): throw fault.error(failure)
        case .late: throw fault.unanswered(after: OpenResult<Value>.patience)
        case .cancelled: throw fault.cancelled
        }
    }

    /// An error before anything was captured, with the capture written off in the audit log.
    func refused(_ error: CaptureError) async -> CaptureError {
        await capture.finish(frames: 0, bytes: 0, outcome: error.message)
        return error
    }

    /// The refusal of a strict session.
    func notAsAsked(_ differences: [String]) async -> CaptureError {
        await refused(
            CaptureError(
                .notAsAsked,
                "\(QuestionText.visible(device.name)) [\(device.id)] does otherwise than asked: "
                    + differences.joined(separator: "; ") + ".",
                remedies: [
                    Remedy("See what it can do.", command: "capturegate devices --json"),
                    Remedy("Or leave --strict out, to take what it gives."),
                ]))
    }
}

/// What runs on the capture thread: one case for each kind of source.
enum CaptureStream: ~Copyable, Sendable {
    case microphone(AudioStream<PCMSource>)
    case tone(AudioStream<TestTone>)
    case camera(VideoStream<CameraSource>)
    case bars(VideoStream<TestBars>)
}

extension CaptureCore {
    /// Runs a stream on the session's thread.
    func run(_ stream: consuming CaptureStream) {
        switch consume stream {
        case .microphone(let stream): run(stream)
        case .tone(let stream): run(stream)
        case .camera(let stream): run(stream)
        case .bars(let stream): run(stream)
        }
    }
}

/// What came of opening a device. It may take seconds, and where the sound server behind a PCM was stopped, for ever: it
/// is done on a thread of its own, and waited for with patience. A device that is open after all then is closed at once.
enum OpenResult<Value: ~Copyable & Sendable>: Sendable {
    case opened(Handoff<Value>)
    case failed(RealtimeFault)
    /// It did not return in time.
    case late
    case cancelled

    /// Cameras take seconds where they wake up, sound servers where they have to be started.
    static var patience: Duration { .seconds(10) }

    static func of(
        _ open: @escaping @Sendable () throws(RealtimeFault) -> Value, on label: String,
        within patience: Duration = patience
    ) async -> OpenResult {
        // A camera that nobody wants any more shows no light.
        guard !Task.isCancelled else { return .cancelled }
        return await FirstAnswer.of(
            { OpenResult(open) }, on: DispatchQueue(label: label), within: patience, late: .late, cancelled: .cancelled)
    }

    /// For what answers at once.
    init(_ open: () throws(RealtimeFault) -> Value) {
        do { self = .opened(Handoff(try open())) } catch { self = .failed(error) }
    }
}

/// Carries a value that can't be copied into a closure, which could not consume it, and gives it out once.
package final class Handoff<Value: ~Copyable & Sendable>: Sendable {
    private let value: Locked<Value?>

    package init(_ value: consuming Value) {
        self.value = Locked(value)
    }

    package func take() -> Value? { value.withLock { $0.take() } }

    package func put(_ value: consuming Value) {
        let carried = Locked<Value?>(value)
        self.value.withLock { slot in slot = carried.withLock { $0.take() } }
    }
}
