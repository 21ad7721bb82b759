import Dispatch
import Gate
import LinuxSystem

/// The administrator's rules: the files `*.yaml` of a directory.
///
/// A file is a version and a list of rules:
///
/// ```yaml
/// version: 1
/// rules:
///   - allow: microphone             # or deny, or ask: microphone, camera, any, or a list of them
///     level: meter                  # meter or record of a microphone, still or video of a camera
///     device: usb-0d8c_C-Media-01   # an id that `capturegate devices` shows
///     user: [alice, 1002]           # by name or number
///     group: audio
///     executable: /usr/bin/memo     # or unit: memo.service, flatpak: org.example.Memo, snap: memo
///     until: 2027-01-31T18:00:00Z   # the rule holds before this moment
///   - deny: any
///     reason: "This machine does not record."
/// ```
///
/// Files are read in the order of the bytes of their names, rules from the top down. The first rule decides whose conditions
/// all match; a missing condition always matches, and a list matches with any of its words. A `level` in `allow` includes the
/// lower levels, in `deny` and `ask` the higher ones. `ask` leaves the decision to the person, as do a query that no rule
/// matches and a directory that never existed.
///
/// The date of a `deny` is judged by the present clock; that of an `allow` also by the latest time that the store has seen, so
/// that setting the clock back revives nothing. Where the two differ, an `ask` allows nothing either.
///
/// Anything unintelligible allows nobody anything: one unknown key, wrong type, duplicate key, anchor, unknown name or bad date
/// in any file, a file of another ending than `.yaml`, a file or directory that is unreadable or that others than its owner may
/// write, an owner other than root, a file that is a symbolic link, a link to a missing directory, a directory that vanished
/// while this program runs, a file longer than 128 KiB. Leftovers of editors and packages are ignored: names that begin with a
/// dot or end in `~`, `.dpkg-old` and its like, README. So write a new file as `.new` and rename it into place: a reader then
/// never sees half of it.
///
/// *thread-safe*
package final class PolicyDirectory: PolicySource {
    /// `/etc/capturegate/policy.d`
    package static let standardPath = "/etc/capturegate/policy.d"

    package let path: String
    private let owners: Set<UInt32>
    private let reading: Locked<PolicyReading>
    private let watch = Locked<PolicyWatch?>(nil)

    /// - Parameter path: absolute. In a directory other than the standard one, files of this user are trusted as well as
    ///   root's.
    package convenience init(path: String = PolicyDirectory.standardPath) {
        self.init(path: path, owners: path == PolicyDirectory.standardPath ? [0] : [0, Users.effectiveID])
    }

    /// - Parameter owners: trusted owners of files.
    init(path: String, owners: Set<UInt32>) {
        self.path = path
        self.owners = owners
        reading = Locked(PolicyReading(of: PolicyListing(at: path, owners: owners), at: path, wasThere: false))
    }

    package func verdict(for subject: Subject, on query: PolicyQuery) -> PolicyVerdict {
        let reading = current()
        if let first = reading.diagnostics.first { return .deny(unreadable(first, of: reading.diagnostics.count)) }
        return verdict(of: reading.rules.filter { $0.matches(subject, query) }, on: query)
    }

    /// The verdict of the first matching rule that is in force. In doubt, a denial is in force and a permission is not, and an
    /// `ask` keeps later rules from allowing.
    private func verdict(of rules: [PolicyRule], on query: PolicyQuery) -> PolicyVerdict {
        var mustAsk = false
        for rule in rules {
            let isInForce = rule.isInForce(query)
            if isInForce == nil, rule.effect == .ask { mustAsk = true }
            guard isInForce ?? (rule.effect == .deny) else { continue }
            return mustAsk && rule.effect == .allow ? .ask : rule.verdict(on: query.capability)
        }
        return .ask
    }

    package func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation {
        watch.withLock { watch in
            let running = watch ?? PolicyWatch(on: path)
            watch = running
            return running.observers.add(handler, keeping: running)
        }
    }

    /// All mistakes; empty if everything was understood or there is no directory.
    package func check() -> [PolicyDiagnostic] { current().diagnostics }

    /// Names in the directory that are no policy: leftovers of editors and packages.
    package var passedOver: [String] { current().folder.passedOver }

    /// A summary of the rules in force.
    package var summary: PolicySummary {
        let reading = current()
        guard reading.diagnostics.isEmpty else { return .unreadable(reading.diagnostics) }
        guard reading.folder.status != nil else { return .none }
        return .rules(reading.rules.count, files: reading.folder.files.map(\.path))
    }

    /// The rules now on the disk. Listing the directory is cheap, and a verdict must not come from old rules.
    private func current() -> PolicyReading {
        reading.withLock { reading in
            let folder = PolicyListing(at: path, owners: owners)
            if folder != reading.folder || reading.mayHaveMissedChange {
                let wasThere =
                    reading.folder.status != nil || reading.hasVanished || !reading.folder.diagnostics.isEmpty
                reading = PolicyReading(of: folder, at: path, wasThere: wasThere)
            }
            return reading
        }
    }

    /// The refusal for everybody, which names the first mistake; `policy check` lists the others.
    private func unreadable(_ first: PolicyDiagnostic, of count: Int) -> Restriction {
        let others = count > 1 ? " (and \(count - 1) more)" : ""
        return Restriction(
            cause: .policyUnreadable(file: first.file),
            reason: "The administrator's policy has errors, so nothing is allowed: \(first)\(others)",
            remedies: [
                Remedy("Ask the administrator to correct \(first.file).", .checkPolicy)
            ])
    }
}

/// Reports every change in a policy directory. It does not compare: two writes may have the same timestamp.
final class PolicyWatch: Sendable {
    let observers = Observers()
    private let watch: DirectoryWatch

    init(on path: String) {
        let queue = DispatchQueue(label: "capturegate.policy.changes", qos: .userInitiated)
        watch = DirectoryWatch(path, on: queue) { [observers] in observers.notify() }
    }
}

/// A summary of the administrator's rules.
///
/// *thread-safe*
package enum PolicySummary: Hashable, Sendable {
    /// No directory: the person decides everything.
    case none
    /// Number of rules, and their files in the order of reading.
    case rules(Int, files: [String])
    /// Rules that can't be read or understood, or have vanished: nothing is allowed.
    case unreadable([PolicyDiagnostic])
}
