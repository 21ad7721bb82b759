import CaptureGate
import GateStore
import LinuxSystem

/// Warnings about a grant that will not help, because something above it says no.
///
/// Without them a person would grant, record, be refused, and not know why.
struct GrantWarnings {
    let subject: Subject
    let decision: Decision
    /// Store after the grant was stored.
    let snapshot: StoreSnapshot
    let now: GateInstant

    private var capability: CapabilityName { decision.capability }

    /// One sentence per warning; empty where the grant counts.
    var notes: [String] {
        var notes: [String] = []
        if snapshot.killSwitches.contains(capability) {
            notes.append(
                "All \(capability) capture is switched off; the grant will not help before "
                    + "'capturegate kill \(capability) --off'.")
        }
        if let seen = snapshot.laterClock(than: now), snapshot.hasRunOut(decision, at: now) {
            notes.append(
                "The store has seen a later clock, \(CivilTime.localText(nanoseconds: seen)), by which this is over already; the "
                    + "grant will not help. If that clock was wrong, forget it with 'capturegate reset --clock', then grant "
                    + "again.")
        }
        if let reason = forbidden { notes.append("The policy forbids it; the grant will not help: \(reason)") }
        return notes
    }

    /// Policy's reason, if it forbids every device that is meant; `nil` if it leaves at least one.
    private var forbidden: String? {
        let policy = PolicyDirectory()
        var reasons: [String] = []
        let devices = devices
        // Devices that are present: a rule may name one of them by any of its aliases.
        for (device, aliases) in devices {
            let query = PolicyQuery(
                capability: capability, level: decision.level, device: device, aliases: aliases, at: now)
            if case .deny(let restriction) = policy.verdict(for: subject, on: query) {
                reasons.append(restriction.reason)
            }
        }
        return reasons.count == devices.count ? reasons.first : nil
    }

    /// Devices that are meant: all present ones, or the named one, present or not.
    private var devices: [(id: DeviceID, aliases: [DeviceID])] {
        let all = DeviceCatalog.scan(.identity, of: capability).map { (id: $0.id, aliases: $0.aliases) }
        guard case .id(let id) = decision.device else { return all }
        return [all.first { $0.id == id } ?? (id: id, aliases: [])]
    }
}

/// Program that a grant names by its path, as the kernel will see it.
struct GrantedProgram {
    let path: String

    /// One sentence per oddity; empty for a program that can ask. A grant to such a file is stored all the
    /// same: it may be mended later.
    var notes: [String] {
        var notes: [String] = []
        if !FileSystem.allows(.execute, to: path) {
            notes.append("\(path) can't be executed; nothing that runs is this program.")
        }
        if isScript {
            notes.append(
                "\(path) is a script: to the kernel the program that runs is its interpreter. A grant to that holds "
                    + "for all its scripts.")
        }
        return notes
    }

    /// True for a script: the file begins with `#!` (execve(2)), so the kernel runs its interpreter, and that
    /// is the subject.
    private var isScript: Bool {
        let start = try? FileDescriptor(opening: path, .nonBlocking).readToEnd(limit: 2)
        return start == Array("#!".utf8)
    }
}
