import CaptureGate
import GateStore
import Glibc

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

/// What kind of file a program is that was named by its path.
struct GrantedProgram {
    let path: String

    /// A sentence each; empty where it is a program that can ask.
    var notes: [String] {
        var notes: [String] = []
        if access(path, X_OK) != 0 { notes.append("\(path) can't be executed; nothing that runs is this program.") }
        if isScript {
            notes.append(
                "\(path) is a script: to the kernel the program that runs is its interpreter. A grant to that holds "
                    + "for all its scripts.")
        }
        return notes
    }

    private var isScript: Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        var start: [UInt8] = [0, 0]
        return read(file, &start, 2) == 2 && start == Array("#!".utf8)
    }
}
