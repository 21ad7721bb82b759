/// Who asks. That of the machine's own gate is read from the kernel, never from an argument; a gatekeeper with another one
/// opens no real device.
///
/// *thread-safe*
public struct Subject: Hashable, Sendable, Codable {
    public let userID: UInt32
    public let groupIDs: [UInt32]
    public let executable: Executable
    /// The Flatpak, snap or systemd unit the process runs in, read from its cgroup, where there is one.
    public let application: ApplicationID?
    public let session: LoginSession

    public init(
        userID: UInt32, groupIDs: [UInt32], executable: Executable, application: ApplicationID?, session: LoginSession
    ) {
        self.userID = userID
        self.groupIDs = groupIDs
        self.executable = executable
        self.application = application
        self.session = session
    }
}

/// The sandbox or unit a process runs in.
public struct ApplicationID: Hashable, Sendable, Codable {
    public enum Kind: String, Hashable, Sendable, Codable {
        case flatpak, snap, unit
    }

    public let kind: Kind
    public let name: String

    public init(kind: Kind, name: String) {
        self.kind = kind
        self.name = name
    }
}

/// A session: its leader, when the leader started, and the boot it started in.
public struct LoginSession: Hashable, Sendable, Codable {
    public let leader: Int32
    /// The leader's start time in clock ticks since boot (field 22 of `/proc/PID/stat`).
    public let startTicks: UInt64
    public let bootID: String

    /// Whether the session can be told from every other one.
    ///
    /// The kernel shows neither a leader that has ended nor, inside a process namespace, one that lives outside of it;
    /// its start is then 0, and nothing that was granted for "this session" holds.
    public var isIdentified: Bool { leader > 0 && startTicks > 0 }

    public init(leader: Int32, startTicks: UInt64, bootID: String) {
        self.leader = leader
        self.startTicks = startTicks
        self.bootID = bootID
    }
}
