import CaptureGate
import LinuxSystem

/// System to secure: the running one, or one below a directory.
struct TargetSystem {
    /// Root directory, without a slash at the end; empty for the running system.
    let prefix: String

    private static let socket = "capturegated.socket"
    private static let subsystems = ["video4linux", "media", "sound"]

    /// True if a change has already been made.
    ///
    /// - Throws: `.fileExists` if there is another file in its place.
    func has(_ change: SystemChange) throws(CaptureError) -> Bool {
        switch change {
        case .user: return hasUser
        case .folder(let path):
            if case .success(let status) = FileStatus.of(prefix + path) { return status.kind == .directory }
            return false
        case .file(let path, let bytes, _):
            guard case .success = FileStatus.ofLink(prefix + path) else { return false }
            guard ProcessFile.bytes(prefix + path, limit: 256 << 20) == bytes else {
                throw .unwritten(prefix + path, .fileExists)
            }
            return true
        }
    }

    /// True if the result of a change is still unmodified.
    func isStill(_ change: SystemChange) -> Bool { (try? has(change)) == true }

    private var hasUser: Bool {
        let users = ProcessFile.text(prefix + "/etc/passwd", limit: 16 << 20) ?? ""
        return users.split(separator: "\n").contains { $0.hasPrefix(SecurePlan.user + ":") }
    }

    private var hasGroup: Bool {
        let groups = ProcessFile.text(prefix + "/etc/group", limit: 16 << 20) ?? ""
        return groups.split(separator: "\n").contains { $0.hasPrefix(SecurePlan.user + ":") }
    }

    func make(_ change: SystemChange) throws(CaptureError) {
        switch change {
        case .user: try makeUser()
        case .folder(let path): _ = try WholeFile.makeFolder(prefix + path)
        case .file(let path, let bytes, let mode):
            _ = try WholeFile.makeFolder(prefix + "/" + path.split(separator: "/").dropLast().joined(separator: "/"))
            try WholeFile(path: prefix + path, mode: mode).write(bytes)
        }
    }

    /// Undoes a change. A directory that is not empty stays.
    func takeBack(_ change: SystemChange) throws(CaptureError) {
        switch change {
        case .user:
            try call("/usr/sbin/userdel", at(prefix) + [SecurePlan.user])
            if hasGroup { try call("/usr/sbin/groupdel", at(prefix) + [SecurePlan.user]) }
        case .folder(let path): try? FileSystem.removeDirectory(prefix + path)
        case .file(let path, _, _):
            do throws(Errno) { try FileSystem.remove(prefix + path) } catch { throw .unwritten(prefix + path, error) }
        }
    }

    private func makeUser() throws(CaptureError) {
        let group = hasGroup ? ["--gid", SecurePlan.user] : ["--user-group"]
        try call(
            "/usr/sbin/useradd",
            at(prefix) + ["--system"] + group
                + [
                    "--home-dir", "/var/lib/capturegate", "--no-create-home", "--shell", "/usr/sbin/nologin",
                    SecurePlan.user,
                ])
    }

    private func at(_ prefix: String) -> [String] { prefix.isEmpty ? [] : ["--prefix", prefix] }

    // MARK: The running system

    private var runsSystemd: Bool { prefix.isEmpty && isThere("/run/systemd/system") }
    private var runsUdev: Bool { prefix.isEmpty && isThere("/run/udev/control") }

    private func isThere(_ path: String) -> Bool { if case .success = FileStatus.of(path) { true } else { false } }

    /// Applies the installed files to the running system.
    func activate(_ isDry: Bool, _ tell: (String) throws -> Void) throws {
        if runsSystemd, isThere("/etc/systemd/system/\(Self.socket)") || isDry {
            try tell("Start the broker's socket")
            if !isDry {
                try call("/usr/bin/systemctl", ["daemon-reload"])
                try call("/usr/bin/systemctl", ["enable", "--now", Self.socket])
            }
        }
        try reload(isDry, tell)
    }

