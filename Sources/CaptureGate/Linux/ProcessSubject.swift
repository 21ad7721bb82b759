import Gate
import GateStore
import LinuxSystem

/// Reads user, program, unit and session of a process from /proc. A hostile process can show another program's path there.
///
/// *thread-safe*
public enum ProcessSubject {
    /// The calling process.
    ///
    /// - Parameter known: program files that were read before. This program's file is not read again if it is among them,
    ///   unchanged.
    /// - Throws: `.unavailable` if /proc can't be read; nobody may capture then.
    public static func current(known: [Executable] = []) throws(CaptureError) -> Subject {
        Subject(
            userID: Users.effectiveID, groupIDs: Users.groupIDs, executable: try executable(known),
            application: CgroupApplication.application(cgroup: ProcessFile.text("/proc/self/cgroup") ?? ""),
            session: try session())
    }

    /// Another process of this machine, by its id. The caller makes sure that it lives, so that the id is not reused.
    ///
    /// - Throws: `.notAuthorized` if its program can't be identified, as for one that hides itself (PR_SET_DUMPABLE).
    package static func of(process: Int32, known: [Executable] = []) throws(CaptureError) -> Subject {
        guard let user = ProcessFile.status("Uid", of: process).last,
            let path = ProcessFile.link("/proc/\(process)/exe")
        else {
            throw CaptureError(
                .notAuthorized, "The program of process \(process) is unknown.",
                remedies: [Remedy("Start it from a program that /proc shows.")])
        }
        return Subject(
            userID: user, groupIDs: ProcessFile.status("Groups", of: process),
            executable: try ProgramFile.read(opening: "/proc/\(process)/exe", named: path, known),
            application: CgroupApplication.application(cgroup: ProcessFile.text("/proc/\(process)/cgroup") ?? ""),
            session: try session(of: process))
    }

    /// The program file at a path, as `grant --to` needs it.
    ///
    /// - Parameters:
    ///   - path: absolute, or relative to the working directory; links are followed.
    ///   - known: program files that were read before: this one is not read again if it is among them, unchanged.
    /// - Throws: `.noDevice` never; `.usage` if there is no such file or it can't be read.
    public static func executable(at path: String, known: [Executable] = []) throws(CaptureError) -> Executable {
        let real: String
        do throws(Errno) {
            real = try FileSystem.realPath(of: path)
        } catch {
            throw ProgramFile.unreadable(path, error)
        }
        return try ProgramFile.read(opening: real, named: real, known)
    }

    /// The same program as this process sees it, where root alone can change it: no other program's word for that counts.
    ///
    /// - Parameter told: path, inode and bytes, as another program tells them.
    /// - Returns: `nil` if somebody else can change the file, or it is another one by now.
    package static func executable(ofRootAlone told: Executable) -> Executable? {
        // Looked at before it is opened: at the path of another program's choice may be a pipe.
        guard case .success(let status) = FileStatus.ofLink(told.path), status.kind == .file,
            ProgramFile.isOfRootAlone(status, at: told.path),
            let here = try? ProgramFile.read(opening: told.path, named: told.path, []), here == told, here.isOfRootAlone
        else { return nil }
        return here
    }

    /// Opened through /proc, so that it is the running file even where its path has been replaced since.
    private static func executable(_ known: [Executable]) throws(CaptureError) -> Executable {
        guard let path = ProcessFile.link("/proc/self/exe") else {
            throw CaptureError(
                .unavailable, "This program can't be identified: /proc/self/exe can't be read.",
                remedies: [Remedy("Mount /proc.")])
        }
        return try ProgramFile.read(opening: "/proc/self/exe", named: path, known)
    }

    /// - Parameter process: 0 for this one.
    private static func session(of process: Int32 = 0) throws(CaptureError) -> LoginSession {
        guard let bootID = ProcessFile.bootID else {
            throw CaptureError(
                .unavailable, "The current boot can't be identified: /proc can't be read.",
                remedies: [Remedy("Mount /proc.")])
        }
        let leader = ProcessStart.sessionLeader(of: process)
        let ticks = leader > 0 ? ProcessFile.startTicks(of: "\(leader)") ?? 0 : 0
        return LoginSession(leader: leader, startTicks: ticks, bootID: bootID)
    }
}

/// Reads the file a program is in.
enum ProgramFile {
    /// A file that was changed less long ago may change again and keep its times: the clock of a file system ticks, on some
    /// only every two seconds. Nanoseconds.
    private static let grain: Int64 = 2_000_000_000

