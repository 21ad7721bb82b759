/// Small text files that the kernel generates from its state, in /proc and /sys.
///
/// Standard: proc(5), sysfs(5). *thread-safe*
package enum ProcessFile {
    /// Text of a file, without its final line feed.
    ///
    /// - Parameters:
    ///   - path: absolute.
    ///   - limit: maximum number of bytes; the rest is ignored.
    /// - Returns: `nil` if the file can't be read.
    package static func text(_ path: String, limit: Int = 65_536) -> String? {
        bytes(path, limit: limit).map { bytes in
            let end = bytes.last == UInt8(ascii: "\n") ? bytes.count - 1 : bytes.count
            return String(decoding: bytes[..<end], as: UTF8.self)
        }
    }

    /// Bytes of a file.
    ///
    /// - Parameters:
    ///   - path: absolute.
    ///   - limit: maximum number of bytes; the rest is ignored.
    /// - Returns: `nil` if the file can't be read.
    package static func bytes(_ path: String, limit: Int = 65_536) -> [UInt8]? {
        try? FileDescriptor(opening: path, .readOnly).readToEnd(limit: limit)
    }

    /// Names in a directory, without `.` and `..`; none if it can't be read.
    package static func names(in path: String) -> [String] { (try? FileSystem.names(in: path)) ?? [] }

    /// The target of a symbolic link; `nil` if it can't be read.
    package static func link(_ path: String) -> String? { try? FileSystem.target(ofLink: path) }

    /// The random id of this boot.
    package static var bootID: String? { text("/proc/sys/kernel/random/boot_id") }

    /// Start of a process in clock ticks since the boot: ids are reused, but never with the same start.
    ///
    /// - Parameter process: its id, or `self`.
    /// - Returns: `nil` if there is no such process, or /proc can't be read.
    package static func startTicks(of process: String) -> UInt64? {
        text("/proc/\(process)/stat").flatMap(startTicks(stat:))
    }

    /// Field 22 of `/proc/PID/stat`.
    ///
    /// - Parameter stat: the text of that file.
    package static func startTicks(stat: String) -> UInt64? {
        let fields = fields(stat: stat)
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }

    /// True while a process runs that began at a moment: one that has ended is shown until its parent has looked.
    ///
    /// - Parameters:
    ///   - process: its id.
    ///   - ticks: its start in clock ticks since the boot.
    package static func isRunning(_ process: Int32, since ticks: UInt64) -> Bool {
        let fields = text("/proc/\(process)/stat").map(fields(stat:)) ?? []
        return fields.count > 19 && UInt64(fields[19]) == ticks && !["Z", "X"].contains(fields[0])
    }

    /// Values of a field of `/proc/PID/status`, such as `Uid`.
    ///
    /// - Returns: none if there is no such process.
    package static func status(_ field: String, of process: Int32) -> [UInt32] {
        let text = text("/proc/\(process)/status") ?? ""
        let entry = text.split(separator: "\n").first { $0.hasPrefix("\(field):") }
        return (entry ?? "").split(whereSeparator: { $0 == "\t" || $0 == " " }).dropFirst().compactMap { UInt32($0) }
    }

    /// The process that a thread belongs to.
    package static func processID(ofThread thread: Int32) -> Int32? {
        status("Tgid", of: thread).first.map { Int32(bitPattern: $0) }
    }

    /// Children of each process that has any, including those that have ended but whose parent has not collected their status.
    package static func children() -> [Int32: [Int32]] {
        var children: [Int32: [Int32]] = [:]
        for process in names(in: "/proc").compactMap({ Int32($0) }) {
            let fields = text("/proc/\(process)/stat").map(fields(stat:)) ?? []
            if fields.count > 1, let parent = Int32(fields[1]) { children[parent, default: []].append(process) }
        }
        return children
    }

    /// A process and all its descendants whose parents are still alive.
    package static func tree(below root: Int32) -> [Int32] {
        let children = children()
        var tree = [root]
        var next = 0
        while next < tree.count {
            tree += children[tree[next]] ?? []
            next += 1
        }
        return tree
    }

    /// The fields of `/proc/PID/stat` from the third on, counted after the closing parenthesis of the command's name, which may
    /// contain anything.
    ///
    /// - Parameter stat: the text of that file.
    package static func fields(stat: String) -> [Substring] {
        guard let end = stat.lastIndex(of: ")") else { return [] }
        return stat[stat.index(after: end)...].split(separator: " ")
    }

    /// The variables of an environment; the first of equal names counts, as with getenv(3).
    ///
    /// - Parameter environ: the bytes of `/proc/PID/environ`: `NAME=value`, each ended by a zero.
    package static func variables(environ: [UInt8]) -> [String: String] {
        environ.split(separator: 0).reduce(into: [:]) { variables, entry in
            guard let sign = entry.firstIndex(of: UInt8(ascii: "=")) else { return }
            let name = String(decoding: entry[..<sign], as: UTF8.self)
            guard variables[name] == nil else { return }
            variables[name] = String(decoding: entry[(sign + 1)...], as: UTF8.self)
        }
    }
}

/// Identity of a process over time, to check later whether it still runs.
///
/// Standard: proc(5). *thread-safe*
package struct ProcessMark: Hashable, Sendable, Codable {
    package let id: Int32
    /// Field 22 of `/proc/PID/stat`, clock ticks since the boot.
    package let startTicks: UInt64
    /// The inode of the process namespace to which the id belongs.
    package let namespace: UInt64

    package init(id: Int32, startTicks: UInt64, namespace: UInt64) {
        self.id = id
        self.startTicks = startTicks
        self.namespace = namespace
    }

    /// This process; `nil` if /proc can't be read.
    package static let current: ProcessMark? = {
        guard let ticks = ProcessFile.startTicks(of: "self"), let namespace = ownNamespace else { return nil }
        return ProcessMark(id: ProcessStart.processID, startTicks: ticks, namespace: namespace)
    }()

    /// True if it has certainly ended; false for a process of another namespace, which can't be checked here.
    ///
    /// - Parameter bootID: the boot in which it was seen.
    package func isGone(since bootID: String) -> Bool {
        guard let current = ProcessFile.bootID else { return false }
        guard bootID == current else { return true }
        guard namespace == ProcessMark.ownNamespace, ProcessFile.startTicks(of: "self") != nil else { return false }
        return ProcessFile.startTicks(of: "\(id)") != startTicks
    }

    private static var ownNamespace: UInt64? { try? FileStatus.of("/proc/self/ns/pid").get().inode }
}
