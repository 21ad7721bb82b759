extension Gatekeeper {
    /// Whether there is such a thing and whether it is free. Asks nobody.
    public func availability(of capability: some CapabilityType) async -> Availability {
        await capability.availability(in: self)
    }

    /// Whether it is allowed. Asks nobody.
    public func status(of capability: some CapabilityType) async -> AuthorizationStatus {
        await capability.authorizationStatus(in: self)
    }

    /// Availability, status and why it would be refused, in one reading. Asks nobody.
    public func report(on capability: some CapabilityType) async -> AuthorizationReport {
        await capability.report(in: self)
    }

    /// Finds the devices and reads what is decided about them, now.
    func read(_ requests: [DeviceRequest]) async -> GateReading {
        var resolutions: [DeviceResolution] = []
        for request in requests { resolutions.append(await resolve(request)) }
        let cases = zip(requests, resolutions).map { request, resolution in
            CaptureJudge.Case(
                request: request, device: resolution.device?.id, aliases: resolution.aliases,
                restriction: resolution.restriction)
        }
        let judge = watcher.judge
        let findings = await onStoreQueue { judge.findings(of: cases) }
        let items = zip(zip(requests, resolutions), findings).map { pair, finding in
            GateReading.Item(
                request: pair.0, resolution: pair.1, status: finding.status, laterClock: finding.laterClock)
        }
        return GateReading(items: items)
    }

    /// The directory's answer; a device that is not the one named is none.
    private func resolve(_ request: DeviceRequest) async -> DeviceResolution {
        let resolution = await directory.resolve(request)
        guard let device = resolution.device, !request.device.covers(device.id) else { return resolution }
        return DeviceResolution(device: nil, availability: .absent("\(request.device)"))
    }
}
