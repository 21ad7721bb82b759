import CaptureGate
import GateStore

/// What stands above a grant, so that it will not help.
struct Obstacles {
    let subject: Subject
    let capability: CapabilityName
    let level: AccessLevel
    let device: DeviceSelector
    let killSwitches: Set<CapabilityName>
    let now: GateInstant

    /// A sentence each; empty where the grant counts.
    var notes: [String] {
        var notes: [String] = []
        if killSwitches.contains(capability) {
            notes.append(
                "All \(capability) capture is switched off; the grant will not help before "
                    + "'capturegate kill \(capability) --off'.")
        }
        if let reason = forbidden { notes.append("The policy forbids it; the grant will not help: \(reason)") }
        return notes
    }

    /// Why the policy says no to each device that is meant; `nil` if it leaves one.
    private var forbidden: String? {
        let policy = PolicyDirectory()
        var reasons: [String] = []
        let devices = devices
        for device in devices {
            let query = PolicyQuery(capability: capability, level: level, device: device, at: now)
            if case .deny(let restriction) = policy.verdict(for: subject, on: query) {
                reasons.append(restriction.reason)
            }
        }
        return reasons.count == devices.count ? reasons.first : nil
    }

    private var devices: [DeviceID] {
        if case .id(let id) = device { return [id] }
        return DeviceCatalog.scan(.identity, of: capability).map(\.id)
    }
}
