import CaptureBase

/// What a gatekeeper may do with real microphones and cameras. A program can't choose it: only this package makes gatekeepers
/// of another standing than `own`.
package enum GateStanding: Sendable {
    /// Made by a program, of whatever it likes.
    case own
    /// The machine's devices and rules, over a store that the program chose: a test kit.
    case kit
    /// The machine's.
    case system
    /// The machine's devices and rules, over a store and with answers of this package's own tests.
    case rig

    /// Whether its permits open real devices.
    var opensHardware: Bool { self == .system || self == .rig }

    /// Whether an answer about a real device is worth something only from a prompter that asks a person: its store may be
    /// one that real devices open by.
    var wantsPerson: Bool { self == .system || self == .kit }
}

/// A prompter of this library, which asks a person. A program could answer for the person with one of its own.
package protocol PersonPrompter: Prompter {
    /// Whether nobody else can answer through it.
    var asksPerson: Bool { get }
}

extension Gatekeeper {
    /// Why this gatekeeper's prompter can't answer for these devices; `nil` if it can.
    func obstacle(of items: [Question.Item]) -> CaptureError? {
        guard standing.wantsPerson, (prompter as? any PersonPrompter)?.asksPerson != true else { return nil }
        guard items.contains(where: \.request.isOfHardware) else { return nil }
        return CaptureError(
            .unavailable,
            "\"\(prompter.name)\" is a prompter of the program's own, which can't answer for a person about a real device.",
            remedies: [Remedy("Let the terminal or the desktop ask: Gatekeeper.shared does.")])
    }

    /// Refuses what a gatekeeper of this standing does not open.
    func checkStanding(for device: DeviceDescription, _ capability: CapabilityName) throws(CaptureError) {
        guard !standing.opensHardware, !device.id.isBuiltIn else { return }
        throw CaptureError(
            .notAuthorized,
            "The \(capability) \(device.id) opens for the machine's own gate alone, and this gatekeeper was made by hand.",
            remedies: [
                Remedy("Use Gatekeeper.shared, which GateQueue() does."),
                Remedy("Or name a built-in test device: test:bars or test:tone."),
            ])
    }
}

extension DeviceRequest {
    /// Whether a yes to it could open a real microphone or camera.
    fileprivate var isOfHardware: Bool {
        guard !capability.levels.isEmpty else { return false }
        if case .id(let id) = device { return !id.isBuiltIn }
        return true
    }
}