    /// Stops the broker before its units are removed.
    func deactivate(_ isDry: Bool, _ changes: [SystemChange], _ tell: (String) throws -> Void) throws {
        guard runsSystemd, changes.contains(where: { $0.path.hasSuffix(Self.socket) }) else { return }
        try tell("Stop the broker")
        if !isDry { try call("/usr/bin/systemctl", ["disable", "--now", Self.socket, "capturegated.service"]) }
    }

    /// Makes udev apply the present rules to all device nodes.
    func reload(_ isDry: Bool, _ tell: (String) throws -> Void) throws {
        guard runsUdev else { return }
        try tell("Let udev set the permissions of all device nodes")
        guard !isDry else { return }
        try call("/usr/bin/udevadm", ["control", "--reload"])
        try call(
            "/usr/bin/udevadm",
            ["trigger", "--settle", "--action=add"] + Self.subsystems.map { "--subsystem-match=\($0)" })
    }

    private func call(_ path: String, _ arguments: [String]) throws(CaptureError) {
        let child = ChildProcess(
            path: path, arguments: arguments, environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
        let command = ShellQuote.command([path] + arguments)
        let outcome: ChildProcess.Outcome
        do throws(Errno) {
            outcome = try child.run(until: Deadline(after: .seconds(60)), cancel: -1)
        } catch {
            throw CaptureError(
                .unavailable, "\(command) can't be run: \(error.text).", errno: error.number,
                remedies: [Remedy("Install it, and run this again.")])
        }
        guard outcome.ending == .exited(0) else {
            throw CaptureError(
                .unavailable, "\(command) failed: \(outcome.diagnostics.visible)",
                remedies: [Remedy("Fix the problem, and run this again.")])
        }
    }
}

/// File with the changes that were made, so that only those are undone.
struct ChangeRecord {
    private let system: TargetSystem
    private var path: String { system.prefix + "/var/lib/capturegate-secure/changes" }

    init(_ system: TargetSystem) { self.system = system }

    /// Adds a change, durably.
    func note(_ change: SystemChange) throws(CaptureError) {
        _ = try WholeFile.makeFolder(system.prefix + "/var/lib/capturegate-secure", mode: 0o700)
        let before = ProcessFile.text(path, limit: 1 << 20).map { $0 + "\n" } ?? ""
        try WholeFile(path: path, mode: 0o600).write(before + Self.text(change) + "\n")
    }

    /// Changes in the order in which they were made. A file that
    /// was modified since then has no bytes, so it is not removed.
    func changes() throws(CaptureError) -> [SystemChange] {
        let text = ProcessFile.text(path, limit: 1 << 20) ?? ""
        return try text.split(separator: "\n").map { entry throws(CaptureError) -> SystemChange in
            let words = entry.split(separator: " ", maxSplits: 3).map(String.init)
            switch (words.first, words.count) {
            case ("user", 1): return .user
            case ("folder", 2): return .folder(words[1])
            case ("file", 4):
                // Only a file with exactly the bytes that were written is removed.
                let bytes = ProcessFile.bytes(system.prefix + words[1], limit: 256 << 20) ?? []
                let isSame = (try? SHA256.hex(of: bytes)) == words[2]
                return .file(words[1], bytes: isSame ? bytes : [], mode: UInt32(words[3], radix: 8) ?? 0o644)
            default:
                throw CaptureError(
                    .store, "\(path) was changed or is damaged.",
                    remedies: [Remedy("Remove the files that it lists by hand.")])
            }
        }
    }

    /// Removes the record.
    func forget() throws(CaptureError) {
        do throws(Errno) {
            try FileSystem.remove(path)
            try FileSystem.removeDirectory(system.prefix + "/var/lib/capturegate-secure")
        } catch {
            throw .unwritten(path, error)
        }
    }

    private static func text(_ change: SystemChange) -> String {
        switch change {
        case .user: "user"
        case .folder(let path): "folder \(path)"
        case .file(let path, let bytes, let mode):
            "file \(path) \((try? SHA256.hex(of: bytes)) ?? "-") \(String(mode, radix: 8))"
        }
    }
}
