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
        for (device, aliases) in devices {
            let query = PolicyQuery(
                capability: capability, level: level, device: device, aliases: aliases, at: now)
            if case .deny(let restriction) = policy.verdict(for: subject, on: query) {
                reasons.append(restriction.reason)
            }
        }
        return reasons.count == devices.count ? reasons.first : nil
    }

    private var devices: [(id: DeviceID, aliases: [DeviceID])] {
        let all = DeviceCatalog.scan(.identity, of: capability).map { (id: $0.id, aliases: $0.aliases) }
        guard case .id(let id) = device else { return all }
        return [all.first { $0.id == id } ?? (id: id, aliases: [])]
    }
}
