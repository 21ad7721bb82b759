import CSystem
import Gate
import Glibc

/// The process that holds a lock of questions, as /proc tells: the kernel names nobody for a lock of its kind.
struct QuestionHolder: Hashable, Sendable {
    let processID: Int32
    /// Stopped by a signal, or by a debugger.
    let isStopped: Bool

    /// Finds it among the processes that this user may look at.
    ///
    /// - Parameters:
    ///   - file: the lock file, opened.
    ///   - place: the byte that is locked.
    /// - Returns: `nil` where no process of this machine is seen to hold it.
    static func find(of file: Int32, at place: Int64) -> QuestionHolder? {
        guard case .success(let lock) = FileStatus.of(descriptor: file) else { return nil }
        for name in names(in: "/proc") {
            guard let processID = Int32(name), holds("/proc/\(name)", lock, place) else { continue }
            return QuestionHolder(processID: processID, isStopped: "Tt".contains(state(of: "/proc/\(name)")))
        }
        return nil
    }

    /// Whoever waits for the lock has the file open, too; its holder alone has the lock among what is told of its
    /// descriptor (proc(5), fdinfo).
    private static func holds(_ process: String, _ lock: FileStatus, _ place: Int64) -> Bool {
        names(in: "\(process)/fd").contains { name in
            guard case .success(let status) = FileStatus.of("\(process)/fd/\(name)"),
                status.device == lock.device, status.inode == lock.inode
            else { return false }
            return text("\(process)/fdinfo/\(name)").split(separator: "\n").contains {
                $0.hasPrefix("lock:") && $0.contains("OFDLCK") && $0.hasSuffix(" \(place) \(place)")
            }
        }
    }

    /// A letter; a blank where it is not told. Behind the program's name, which may have anything in it (proc(5), stat).
    private static func state(of process: String) -> Character {
        let told = text("\(process)/stat")
        guard let end = told.lastIndex(of: ")") else { return " " }
        return told[end...].dropFirst(2).first ?? " "
    }

    private static func names(in folder: String) -> [String] {
        var directory: UnsafeMutableRawPointer?
        guard cs_directory_open(folder, &directory) >= 0 else { return [] }
        defer { cs_directory_close(directory) }
        var names: [String] = []
        var entry = cs_directory_entry()
        while cs_directory_next(directory, &entry) == 1 {
            let name = withUnsafeBytes(of: entry.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name.first?.isNumber == true { names.append(name) }
        }
        return names
    }

    private static func text(_ path: String) -> String {
        let opened = cs_open(path, O_RDONLY, 0)
        guard opened >= 0 else { return "" }
        let file = Descriptor(opened)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = cs_read(file.number, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<Int(count)], as: UTF8.self) : ""
    }
}
