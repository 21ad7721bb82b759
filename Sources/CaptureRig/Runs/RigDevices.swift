import CaptureGate
import LinuxSystem

/// The machine's devices that a plan names.
///
/// *thread-safe*
struct RigDevices: Sendable {
    private let found: [String: Result<Device, CaptureError>]
    /// The same as reports name them.
    private let named: [String: RigDevice]

    /// Searches for each device of a plan.
    ///
    /// - Parameter devices: devices of the machine.
    init(_ plan: RigPlan, among devices: [Device]) {
        let found = Dictionary(
            plan.devices.map { planned in
                (planned.name, Result { () throws(CaptureError) in try Self.pick(planned, among: devices) })
            }, uniquingKeysWith: { first, _ in first })
        self.found = found
        named = plan.devices.reduce(into: [:]) { named, planned in
            let device = try? found[planned.name]?.get()
            named[planned.name] = device.map { RigDevice($0, as: planned.name) } ?? RigDevice(missing: planned)
        }
    }

    /// Device under which reports list a check, even if it is missing; `nil` for a check of the machine.
    func named(for check: PlannedCheck) -> RigDevice? { check.devices.first.flatMap { named[$0] } }

    /// Devices by their names in the plan.
    ///
    /// - Throws: `.noDevice` if one is missing, or if several match the plan's description.
    func devices(_ names: [String]) throws(CaptureError) -> [Device] {
        var devices: [Device] = []
        for name in names {
            guard let result = found[name] else { throw CaptureError(.usage, "The plan has no device \(name).") }
            devices.append(try result.get())
        }
        return devices
    }

    private static func pick(_ planned: PlannedDevice, among devices: [Device]) throws(CaptureError) -> Device {
        let kind: CapabilityName = planned.kind == .camera ? .camera : .microphone
        let all = devices.filter { $0.capability == kind }.sorted { $0.id.rawValue < $1.id.rawValue }
        switch planned.selector {
        case .id(let id):
            if let device = all.first(where: { $0.id.rawValue == id }) { return device }
            throw missing(planned, "The \(planned.kind.rawValue) \(id) was not found.")
        case .match(let name, let driver, let serial, let index):
            let matching = all.filter { matches($0, name: name, driver: driver, serial: serial) }
            if let index {
                if matching.indices.contains(index) { return matching[index] }
                throw missing(
                    planned, "\(matching.count) devices match \(planned.name), so the index \(index) is too high.")
            }
            if let device = matching.first, matching.count == 1 { return device }
            let ids = matching.map(\.id.rawValue).joined(separator: ", ")
            throw missing(
                planned,
                matching.isEmpty
                    ? "No \(planned.kind.rawValue) matches \(planned.name) (\(planned.selector.text))."
                    : "Several devices match \(planned.name) (\(ids)). Add an index, or use an id.")
        }
    }

    private static func missing(_ planned: PlannedDevice, _ message: String) -> CaptureError {
        CaptureError(.noDevice, message, remedies: [Remedy("Plug it in, or list the devices.", .listDevices)])
    }

    /// A serial number is a part of a stable id: udev's reading of it, in the id's own spelling.
    private static func matches(_ device: Device, name: String?, driver: String?, serial: String?) -> Bool {
        let driverName = device.nodes.first.flatMap(DeviceDriver.name(ofNode:))
        return (name.map { NamePattern($0).matches(device.name) } ?? true)
            && (driver.map { pattern in driverName.map(NamePattern(pattern).matches) ?? false } ?? true)
            && (serial.map { device.id.rawValue.contains($0) } ?? true)
    }
}

extension RigDevice {
    init(_ device: Device, as name: String) {
        self.init(
            name: name, id: device.id.rawValue, label: device.name,
            driver: device.nodes.first.flatMap(DeviceDriver.name(ofNode:)))
    }

    /// Missing device, described by the plan.
    fileprivate init(missing planned: PlannedDevice) {
        self.init(name: planned.name, id: planned.selector.text, label: "not found")
    }
}

extension PlannedDevice.Selector {
    /// The id, or what must match, for people: `name C920*, serial 1234`.
    fileprivate var text: String {
        switch self {
        case .id(let id): id
        case .match(let name, let driver, let serial, let index):
            [("name", name), ("driver", driver), ("serial", serial), ("index", index.map(String.init))]
                .compactMap { key, value in value.map { "\(key) \($0)" } }.joined(separator: ", ")
        }
    }
}

/// Kernel driver of a device file, by sysfs.
///
/// *thread-safe*
enum DeviceDriver {
    /// - Parameter node: such as `/dev/video0` or `/dev/snd/pcmC0D0c`.
    /// - Returns: the driver's name; `nil` if the kernel has none, as for virtual devices without a bus.
    static func name(ofNode node: String) -> String? {
        guard let file = node.split(separator: "/").last else { return nil }
        let paths = [
            "/sys/class/video4linux/\(file)/device/driver",
            // A PCM's device is its card, whose device has the driver.
            "/sys/class/sound/\(file)/device/device/driver",
        ]
        return paths.lazy.compactMap(ProcessFile.link).first.flatMap { $0.split(separator: "/").last }.map(String.init)
    }
}

extension RigPlan {
    /// Devices of the plan's checks that nobody has allowed: a bench asks nobody, and it is better to know this before a night's
    /// run than in the morning.
    ///
    /// - Parameters:
    ///   - devices: devices of the machine; the run reports a missing one.
    ///   - gatekeeper: reads the decisions, and asks nobody.
    /// - Returns: names of the plan with their devices, in the plan's order.
    package func forbiddenDevices(
        among devices: [Device], by gatekeeper: Gatekeeper
    ) async -> [(name: String, device: Device)] {
        let found = RigDevices(self, among: devices)
        let used = Set(checks.filter { !$0.check.hasSuffix(".present") }.flatMap(\.devices))
        var forbidden: [(name: String, device: Device)] = []
        for name in self.devices.map(\.name) where used.contains(name) {
            guard let device = try? found.devices([name]).first else { continue }
            let request = DeviceRequest(
                capability: device.capability, level: device.capability == .camera ? .video : .record,
                device: .id(device.id), purpose: "Test the hardware")
            let status = await gatekeeper.status(of: Capability.All([request]))
            if !status.meets(request) { forbidden.append((name, device)) }
        }
        return forbidden
    }
}
