import Gate
import LinuxSystem

/// Finds the processes that hold a device node, by its device number, so that an alias of the node is found too.
enum DeviceHolders {
    /// A process's hold on a node.
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

    /// - Returns: holders of the node, except this process. Processes of other users may be hidden.
    static func holdings(of node: String) -> [Holding] { holdings(of: [node])[node] ?? [] }

    /// The same for many nodes, with one walk through /proc.
    ///
    /// - Returns: no entry for an idle node.
    static func holdings(of nodes: [String]) -> [String: [Holding]] {
        var numbers: [String: DeviceNumber] = [:]
        for node in nodes {
            numbers[node] = characterDevice(node)?.node
        }
        let found = holdings(ofDevices: Set(numbers.values.filter { !isUnused($0) }))
        return numbers.compactMapValues { found[$0] }
    }

    /// - Parameter device: the kernel's number of a character device.
    static func holdings(ofDevice device: DeviceNumber) -> [Holding] { holdings(ofDevices: [device])[device] ?? [] }

    private static func holdings(ofDevices devices: Set<DeviceNumber>) -> [DeviceNumber: [Holding]] {
        guard !devices.isEmpty else { return [:] }
        let own = ProcessStart.processID
        let others = ProcessFile.names(in: "/proc").compactMap { Int32($0) }.filter { $0 != own }
        return others.reduce(into: [:]) { found, process in
            let aliases = aliases(of: devices, in: process)
            guard !aliases.isEmpty else { return }
            let command = ProcessFile.text("/proc/\(process)/comm") ?? "?"
            let holder = DeviceHolder(processID: process, command: VisibleText.of(command))
            let mapped = mapped(by: process)
            for (device, aliases) in aliases {
                let holding = Holding(holder: holder, hasBuffers: !aliases.isDisjoint(with: mapped))
                found[device, default: []].append(holding)
            }
        }
    }

    /// True if no node of the device's driver is in use: an open node holds its module. Saves searching all processes, which on a
    /// desktop means ten thousand descriptors.
    ///
    /// False if the driver is built in or the device has none.
    private static func isUnused(_ device: DeviceNumber) -> Bool {
        let (major, minor) = device.parts
        return ProcessFile.text("/sys/dev/char/\(major):\(minor)/device/driver/module/refcnt") == "0"
    }

    private static func aliases(of devices: Set<DeviceNumber>, in process: Int32) -> [DeviceNumber: Set<Alias>] {
        // The kernel's own threads have neither a program nor descriptors, and are half of all there are.
        guard ProcessFile.link("/proc/\(process)/exe") != nil else { return [:] }
        return ProcessFile.names(in: "/proc/\(process)/fd").reduce(into: [:]) { aliases, number in
            let descriptor = "/proc/\(process)/fd/\(number)"
            // The link's text is cheap and rules most descriptors out; the device number decides.
            guard let path = ProcessFile.link(descriptor), path.hasPrefix("/") else { return }
            guard let status = characterDevice(descriptor), devices.contains(status.node) else { return }
            aliases[status.node, default: []].insert(Alias(inode: status.inode, path: path))
        }
    }

    /// A line of /proc/PID/maps has no device number, only inode and path: proc_pid_maps(5).
    private static func mapped(by process: Int32) -> Set<Alias> {
        guard let maps = ProcessFile.text("/proc/\(process)/maps", limit: 4 << 20) else { return [] }
        return maps.split(separator: "\n").reduce(into: []) { aliases, line in
            let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            guard fields.count > 5, let inode = UInt64(fields[4]) else { return }
            aliases.insert(Alias(inode: inode, path: String(fields[5].drop { $0 == " " })))
        }
    }

    /// Status of a node; `nil` for anything but a character device, such as a file in its place.
    private static func characterDevice(_ path: String) -> FileStatus? {
        guard case .success(let status) = FileStatus.of(path), status.kind == .characterDevice else { return nil }
        return status
    }
}

/// A cache of recently idle nodes, so that a request walks through all processes' descriptors once instead of once for each of
/// its questions.
///
/// A busy node is never cached. A node that is taken while it counts as idle is found busy when it is opened.
///
/// *thread-safe*
final class IdleNodeCache: Sendable {
    /// Time that an idle result stays cached, in nanoseconds.
    static let patience: Int64 = 1_000_000_000

    /// Time at which a node was last seen idle, in nanoseconds of `now`.
    private let seen = Locked<[String: Int64]>([:])
    private let now: @Sendable () -> Int64
    private let look: @Sendable ([String]) -> [String: [DeviceHolders.Holding]]

    /// - Parameters:
    ///   - now: nanoseconds of a clock that never goes back.
    ///   - look: returns the holders of the nodes.
    init(
        now: @escaping @Sendable () -> Int64 = { SystemClock.monotonic.now },
        look: @escaping @Sendable ([String]) -> [String: [DeviceHolders.Holding]] = { DeviceHolders.holdings(of: $0) }
    ) {
        self.now = now
        self.look = look
    }

    /// Searches for the holders of all nodes again, cached or not.
    func renew(_ nodes: [String]) -> [String: [DeviceHolders.Holding]] {
        let at = now()
        let holdings = look(nodes)
        seen.withLock { seen in
            for node in nodes { seen[node] = holdings[node] == nil ? at : nil }
        }
        return holdings
    }

    /// Searches for the holders of the nodes that are not cached as idle.
    func holdings(of nodes: [String]) -> [String: [DeviceHolders.Holding]] {
        let now = now()
        let free = seen.withLock { $0.filter { now - $0.value <= Self.patience } }
        let unknown = nodes.filter { free[$0] == nil }
        return unknown.isEmpty ? [:] : renew(unknown)
    }
}
