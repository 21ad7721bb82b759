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

    /// - Returns: who holds the node, this process left out. Processes of other users may be hidden.
    static func holdings(of node: String) -> [Holding] {
        var status = cs_file_status()
        guard cs_stat(node, &status) >= 0, status.mode & UInt32(CS_MODE_KIND) == UInt32(CS_MODE_CHARACTER) else {
            return []
        }
        let own = cs_getpid()
        return SmallFile.names(in: "/proc").compactMap { Int32($0) }.filter { $0 != own }.compactMap { process in
            guard holds(process, device: status.raw_device) else { return nil }
            let command = SmallFile.text("/proc/\(process)/comm") ?? "?"
            return Holding(
                holder: DeviceHolder(processID: process, command: QuestionText.visible(command)),
                hasBuffers: maps(process, inode: status.inode, node: node))
        }
    }

    private static func holds(_ process: Int32, device: UInt64) -> Bool {
        SmallFile.names(in: "/proc/\(process)/fd").contains { number in
            let path = "/proc/\(process)/fd/\(number)"
            // The link's text is cheap and rules most descriptors out; the device number decides.
            guard SmallFile.link(path)?.hasPrefix("/") == true else { return false }
            var status = cs_file_status()
            return cs_stat(path, &status) >= 0 && status.mode & UInt32(CS_MODE_KIND) == UInt32(CS_MODE_CHARACTER)
                && status.raw_device == device
        }
    }

    private static func maps(_ process: Int32, inode: UInt64, node: String) -> Bool {
        guard let maps = SmallFile.text("/proc/\(process)/maps", limit: 4 << 20) else { return false }
        return maps.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            return fields.count > 4 && UInt64(fields[4]) == inode && line.hasSuffix(node)
        }
    }
}
