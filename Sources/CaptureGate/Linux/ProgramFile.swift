import CSystem
import Gate
import GateStore

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
        now: Int64 = cs_clock_ns(Int32(CS_CLOCK_REALTIME))
    ) throws(CaptureError) -> Executable {
        let file = cs_open(path, 0, 0)
        guard file >= 0 else { throw unreadable(name, errno: -file) }
        defer { cs_close(file) }
        let status = try status(of: file, named: name)
        guard status.mode & UInt32(CS_MODE_KIND) == UInt32(CS_MODE_FILE) else {
            throw CaptureError(.usage, "\(name) is not a program file.")
        }
        let stamp = stamp(status, now)
        if let stamp, let same = known.first(where: { $0.stamp == stamp }) {
            return Executable(path: name, inode: status.inode, sha256: same.sha256, stamp: stamp)
        }
        let digest = try SHA256.hex(ofDescriptor: file)
        let isSame = try self.stamp(self.status(of: file, named: name), now) == stamp
        return Executable(path: name, inode: status.inode, sha256: digest, stamp: isSame ? stamp : nil)
    }

    static func unreadable(_ path: String, errno: Int32) -> CaptureError {
        CaptureError(
            .usage, "The program \(QuestionText.visible(path)) can't be read: \(SystemText.error(errno)).",
            errno: errno, remedies: [Remedy("Name a program file that you may read.")])
    }

    private static func status(of file: Int32, named name: String) throws(CaptureError) -> cs_file_status {
        var status = cs_file_status()
        let outcome = cs_fstat(file, &status)
        guard outcome >= 0 else { throw unreadable(name, errno: -outcome) }
        return status
    }

    /// Whoever changes a byte of a file changes its `st_ctim`, which no program can set: inode(7).
    private static func stamp(_ status: cs_file_status, _ now: Int64) -> String? {
        guard now - grain > max(status.ctime_ns, status.mtime_ns) else { return nil }
        return "\(status.device) \(status.inode) \(status.size) \(status.mtime_ns) \(status.ctime_ns)"
    }
}
