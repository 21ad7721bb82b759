import CSystem
import Gate
import GateStore

/// Reads from the kernel who a process is.
///
/// *thread-safe*
public enum ProcessSubject {
    /// The calling process.
    ///
    /// - Parameter known: program files that were read before: the own one is not read again if it is among them, unchanged.
    /// - Throws: `.unavailable` where /proc does not tell; nobody may then capture.
    public static func current(known: [Executable] = []) throws(CaptureError) -> Subject {
        Subject(
            userID: cs_geteuid(), groupIDs: groups(), executable: try executable(known),
            application: CgroupApplication.application(cgroup: SmallFile.text("/proc/self/cgroup") ?? ""),
            session: try session())
    }

    /// The program file at a path, as `grant --to` needs it.
    ///
    /// - Parameters:
    ///   - path: absolute, or relative to the working folder; links are followed.
    ///   - known: program files that were read before: this one is not read again if it is among them, unchanged.
    /// - Throws: `.noDevice` never; `.usage` where there is no such file or it can't be read.
    public static func executable(at path: String, known: [Executable] = []) throws(CaptureError) -> Executable {
        var real = [CChar](repeating: 0, count: 4096)
        let length = cs_realpath(path, &real, real.count)
        guard length >= 0 else { throw ProgramFile.unreadable(path, errno: Int32(-length)) }
        let text = String(decoding: real[..<Int(length)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return try ProgramFile.read(opening: text, named: text, known)
    }

    /// Opened through /proc, so that it is the running file even where its path has been replaced since.
    private static func executable(_ known: [Executable]) throws(CaptureError) -> Executable {
        guard let path = SmallFile.link("/proc/self/exe") else {
            throw CaptureError(
                .unavailable, "The kernel does not say which program this is: /proc/self/exe can't be read.",
                remedies: [Remedy("Mount /proc.")])
        }
        return try ProgramFile.read(opening: "/proc/self/exe", named: path, known)
    }

    private static func groups() -> [UInt32] {
        let count = cs_getgroups(nil, 0)
        guard count > 0 else { return [cs_getegid()] }
        var groups = [UInt32](repeating: 0, count: Int(count))
        let got = cs_getgroups(&groups, groups.count)
        return [cs_getegid()] + groups[..<max(0, min(Int(got), groups.count))]
    }

    private static func session() throws(CaptureError) -> LoginSession {
        guard let bootID = SmallFile.text("/proc/sys/kernel/random/boot_id") else {
            throw CaptureError(
                .unavailable, "The kernel does not say which boot this is: /proc can't be read.",
                remedies: [Remedy("Mount /proc.")])
        }
        // 0 where the leader lives outside this process namespace, as with a command run in a container.
        let leader = max(0, cs_getsid(0))
        let ticks = leader > 0 ? SmallFile.text("/proc/\(leader)/stat").flatMap(startTicks) ?? 0 : 0
        return LoginSession(leader: leader, startTicks: ticks, bootID: bootID)
    }

    /// Field 22 of `/proc/PID/stat`, counted after the command's closing parenthesis: the command may hold anything.
    static func startTicks(stat: String) -> UInt64? {
        guard let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }
}
