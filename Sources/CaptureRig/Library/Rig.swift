import CaptureGate
import GateTestKit

/// A bench of cameras and microphones under test, for Swift tests of hardware, and of programs' limits without hardware.
///
/// ```swift
/// let rig = Rig()
/// let camera = try rig.camera("HD Pro Webcam*")
/// #expect(try await rig.stream(camera, for: .seconds(3)).lost == 0)
/// ```
///
/// Devices of the machine are captured with its gate's permission, and nobody is asked here: a grant for the program that runs the
/// tests must exist, and without one a capture ends with `.notAuthorized` at once. Virtual devices need no grant and no time: an
/// hour of frames takes as long as computing them.
///
/// *thread-safe*
public struct Rig: Sendable {
    /// Limits that count where a test or a plan has none.
    public enum Profile: String, Hashable, Sendable, CaseIterable {
        /// For a bench where hardware is developed.
        case bench
        /// The stricter limits, for the acceptance of hardware.
        case certification
    }

    /// Profile to use instead of the plan's. If `nil`, the plan's counts, and a check without a plan uses `bench`.
    public var profile: Profile?
    /// Directory for evidence, such as frames that failed, and for the reports of plans; `nil` writes none.
    public var directory: String?
    /// Directory of the golden files to which a check without a plan compares a device; a plan names its own.
    public var golden = "golden"
    /// True to write golden files from the results, instead of comparing with them.
    public var acceptsGolden = false

    package let gatekeeper: Gatekeeper
    /// Captures from virtual devices; `nil` for those of the gate.
    let virtual: VirtualStreams?
    private let virtualDevices: [Device]

    /// A bench of this machine's devices and the built-in ones.
    ///
    /// The decisions are those of the user's store, and captures are in its audit log.
    public init() { self.init(gatekeeper: .system(prompter: BenchPrompter())) }

    /// A bench of this machine's devices with another gatekeeper, such as one that stores its permissions in a separate
    /// directory and opens only the built-in devices: `Gatekeeper.system(storeIn:prompter:)`.
    ///
    /// - Parameter gatekeeper: asks by its own prompter, so that a test waits for an answer.
    public init(gatekeeper: Gatekeeper) {
        self.gatekeeper = gatekeeper
        (virtual, virtualDevices) = (nil, [])
    }

    /// A bench of only virtual devices, each with the faults of its plan.
    ///
    /// A check that needs more of a device than a capture, such as its controls, can't be made here: its verdict is an error,
    /// never a pass.
    ///
    /// - Parameter devices: of ids that differ; of two with the same id the first counts.
    public init(virtual devices: [VirtualDevice]) {
        virtual = VirtualStreams(faults: Dictionary(devices.map { ($0.device.id, $0.faults) }) { first, _ in first })
        virtualDevices = devices.map(\.device)
        gatekeeper = Gatekeeper(
            subject: .failure(CaptureError(.unavailable, "A virtual device supports only frames.")),
            store: MemoryStore(), prompter: BenchPrompter(), directory: VirtualDirectory(devices: virtualDevices),
            clock: SystemGateClock())
    }

    /// Devices that are there now, each with its id and name. No capture node is opened.
    public var devices: [Device] { virtual == nil ? DeviceCatalog.scan(.identity) : virtualDevices }

    /// Camera with an id or a name.
    ///
    /// - Parameter name: id, such as `test:bars`, or a pattern of an id or a name, in which `*` matches any characters.
    /// - Throws: `.noDevice` if none exists, or if several match: the message names them.
    public func camera(_ name: String) throws(CaptureError) -> Device { try device(name, .camera) }

    /// Microphone with an id or a name.
    ///
    /// - Parameter name: id, such as `test:tone`, or a pattern of an id or a name, in which `*` matches any characters.
    /// - Throws: `.noDevice` if none exists, or if several match: the message names them.
    public func microphone(_ name: String) throws(CaptureError) -> Device { try device(name, .microphone) }

    private func device(_ name: String, _ kind: CapabilityName) throws(CaptureError) -> Device {
        let all = devices.filter { $0.capability == kind }
        if let device = all.first(where: { $0.id.rawValue == name }) { return device }
        let pattern = NamePattern(name)
        let matching = all.filter { pattern.matches($0.name) || pattern.matches($0.id.rawValue) }
        if let device = matching.first, matching.count == 1 { return device }
        let ids = (matching.isEmpty ? all : matching).map(\.id.rawValue).sorted().joined(separator: ", ")
        guard matching.isEmpty else {
            throw CaptureError(
                .noDevice, "Several \(kind)s match \(PlanMistakes.quoted(name)): \(ids).",
                remedies: [Remedy("Name one by its id.")])
        }
        let rest = all.isEmpty ? "this machine has none" : "choose one of \(ids)"
        throw CaptureError(
            .noDevice, "No \(kind) matches \(PlanMistakes.quoted(name)): \(rest).",
            remedies: [Remedy("Plug it in, or list the devices.", .listDevices)])
    }
}

extension Rig {
    /// A camera or a microphone without hardware, good but for its faults.
    ///
    /// A camera shows a scene of 320 × 180 pixels at 30 frames a second unless a test asks for another size or rate, a microphone
    /// plays a tone at 48 kHz on two channels. Time is virtual.
    ///
    /// *thread-safe*
    public struct VirtualDevice: Hashable, Sendable {
        let device: Device
        let faults: FaultPlan

        /// A virtual camera.
        ///
        /// - Parameters:
        ///   - name: for people, and for patterns.
        ///   - id: such as that of the real device for which a plan is written; `nil` for `virtual:NAME`.
        ///   - faults: none for a good camera.
        public static func camera(
            _ name: String, id: String? = nil, faults: FaultPlan = FaultPlan()
        ) -> VirtualDevice {
            VirtualDevice(name, id, .camera, faults)
        }

        /// A virtual microphone.
        ///
        /// - Parameters:
        ///   - name: for people, and for patterns.
        ///   - id: such as that of the real device for which a plan is written; `nil` for `virtual:NAME`.
        ///   - faults: none for a good microphone.
        public static func microphone(
            _ name: String, id: String? = nil, faults: FaultPlan = FaultPlan()
        ) -> VirtualDevice {
            VirtualDevice(name, id, .microphone, faults)
        }

        private init(_ name: String, _ id: String?, _ kind: CapabilityName, _ faults: FaultPlan) {
            device = Device(withoutHardware: DeviceID(rawValue: id ?? "virtual:\(name)"), name: name, capability: kind)
            self.faults = faults
        }
    }
}

/// Directory of virtual devices, for the gate that refuses them: they are there, and not allowed.
///
/// *thread-safe*
private struct VirtualDirectory: DeviceDirectory {
    let devices: [Device]

    func resolve(_ request: DeviceRequest) async -> DeviceResolution {
        let device = devices.first { $0.capability == request.capability && request.device.covers($0.id) }
        return DeviceResolution(
            device: device?.description, availability: device?.availability ?? .absent("The device does not exist."))
    }
}
