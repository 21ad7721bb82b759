import CaptureGate

extension RigPlan {
    /// Devices that checks of the plan capture and that nobody has allowed: a bench asks nobody, and a night's run is better
    /// told before than in the morning.
    ///
    /// - Parameters:
    ///   - devices: those of the machine; one that is missing is the run's to tell.
    ///   - gatekeeper: reads what was decided, and asks nobody.
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
