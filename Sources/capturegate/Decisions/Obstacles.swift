import CaptureGate
import GateStore

/// What stands above a grant, so that it will not help.
struct GrantWarnings {
    let subject: Subject
    let decision: Decision
    let snapshot: StoreSnapshot
    let now: GateInstant

    private var capability: CapabilityName { decision.capability }

    /// A sentence each; empty where the grant counts.
    var notes: [String] {
        var notes: [String] = []
        if snapshot.killSwitches.contains(capability) {
            notes.append(
                "All \(capability) capture is switched off; the grant will not help before "
                    + "'capturegate kill \(capability) --off'.")
        }
        if let seen = snapshot.laterClock(than: now), snapshot.hasRunOut(decision, at: now) {
            notes.append(
                "The store has seen a later clock, \(WallTime.text(nanoseconds: seen)), by which this is over already; the "
                    + "grant will not help. If that clock was wrong, forget it with 'capturegate reset --clock', then grant "
                    + "again.")
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
                capability: capability, level: decision.level, device: device, aliases: aliases, at: now)
            if case .deny(let restriction) = policy.verdict(for: subject, on: query) {
                reasons.append(restriction.reason)
            }
        }
        return reasons.count == devices.count ? reasons.first : nil
    }

    private var devices: [(id: DeviceID, aliases: [DeviceID])] {
        let all = DeviceCatalog.scan(.identity, of: capability).map { (id: $0.id, aliases: $0.aliases) }
        guard case .id(let id) = decision.device else { return all }
        return [all.first { $0.id == id } ?? (id: id, aliases: [])]
    }
}
