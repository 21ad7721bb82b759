import CaptureBase

/// The proof that an operation may open its devices: made by the gatekeeper alone, right before the operation executes.
///
/// It can't be made, copied or used twice, and it is worth nothing once the operation has ended. Opening a device asks
/// the store once more.
///
/// *thread-safe*
public struct Permit: ~Copyable, Sendable {
    /// A device that may be opened.
    public struct Device: Hashable, Sendable {
        public let device: DeviceDescription
        public let capability: CapabilityName
        public let level: AccessLevel
    }

    /// All devices of the operation, also those already taken.
    public let devices: [Device]

    let state: PermitState
    private var left: Set<Int>

    init(_ state: PermitState) {
        self.state = state
        devices = state.items.map {
            Device(device: $0.device, capability: $0.request.capability, level: $0.request.level)
        }
        left = Set(devices.indices)
    }

    /// Hands out a device, once.
    /// - Returns: `nil` if the permit does not speak of this device, or it was taken.
    public mutating func take(_ id: DeviceID) -> DevicePermit? {
        guard let index = left.filter({ devices[$0].device.id == id }).min() else { return nil }
        left.remove(index)
        return DevicePermit(state, index, devices[index])
    }

    /// Refuses, before anything is opened, where a device is not allowed at its capability's highest level: the one for
    /// frames that can be kept.
    /// - Throws: `.notAuthorized` with both levels; the audit log has it.
    package func requireFrames() async throws(CaptureError) {
        for (index, device) in devices.enumerated() {
            guard let level = device.capability.levels.last else { continue }
            try await state.require(level, of: index)
        }
    }
}

/// The proof that one device may be opened, once.
///
/// *thread-safe*
public struct DevicePermit: ~Copyable, Sendable {
    public let device: DeviceDescription
    public let capability: CapabilityName
    public let level: AccessLevel

    private let state: PermitState
    private let index: Int
    var gatekeeper: Gatekeeper { state.gatekeeper }

    init(_ state: PermitState, _ index: Int, _ device: Permit.Device) {
        self.state = state
        self.index = index
        self.device = device.device
        capability = device.capability
        level = device.level
    }

    /// Compares what is about to be opened with what is allowed, asks the store once more, uses up a `once` grant, writes the `start` line and watches for revocation from here on.
    ///
    /// Call it right before the node is opened. Devices of one permit are one capture: the first uses up the `once`
    /// grants of all.
    /// - Parameters:
    ///   - id: the device that is about to be opened.
    ///   - name: what it is about to be opened as.
    ///   - level: the least that what is opened needs, by what it lends to the program.
    /// - Throws: `.notAuthorized` if the permit is of another device or of a lower level, its operation has ended, the
    ///   authorization is gone, or the device is real and the gatekeeper not the machine's; `.store` if the store can't be
    ///   read or written. Nothing may be opened then.
    package consuming func redeem(
        opening id: DeviceID, as name: CapabilityName, for level: AccessLevel
    ) async throws(CaptureError) -> ActiveCapture {
        guard device.id == id, capability == name else {
            throw CaptureError(
                .notAuthorized, "The permit is for the \(capability) \(device.id), not for the \(name) \(id).",
                remedies: [Remedy("Name every device of the operation in its capability.")])
        }
        try await state.require(level, of: index)
        return try await state.redeem(index)
    }
}
