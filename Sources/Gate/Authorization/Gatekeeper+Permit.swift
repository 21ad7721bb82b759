import CaptureBase

extension Gatekeeper {
    /// Reads the authorization and makes a permit from it: the only place that makes one.
    ///
    /// It is read again, whatever the conditions found, since the operation may have waited for its locks.
    /// - Throws: `.notAuthorized`, `.noDevice`, `.busy` or `.store`, each with a remedy.
    func permit(for requests: [DeviceRequest]) async throws(CaptureError) -> Permit {
        let reading = await read(requests)
        if let refusal = reading.refusal(for: subject) ?? reading.busyError(for: subject) { throw refusal }
        var items: [PermitState.Item] = []
        for item in reading.items {
            // Not to be reached without a refusal; a permit is not made on trust.
            guard item.grant != nil, let device = item.resolution.device else {
                throw CaptureError(.notAuthorized, "The authorization is incomplete.")
            }
            items.append(
                PermitState.Item(request: item.request, device: device, aliases: item.resolution.aliases))
        }
        return Permit(PermitState(gatekeeper: self, items: items))
    }

    /// Writes an audit event about a capture that was refused; errors that are no refusals write none.
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

extension AuthorizationSnapshot {
    /// Error that names the holder of a device that is in use; `nil` if none is. A device that several may share is
    /// never busy.
    func busyError(for subject: Result<Subject, CaptureError>) -> CaptureError? {
        for item in items where !item.request.isShared {
            if let error = item.notice(for: subject).busyError(item.availability) { return error }
        }
        return nil
    }
}

extension CaptureError {
    /// True if there was a denial, alone or among other conditions.
    fileprivate var isRefusal: Bool {
        switch kind {
        case .notAuthorized, .configuration: true
        case .conditionFailed: underlying.contains { $0.isRefusal }
        default: false
        }
    }
}

/// Standing of a gatekeeper towards real microphones and cameras. A program can't choose it: only this package makes
/// gatekeepers of another standing than `own`.
package enum GateStanding: Sendable {
    /// Made by a program, from any parts.
    case own
    /// The machine's devices and rules, over a store that the program chose: a test kit.
    case kit
    /// The machine's.
    case system
    /// The machine's devices and rules, over a store and with answers of this package's own tests.
    case rig

    /// Set where its permits open real devices.
    var opensHardware: Bool { self == .system || self == .rig }

    /// Set where only the answer of a person counts about a real device: its store may be
    /// one that real devices open by.
    var wantsPerson: Bool { self == .system || self == .kit }
}

/// Prompter of this library, which asks a person. A program could answer for the person with its own prompter.
package protocol PersonPrompter: Prompter {
    /// Set if only a person can answer through it.
    var asksPerson: Bool { get }
}

extension Gatekeeper {
    /// Error that says why this gatekeeper's prompter can't answer for these devices; `nil` if it can.
    func obstacle(of items: [Question.Item]) -> CaptureError? {
        guard standing.wantsPerson, (prompter as? any PersonPrompter)?.asksPerson != true else { return nil }
        guard items.contains(where: \.request.isOfHardware) else { return nil }
        return CaptureError(
            .unavailable,
            "\"\(prompter.name)\" is a custom prompter. Custom prompters can't give permission for real devices.",
            remedies: [Remedy("Use Gatekeeper.shared, which asks at the terminal or on the desktop.")])
    }

    /// Refuses what a gatekeeper of this standing does not open.
    func checkStanding(for device: DeviceDescription, _ capability: CapabilityName) throws(CaptureError) {
        guard !standing.opensHardware, !device.id.isBuiltIn else { return }
        throw CaptureError(
            .notAuthorized,
            "Only Gatekeeper.shared can open the \(capability) \(device.id). This program made its own gatekeeper.",
            remedies: [
                Remedy("Use Gatekeeper.shared, which is the default of GateQueue()."),
                Remedy("Or use a built-in test device: test:bars or test:tone."),
            ])
    }
}

extension DeviceRequest {
    /// True if a permission for it could open a real microphone or camera.
    fileprivate var isOfHardware: Bool {
        guard !capability.levels.isEmpty else { return false }
        if case .id(let id) = device { return !id.isBuiltIn }
        return true
    }
}
