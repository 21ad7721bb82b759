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
    static func holdings(of node: String) -> [Holding] { holdings(of: [node])[node] ?? [] }

    /// The same for many nodes, with one walk through /proc.
    ///
    /// - Returns: nothing for a node that nobody holds.
    static func holdings(of nodes: [String]) -> [String: [Holding]] {
        var numbers: [String: UInt64] = [:]
        for node in nodes {
            var status = cs_file_status()
            if cs_stat(node, &status) >= 0, isCharacterDevice(status) { numbers[node] = status.raw_device }
        }
        let found = holdings(ofDevices: Set(numbers.values.filter { !isUnused($0) }))
        return numbers.compactMapValues { found[$0] }
    }

    /// - Parameter device: the kernel's number of a character device.
    static func holdings(ofDevice device: UInt64) -> [Holding] { holdings(ofDevices: [device])[device] ?? [] }

    private static func holdings(ofDevices devices: Set<UInt64>) -> [UInt64: [Holding]] {
        guard !devices.isEmpty else { return [:] }
        let own = cs_getpid()
        let others = SmallFile.names(in: "/proc").compactMap { Int32($0) }.filter { $0 != own }
        return others.reduce(into: [:]) { found, process in
            let aliases = aliases(of: devices, in: process)
            guard !aliases.isEmpty else { return }
            let command = SmallFile.text("/proc/\(process)/comm") ?? "?"
            let holder = DeviceHolder(processID: process, command: VisibleText.of(command))
            let mapped = mapped(by: process)
            for (device, aliases) in aliases {
                let holding = Holding(holder: holder, hasBuffers: !aliases.isDisjoint(with: mapped))
                found[device, default: []].append(holding)
            }
        }
    }

    /// Whether the kernel says that nobody uses any node of the device's driver: an open node holds its module. Spares the
    /// walk through all processes, which on a desktop looks at ten thousand descriptors.
    ///
    /// False where the driver is built in or the device has none.
    private static func isUnused(_ device: UInt64) -> Bool {
        var (major, minor): (UInt32, UInt32) = (0, 0)
        cs_device_numbers(device, &major, &minor)
        return SmallFile.text("/sys/dev/char/\(major):\(minor)/device/driver/module/refcnt") == "0"
    }

    private static func aliases(of devices: Set<UInt64>, in process: Int32) -> [UInt64: Set<Alias>] {
        // The kernel's own threads have neither a program nor descriptors, and are half of all there are.
        guard SmallFile.link("/proc/\(process)/exe") != nil else { return [:] }
        return SmallFile.names(in: "/proc/\(process)/fd").reduce(into: [:]) { aliases, number in
            let descriptor = "/proc/\(process)/fd/\(number)"
            // The link's text is cheap and rules most descriptors out; the device number decides.
            guard let path = SmallFile.link(descriptor), path.hasPrefix("/") else { return }
            var status = cs_file_status()
            guard cs_stat(descriptor, &status) >= 0, isCharacterDevice(status), devices.contains(status.raw_device)
            else { return }
            aliases[status.raw_device, default: []].insert(Alias(inode: status.inode, path: path))
        }
    }

    /// A line of /proc/PID/maps has no device number, only inode and path: proc_pid_maps(5).
    private static func mapped(by process: Int32) -> Set<Alias> {
        guard let maps = SmallFile.text("/proc/\(process)/maps", limit: 4 << 20) else { return [] }
        return maps.split(separator: "\n").reduce(into: []) { aliases, line in
            let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            guard fields.count > 5, let inode = UInt64(fields[4]) else { return }
            aliases.insert(Alias(inode: inode, path: String(fields[5].drop { $0 == " " })))
        }
    }

    private static func isCharacterDevice(_ status: cs_file_status) -> Bool {
        status.mode & UInt32(CS_MODE_KIND) == UInt32(CS_MODE_CHARACTER)
    }
}
