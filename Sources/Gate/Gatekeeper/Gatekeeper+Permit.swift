import CaptureBase

extension Gatekeeper {
    /// Reads the authorization and makes a permit of it: the only place where one is made.
    /// - Throws: `.notAuthorized`, `.noDevice`, `.busy` or `.store`, with what to do.
    func permit(for requests: [DeviceRequest]) async throws(CaptureError) -> Permit {
        let reading = await read(requests)
        if let refusal = reading.refusal(for: subject) ?? reading.busyError(for: subject) { throw refusal }
        var items: [PermitState.Item] = []
        for item in reading.items {
            guard item.grant != nil, let device = item.resolution.device else {
                throw CaptureError(.notAuthorized, "The authorization is incomplete.")
            }
            items.append(
                PermitState.Item(request: item.request, device: device, aliases: item.resolution.aliases))
        }
        return Permit(PermitState(gatekeeper: self, items: items))
    }

    /// Writes one line about a capture that was refused; errors that are no refusals write none.
    func reportRefusal(of items: [PermitState.Item], _ error: CaptureError) async {
        await reportRefusal(of: items.map(\.request), devices: items.map(\.device.id), error)
    }

    func reportRefusal(of requests: [DeviceRequest], devices: [DeviceID] = [], _ error: CaptureError) async {
        guard error.isRefusal else { return }
        let named = requests.compactMap { request -> DeviceID? in
            if case .id(let id) = request.device { id } else { nil }
        }
        let isOne = requests.allSatisfy { $0.capability == requests.first?.capability }
        await report(
            AuditEvent(
                .refusal, at: clock.now, subject: try? subject.get(),
                capability: isOne ? requests.first?.capability : nil, level: isOne ? requests.first?.level : nil,
                devices: devices.isEmpty ? named : devices, detail: error.message))
    }
}

extension GateReading {
    /// Who uses one of the devices; `nil` if nobody does.
    func busyError(for subject: Result<Subject, CaptureError>) -> CaptureError? {
        for item in items where !item.request.isShared {
            if let error = item.notice(for: subject).busyError(item.availability) { return error }
        }
        return nil
    }
}

extension CaptureError {
    /// Whether somebody or something said no, alone or among other conditions.
    fileprivate var isRefusal: Bool {
        switch kind {
        case .notAuthorized, .configuration: true
        case .conditionFailed: underlying.contains { $0.isRefusal }
        default: false
        }
    }
}
