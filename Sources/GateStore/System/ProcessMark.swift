import CSystem

/// Which process wrote a line, so that it can be told later whether it still runs.
///
/// Standard: proc(5). *thread-safe*
struct ProcessMark: Hashable, Sendable, Codable {
    let id: Int32
    /// Field 22 of `/proc/PID/stat`, clock ticks since boot: ids come back.
    let startTicks: UInt64
    /// The inode of its process namespace, in which the id means it.
    let namespace: UInt64

    /// This process; `nil` where /proc does not say.
    static let current: ProcessMark? = {
        guard let ticks = startTicks(of: "self"), let namespace = ownNamespace else { return nil }
        return ProcessMark(id: cs_getpid(), startTicks: ticks, namespace: namespace)
    }()

    /// Whether it has ended for certain. Of a process of another namespace nobody knows here.
    ///
    /// - Parameter bootID: the boot it was seen in.
    func isGone(since bootID: String) -> Bool {
        guard let current = KernelText.bootID else { return false }
        guard bootID == current else { return true }
        guard namespace == ProcessMark.ownNamespace, ProcessMark.startTicks(of: "self") != nil else { return false }
        return ProcessMark.startTicks(of: "\(id)") != startTicks
    }

    private static var ownNamespace: UInt64? { try? FileStatus.of("/proc/self/ns/pid").get().inode }

    /// Counted after the command's closing parenthesis: the command may hold anything.
    private static func startTicks(of name: String) -> UInt64? {
        guard let stat = KernelText.read("/proc/\(name)/stat"), let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }
}

/// Short texts of the kernel's.
enum KernelText {
    static var bootID: String? { read("/proc/sys/kernel/random/boot_id") }

    /// At most a page, without the last line feed; `nil` where it can't be read.
    static func read(_ path: String) -> String? {
        let opened = cs_open(path, O_RDONLY, 0)
        guard opened >= 0 else { return nil }
        let file = Descriptor(opened)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = cs_read(file.number, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let end = bytes[Int(count) - 1] == UInt8(ascii: "\n") ? Int(count) - 1 : Int(count)
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
