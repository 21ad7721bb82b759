import CaptureGate
import LinuxSystem

/// Limits of a supervised program: Landlock's rules about files, and the filter that reports the rest.
///
/// Landlock alone is what holds: it refuses the gated nodes whatever way they are reached, so that the filter need not see
/// every opening. The filter is there so that the supervisor can answer where Landlock could only refuse.
///
/// Standard: landlock(7), seccomp_unotify(2). *thread-safe*
package struct Boundary: Sendable {
    /// Knows which nodes are closed to the program.
    let nodes: any NodeDirectory
    /// Version of Landlock that the rules are made for.
    let version: Int

    /// - Parameters:
    ///   - nodes: knows the device nodes.
    ///   - version: version of Landlock, normally this kernel's.
    package init(nodes: any NodeDirectory, version: Int = LandlockRuleset.version) {
        self.nodes = nodes
        self.version = version
    }

    /// Pieces that this kernel lacks, a few words each; empty if supervision holds.
    package static var missingPieces: [String] {
        var missing: [String] = []
        let version = LandlockRuleset.version
        if version == 0 {
            missing.append("Landlock, or it is not enabled (lsm=)")
        } else if version < leastVersion {
            missing.append("Landlock \(leastVersion), which can refuse ioctl (Linux 6.10; this kernel has \(version))")
        }
        if !CallListener.isSupported { missing.append("reports of system calls to a supervisor (Linux 5.14)") }
        return missing
    }

    /// The first that refuses ioctl: without it an open node elsewhere could be streamed from.
    private static let leastVersion = 5
    /// The version with scopes.
    private static let scopeVersion = 6

    // MARK: Landlock

    /// Rules for the guard, so that its signals reach only the program; `nil` if the kernel can't enforce them.
    func scope() throws(Errno) -> LandlockRuleset? {
        guard version >= Self.scopeVersion else { return nil }
        return try LandlockRuleset(handling: [], scopes: .signals)
    }

    /// Rules for the program: everything that exists now, except the gated nodes.
    func ruleset() throws(Errno) -> LandlockRuleset {
        let accesses =
            version >= Self.leastVersion ? LandlockAccess.all : LandlockAccess.all.subtracting(.deviceControl)
        let scopes: LandlockScope = version >= Self.scopeVersion ? [.abstractSockets, .signals] : []
        let ruleset = try LandlockRuleset(handling: accesses, scopes: scopes)
        let granted = accesses.subtracting([.makeCharacterDevice, .makeBlockDevice])
        // Listing a directory shows nothing that its nodes deliver.
        try ruleset.allow(.readDirectory, beneath: "/")
        let walk = Walk(
            nodes: nodes, hidden: Self.mounts(of: ["devtmpfs"]).union(["/dev"]),
            // A group of processes can be frozen, and the supervisor with it: it would take nothing back.
            readOnly: Self.mounts(of: ["cgroup", "cgroup2"]), granted: granted)
        for name in ProcessFile.names(in: "/") { try walk.allow("/" + name, in: ruleset) }
        return ruleset
    }

    /// Directories at which file systems of these types are mounted.
    private static func mounts(of types: Set<String>) -> Set<String> {
        let mounts = (ProcessFile.text("/proc/self/mountinfo", limit: 4 << 20) ?? "").split(separator: "\n")
        // Field 5 is the place; the type comes after the lone hyphen: proc_pid_mountinfo(5).
        let places = mounts.compactMap { mount -> String? in
            let words = mount.split(separator: " ")
            guard let hyphen = words.firstIndex(of: "-"), hyphen + 1 < words.count, words.count > 4 else { return nil }
            return types.contains(String(words[hyphen + 1])) ? String(words[4]) : nil
        }
        return Set(places)
    }

    /// A walk that allows whole directories, and enters those with gated nodes.
    private struct Walk {
        /// Knows which nodes get no rule.
        let nodes: any NodeDirectory
        /// Absolute paths of directories whose nodes are checked one by one: /dev, and each file system of nodes elsewhere.
        let hidden: Set<String>
        /// Absolute paths of directories in which nothing may be changed.
        let readOnly: Set<String>
        /// Accesses that a directory gets.
        let granted: LandlockAccess

        /// Adds the rules for a file, or for a directory and everything below it.
        func allow(_ path: String, in ruleset: borrowing LandlockRuleset) throws(Errno) {
            guard case .success(let status) = FileStatus.ofLink(path) else { return }
            switch status.kind {
            case .directory where readOnly.contains(path):
                try grant(granted.intersection(.ofReaders), path, in: ruleset)
            case .directory where isOpened(path):
                for name in ProcessFile.names(in: path) { try allow("\(path)/\(name)", in: ruleset) }
            // Otherwise a node elsewhere, which root once created, could be controlled by anybody who opens it unseen.
            case .directory where !isDevices(path): try grant(granted.subtracting(.deviceControl), path, in: ruleset)
            case .directory: try grant(granted, path, in: ruleset)
            case .characterDevice where nodes.isClosed(status.node): break
            // The target of a link has its own rule, by another name.
            case .link: break
            default: try grant(granted.intersection(.ofFiles), path, in: ruleset)
            }
        }

        /// True for a directory on the way to nodes: their own file systems' roots, their parents, and directories within that
        /// contain nodes, except those that never contain a gated node.
        private func isOpened(_ path: String) -> Bool {
            if hidden.contains(path) || hidden.union(readOnly).contains(where: { $0.hasPrefix(path + "/") }) {
                return true
            }
            guard let root = hidden.first(where: { path.hasPrefix($0 + "/") }) else { return false }
            return !Self.plainFolders.contains(String(path.dropFirst(root.count + 1)))
        }

        /// True for a file system of nodes, and for what lies below its root.
        private func isDevices(_ path: String) -> Bool {
            hidden.contains { path == $0 || path.hasPrefix($0 + "/") }
        }

        // A directory that this user may not open needs no rule.
        private func grant(_ accesses: LandlockAccess, _ path: String, in ruleset: borrowing LandlockRuleset)
            throws(Errno)
        {
            do {
                try ruleset.allow(accesses, beneath: path)
            } catch
                where error == .permissionDenied || error == .noSuchFileOrDirectory
                || error == .noSuchAddressOrDevice || error == .tooManySymbolicLinkLevels
            {}
        }

        /// Separate mounts, in which files are created while the program runs.
        private static let plainFolders: Set<String> = ["shm", "pts", "mqueue", "hugepages", "fd"]
    }

    // MARK: The filter

    /// Which calls are reported and which are refused.
    ///
    /// - Parameter supervisor: the process whose signals are its own where Landlock can't see to that.
    func filter(supervisor: Int32) -> CallFilter {
        var filter = CallFilter()
        // Loaders and interpreters open by the thousand what they only read. A gated node that is opened so is refused by
        // Landlock, without a question.
        let unseen = UInt32(OpenFlags.pathOnly.rawValue | OpenFlags.directory.rawValue)
        let mask = UInt32(3) | UInt32(OpenFlags.closeOnExec.rawValue)
        for (call, flags) in [(SystemCall.open, 1), (.openat, 2)] {
            filter.decide(
                call,
                [
                    (flags, .hasAny(unseen), .allow),
                    (flags, .equals(UInt32(OpenFlags.closeOnExec.rawValue), mask: mask), .allow),
                ], else: .report)
        }
        filter.decide(
            .ioctl,
            [
                (1, .isOne(of: StreamRequest.starting), .report),
                (1, .isOne(of: StreamRequest.refused), .fail(.notPermitted)),
            ], else: .allow)
        for call in [SystemCall.creat, .openat2, .connect] { filter.decide(call, else: .report) }
        // Headsets, whose audio needs no node.
        filter.decide(.socket, [(0, .isOne(of: [Self.bluetooth]), .fail(.addressFamilyNotSupported))], else: .allow)
        // Its calls pass all filters by.
        for call in [SystemCall.ioUringSetup, .ioUringEnter, .ioUringRegister] {
            filter.decide(call, else: .fail(.noFunction))
        }
        reportWhatSlows(in: &filter)
        // It connects without connect(2).
        for (call, flags) in [(SystemCall.sendTo, 3), (.sendMessage, 2), (.sendMessages, 3)] {
            filter.decide(call, [(flags, .hasAny(Self.fastOpen), .fail(.notSupported))], else: .allow)
        }
        if version < Self.scopeVersion { forbidSignals(to: supervisor, in: &filter) }
        return filter
    }

    /// Limits and priorities of other processes. With them a program could end or starve a supervisor of the same user, such as
    /// its guard by a limit of processor time, so that processes which the guard should end continue.
    private func reportWhatSlows(in filter: inout CallFilter) {
        for call in [
            SystemCall.limits, .scheduler, .schedulerParameters, .schedulerAttributes, .affinity,
        ] { filter.decide(call, [(0, .isOne(of: [0]), .allow)], else: .report) }
        for call in [SystemCall.priority, .inputPriority] { filter.decide(call, else: .report) }
    }

    /// MSG_FASTOPEN.
    private static let fastOpen: UInt32 = 0x2000_0000

    /// A supervisor that is stopped takes nothing back.
    private func forbidSignals(to supervisor: Int32, in filter: inout CallFilter) {
        // Its own id, and groups, one of which is the supervisor's: a negative number, or 0.
        let aimed: [(argument: Int, CallFilter.Test, CallFilter.Action)] = [
            (0, .isOne(of: [UInt32(bitPattern: supervisor), 0]), .fail(.notPermitted)),
            (0, .hasAny(0x8000_0000), .fail(.notPermitted)),
        ]
        for call in [SystemCall.kill, .tgkill, .tkill, .signalQueue, .threadSignalQueue, .pidfdOpen] {
            filter.decide(call, aimed, else: .allow)
        }
    }

    /// AF_BLUETOOTH.
    private static let bluetooth: UInt32 = 31

    // MARK: What the program is started with

    /// Inherited open files through which the program could bypass the gate, in words.
    package func inheritedHoles() -> [String] {
        ProcessFile.names(in: "/proc/self/fd").compactMap { Int32($0) }.sorted().compactMap { number in
            let link = ProcessFile.link("/proc/self/fd/\(number)") ?? ""
            // Calls through it are made by the kernel, outside of all rules.
            if link == "anon_inode:[io_uring]" { return "descriptor \(number) is an io_uring" }
            // One of them may be a device.
            if SocketKind.carriesFiles(number) {
                return "descriptor \(number) is a socket with open files in its queue"
            }
            guard case .success(let status) = FileStatus.of(RawDescriptor(number)), status.kind == .characterDevice,
                nodes.isClosed(status.node)
            else { return nil }
            return "descriptor \(number) is \(link.visible)"
        }
    }
}

