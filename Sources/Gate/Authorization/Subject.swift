/// The program that asks. The machine's own gate reads it from the kernel, never from an argument; a gatekeeper with
/// another one opens no real device.
///
/// *thread-safe*
public struct Subject: Hashable, Sendable, Codable {
    public let userID: UInt32
    public let groupIDs: [UInt32]
    public let executable: Executable
    /// The Flatpak, snap or systemd unit of the process, read from its cgroup, if there is one.
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

/// The sandbox or unit that a process runs in.
///
/// *thread-safe*
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

/// A login session: its leader, the leader's start, and the boot of that start.
///
/// *thread-safe*
public struct LoginSession: Hashable, Sendable, Codable {
    public let leader: Int32
    /// The leader's start time in clock ticks since boot (field 22 of `/proc/PID/stat`).
    public let startTicks: UInt64
    public let bootID: String

    /// True if the session can be distinguished from every other one.
    ///
    /// The kernel shows neither a leader that has ended nor, inside a process namespace, one that is outside of it. Its start is
    /// then 0, and nothing that was granted for "this session" applies.
    public var isIdentified: Bool { leader > 0 && startTicks > 0 }

    public init(leader: Int32, startTicks: UInt64, bootID: String) {
        self.leader = leader
        self.startTicks = startTicks
        self.bootID = bootID
    }
}

extension Subject {
    /// The same program once its login session is over: nothing holds for it that was granted for that session.
    var afterSession: Subject {
        Subject(
            userID: userID, groupIDs: groupIDs, executable: executable, application: application,
            session: LoginSession(leader: 0, startTicks: 0, bootID: session.bootID))
    }
}

/// Tells when login sessions end.
///
/// *thread-safe*
package protocol LoginSessions: Sendable {
    /// True once the session's leader has ended. It may read files of the kernel's.
    func isOver(_ session: LoginSession) -> Bool

    /// Calls `handler` once the session is over, until the observation is released.
    ///
    /// - Returns: `nil` if the end can't be observed; it is then found at the next check.
    func observeEnd(
        of session: LoginSession, _ handler: @escaping @Sendable () -> Void
    ) -> (any ChangeObservation)?
}

/// Login sessions without an end, for a gatekeeper that is not the machine's.
struct EndlessSessions: LoginSessions {
    func isOver(_ session: LoginSession) -> Bool { false }

    func observeEnd(
        of session: LoginSession, _ handler: @escaping @Sendable () -> Void
    ) -> (any ChangeObservation)? { nil }
}

/// Program file as it was when it was read.
///
/// *thread-safe*
public struct Executable: Hashable, Sendable, Codable {
    public let path: String
    public let inode: UInt64
    /// SHA-256 of the file's bytes, 64 lower-case hexadecimal digits.
    public let sha256: String
    /// Data of the kernel about the file, which change whenever its bytes change, so that an unchanged file is not read
    /// again. A mark at the end means that only root can change it. `nil` if the data are not reliable.
    public private(set) var stamp: String?

    /// End of the stamp of a file that root alone could change or replace when it was read.
    package static let rootMark = " root"

    /// True if only root could change or replace the file when it was read: root owns it and all directories above it, and
    /// other users can't write to them. Permissions of such a program stay valid after its updates.
    public var isOfRootAlone: Bool { stamp?.hasSuffix(Self.rootMark) ?? false }

    /// True if a decision about this file applies to the file that is at its path now: the bytes are the same, or only root could
    /// put others there, then and now.
    func isStill(_ other: Executable) -> Bool {
        sha256 == other.sha256 || isOfRootAlone && other.isOfRootAlone
    }

    /// The log does not need the stamp, which says nothing about the bytes.
    private enum CodingKeys: CodingKey {
        case path, inode, sha256
    }

    /// True for the same file with the same bytes; the stamp does not count.
    public static func == (one: Executable, other: Executable) -> Bool {
        one.path == other.path && one.inode == other.inode && one.sha256 == other.sha256
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(path)
        hasher.combine(inode)
        hasher.combine(sha256)
    }

    public init(path: String, inode: UInt64, sha256: String, stamp: String? = nil) {
        self.path = path
        self.inode = inode
        self.sha256 = sha256
        self.stamp = stamp
    }
}

extension Subject {
    /// True if a decision about `self` applies to the process `other`: same user, same path, same sandbox.
    ///
    /// Two Flatpaks or snaps can have the same path inside, so their names must be equal. Among systemd units only a service
    /// counts, and only if the decision names one: scopes come and go with a login.
    func matches(_ other: Subject) -> Bool {
        userID == other.userID && executable.path == other.executable.path
            && sandbox == other.sandbox && (service == nil || service == other.service)
    }

    private var sandbox: ApplicationID? {
        guard let application, application.kind != .unit else { return nil }
        return application
    }

    private var service: String? {
        guard let application, application.kind == .unit, application.name.hasSuffix(".service") else { return nil }
        return application.name
    }
}
