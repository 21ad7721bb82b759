import CSystem
import Gate

/// Finds the processes that hold a device node, by its device number, so that an alias of the node is found too.
enum DeviceHolders {
    /// How a process holds a node.
    struct Holding: Hashable, Sendable {
        let holder: DeviceHolder
        /// It has buffers of the device mapped: it captures, and nobody else can.
        let hasBuffers: Bool
    }

    /// A node under the name it was opened by, which need not be the one it is looked for by.
    private struct Alias: Hashable {
        let inode: UInt64
        let path: String
    }

    /// - Returns: who holds the node, this process left out. Processes of other users may be hidden.
    static func holdings(of node: String) -> [Holding] {
        var status = cs_file_status()
        guard cs_stat(node, &status) >= 0, isCharacterDevice(status) else { return [] }
        return holdings(ofDevice: status.raw_device)
    }

    /// - Parameter device: the kernel's number of a character device.
    static func holdings(ofDevice device: UInt64) -> [Holding] {
        let own = cs_getpid()
        return SmallFile.names(in: "/proc").compactMap { Int32($0) }.filter { $0 != own }.compactMap { process in
            let aliases = aliases(of: device, in: process)
            guard !aliases.isEmpty else { return nil }
            let command = SmallFile.text("/proc/\(process)/comm") ?? "?"
            return Holding(
                holder: DeviceHolder(processID: process, command: VisibleText.of(command)),
                hasBuffers: maps(process, oneOf: aliases))
        }
    }

    private static func aliases(of device: UInt64, in process: Int32) -> Set<Alias> {
        let aliases = SmallFile.names(in: "/proc/\(process)/fd").compactMap { number -> Alias? in
            let descriptor = "/proc/\(process)/fd/\(number)"
            // The link's text is cheap and rules most descriptors out; the device number decides.
            guard let path = SmallFile.link(descriptor), path.hasPrefix("/") else { return nil }
            var status = cs_file_status()
            guard cs_stat(descriptor, &status) >= 0, isCharacterDevice(status), status.raw_device == device else {
                return nil
            }
            return Alias(inode: status.inode, path: path)
        }
        return Set(aliases)
    }

    /// A line of /proc/PID/maps has no device number, only inode and path: proc_pid_maps(5).
    private static func maps(_ process: Int32, oneOf aliases: Set<Alias>) -> Bool {
        guard let maps = SmallFile.text("/proc/\(process)/maps", limit: 4 << 20) else { return false }
        return maps.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            guard fields.count > 5, let inode = UInt64(fields[4]) else { return false }
            let path = fields[5].drop { $0 == " " }
            return aliases.contains { $0.inode == inode && $0.path == path }
        }
    }

    private static func isCharacterDevice(_ status: cs_file_status) -> Bool {
        status.mode & UInt32(CS_MODE_KIND) == UInt32(CS_MODE_CHARACTER)
    }
}