/// Requests of ioctl(2) that start a stream, or prepare one.
///
/// Standard: linux/videodev2.h, sound/asound.h, sound/compress_offload.h.
enum StreamRequest {
    static let capabilities: UInt32 = 0x8068_5600
    static let streamOn: UInt32 = 0x4004_5612
    static let streamOff: UInt32 = 0x4004_5613
    static let requestBuffers: UInt32 = 0xC014_5608
    static let createBuffers: UInt32 = 0xC100_565C
    static let hardwareParameters: UInt32 = 0xC260_4111
    static let prepare: UInt32 = 0x4140
    static let start: UInt32 = 0x4142
    static let drop: UInt32 = 0x4143
    static let resume: UInt32 = 0x4147
    static let link: UInt32 = 0x4004_4160
    static let compressedResume: UInt32 = 0x4331
    static let compressedStart: UInt32 = 0x4332
    static let compressedStop: UInt32 = 0x4333
    /// TIOCSTI and TIOCLINUX, with which a program types into its terminal, for the shell to read after the program has ended.
    private static let typing: [UInt32] = [0x5412, 0x541C]

    /// The supervisor makes these.
    static let starting = [
        streamOn, requestBuffers, createBuffers, hardwareParameters, prepare, start, resume, compressedStart,
        compressedResume,
    ]
    /// A stream that starts with another one would start unseen.
    static let refused = [link] + typing
}
