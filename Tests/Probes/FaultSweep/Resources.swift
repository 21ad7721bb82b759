import Glibc

/// What this process holds: descriptors, mappings, threads, files.
struct Resources: CustomStringConvertible {
    let descriptors: [String]
    /// Mappings of files, devices and memory descriptors.
    let mappings: [String]
    /// Mappings of nothing: stacks, heaps, great allocations.
    let anonymousMappings: Int
    let threads: Int
    let files: [String]

    init(_ folder: SweptFolder) {
        let mapped = Self.mapped()
        descriptors = Self.targets(in: "/proc/self/fd")
        mappings = mapped.compactMap { $0 }.sorted()
        anonymousMappings = mapped.count { $0 == nil }
        threads = FileNames(in: "/proc/self/task").all.count
        files = FileNames.below(folder.path).filter { !$0.hasPrefix("clips/") } + Self.strays
    }

    /// Resources beyond the earlier ones. Threads and anonymous memory are compared over the whole sweep: Dispatch keeps idle
    /// threads, with their stacks, for the next block.
    func surplus(since before: Resources) -> [String] {
        Self.surplus(descriptors, before.descriptors) + Self.surplus(mappings, before.mappings)
            + Self.surplus(files, before.files)
    }

    var description: String {
        "\(descriptors.count) descriptors, \(mappings.count) mappings and \(anonymousMappings) anonymous ones, "
            + "\(threads) threads, \(files.count) files"
    }

    /// Files outside the directory for temporary files. Other processes write there, too, so ours are recognized by their names:
    /// by this process's number in it, or by libv4l's.
    private static var strays: [String] {
        // Read once: there are many names, and a system call takes long in the kernel rig.
        let number = "\(getpid())"
        return ["/tmp", "/var/tmp", "/dev/shm"].flatMap { folder in
            FileNames(in: folder, with: ["libv4l", number]).all
                .filter { $0.contains("libv4l") || isNumbered($0, number) }.map { "\(folder)/\($0)" }
        }
    }

    /// True if a number is in a name by itself.
    private static func isNumbered(_ name: String, _ number: String) -> Bool {
        name.split { !$0.isLetter && !$0.isNumber }.contains { $0 == number }
    }

    private static func surplus(_ now: [String], _ before: [String]) -> [String] {
        var rest = now
        for name in before { if let at = rest.firstIndex(of: name) { rest.remove(at: at) } }
        return rest
    }

    /// Targets of the links in a directory, without the numbers of sockets and pipes.
    private static func targets(in folder: String) -> [String] {
        FileNames(in: folder).all.compactMap { name in
            var text = [CChar](repeating: 0, count: 512)
            let count = readlink("\(folder)/\(name)", &text, text.count)
            guard count > 0 else { return nil }
            let target = String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if target.hasPrefix("/proc/") { return nil }
            return target.hasPrefix("/") ? target : target.filter { !$0.isNumber }
        }.sorted()
    }

    /// Mapped files, in the order of addresses; `nil` for an anonymous mapping. Read in C: a debug build takes long for
    /// characters, and this is called thousands of times.
    private static func mapped() -> [String?] {
        guard let file = fopen("/proc/self/maps", "re") else { return [] }
        defer { fclose(file) }
        var (line, room) = (UnsafeMutablePointer<CChar>?.none, 0)
        defer { free(line) }
        var found: [String?] = []
        while getline(&line, &room, file) > 0, let line {
            line[strcspn(line, "\n")] = 0
            found.append(strchr(line, Int32(UInt8(ascii: "/"))).map { String(cString: $0) })
        }
        return found
    }
}

extension Resources {
    /// Threads of this process whose policy is another than the usual one. One that has ended meanwhile has none.
    static var realtimeThreads: Int {
        FileNames(in: "/proc/self/task").all.count { task in
            pid_t(task).map { sched_getscheduler($0) & ~resetOnFork > SCHED_OTHER } ?? false
        }
    }

    /// SCHED_RESET_ON_FORK, a flag beside the policy.
    private static let resetOnFork: Int32 = 0x4000_0000
}