    /// - Parameters:
    ///   - name: its path for people.
    ///   - known: files that were read before.
    ///   - now: nanoseconds since 1970.
    static func read(
        opening path: String, named name: String, _ known: [Executable],
        now: Int64 = SystemClock.realtime.now
    ) throws(CaptureError) -> Executable {
        let file: FileDescriptor
        do throws(Errno) {
            file = try FileDescriptor(opening: path, .readOnly)
        } catch {
            throw unreadable(name, error)
        }
        let status = try status(of: file, named: name)
        guard status.kind == .file else {
            throw CaptureError(.usage, "\(name) is not a program file.")
        }
        let stamp = stamp(status, at: name, now)
        if let stamp, let same = known.first(where: { $0.stamp == stamp }) {
            return Executable(path: name, inode: status.inode, sha256: same.sha256, stamp: stamp)
        }
        let digest = try SHA256.digest(ofFile: file)
        let isSame = try self.stamp(self.status(of: file, named: name), at: name, now) == stamp
        return Executable(path: name, inode: status.inode, sha256: digest, stamp: isSame ? stamp : nil)
    }

    static func unreadable(_ path: String, _ errno: Errno) -> CaptureError {
        CaptureError(
            .usage, "The program \(path.visible) can't be read: \(errno.text).",
            errno: errno.number, remedies: [Remedy("Name a program file that you can read.")])
    }

    /// Status of the open file: by now its path may name another one.
    private static func status(of file: borrowing FileDescriptor, named name: String) throws(CaptureError) -> FileStatus
    {
        try FileStatus.of(file).mapError { unreadable(name, $0) }.get()
    }

    /// A change of any byte of a file changes its `st_ctim`, which no program can set: inode(7).
    private static func stamp(_ status: FileStatus, at path: String, _ now: Int64) -> String? {
        guard now - grain > max(status.changedNanoseconds, status.modifiedNanoseconds) else { return nil }
        let mark = isOfRootAlone(status, at: path) ? Executable.rootMark : ""
        return "\(status.device) \(status.inode) \(status.size) \(status.modifiedNanoseconds) "
            + "\(status.changedNanoseconds)\(mark)"
    }

    /// True if only root can change the file, and the file that is at its path here: a process may see other files at the same
    /// path.
    static func isOfRootAlone(_ status: FileStatus, at path: String) -> Bool {
        guard isOfRoot(status), case .success(let here) = FileStatus.ofLink(path), here.isSameFile(as: status),
            path.hasPrefix("/"), seesAllUsers
        else { return false }
        var folder = path[...]
        while let slash = folder.lastIndex(of: "/") {
            folder = folder[..<slash]
            guard case .success(let status) = FileStatus.ofLink(folder.isEmpty ? "/" : String(folder)),
                status.kind == .directory, isOfRoot(status)
            else { return false }
        }
        return true
    }

    /// By its owner and mode; the mode of a file with an access list shows what that allows at most: acl(5).
    private static func isOfRoot(_ status: FileStatus) -> Bool { status.owner == 0 && !status.isWritableByOthers }

    /// True outside of user namespaces, within which anybody may be root: user_namespaces(7).
    private static let seesAllUsers =
        (ProcessFile.text("/proc/self/uid_map") ?? "").split(whereSeparator: \.isWhitespace) == [
            "0", "0", "4294967295",
        ]
}

/// Finds the Flatpak, snap or systemd unit in a cgroup path.
enum CgroupApplication {
    /// - Parameter cgroup: the text of `/proc/PID/cgroup`; the line of the unified hierarchy, `0::/…`, counts.
    /// - Returns: the innermost unit, `nil` if the path names none.
    static func application(cgroup: String) -> ApplicationID? {
        guard let line = cgroup.split(separator: "\n").first(where: { $0.hasPrefix("0::") }) else { return nil }
        let units = line.dropFirst(3).split(separator: "/").reversed()
        return units.lazy.compactMap { application(unit: String($0)) }.first
    }

    private static func application(unit: String) -> ApplicationID? {
        if let name = between(unit, "app-flatpak-", "-") { return ApplicationID(kind: .flatpak, name: unescape(name)) }
        if let name = between(unit, "snap.", ".") { return ApplicationID(kind: .snap, name: name) }
        return unit.hasSuffix(".service") ? ApplicationID(kind: .unit, name: unit) : nil
    }

    /// systemd writes a hyphen inside a name as `\x2d`, so the next plain one ends it.
    private static func between(_ text: String, _ prefix: String, _ end: Character) -> String? {
        guard text.hasPrefix(prefix) else { return nil }
        let rest = text.dropFirst(prefix.count)
        return rest.firstIndex(of: end).map { String(rest[..<$0]) }
    }

    private static func unescape(_ text: String) -> String {
        text.split(separator: "\\x2d", omittingEmptySubsequences: false).joined(separator: "-")
    }
}
