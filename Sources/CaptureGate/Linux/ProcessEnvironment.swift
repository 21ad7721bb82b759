/// The environment variables of this process, read from the kernel: `getenv` races with `setenv` of other threads.
enum ProcessEnvironment {
    /// As the process was started.
    static var current: [String: String] {
        let text = SmallFile.bytes("/proc/self/environ", limit: 1 << 20) ?? []
        return text.split(separator: 0).reduce(into: [:]) { variables, entry in
            let parts = entry.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return }
            variables[String(decoding: parts[0], as: UTF8.self)] = String(decoding: parts[1], as: UTF8.self)
        }
    }
}
