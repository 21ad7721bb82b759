import Gate

/// Finds the Flatpak, snap or systemd unit in a cgroup path.
enum CgroupApplication {
    /// - Parameter cgroup: the text of `/proc/PID/cgroup`; the line of the unified hierarchy, `0::/…`, counts.
    /// - Returns: the innermost unit, `nil` where the path names none.
    static func application(cgroup: String) -> ApplicationID? {
        guard let line = cgroup.split(separator: "\n").first(where: { $0.hasPrefix("0::") }) else { return nil }
        let units = line.dropFirst(3).split(separator: "/").reversed()
        return units.lazy.compactMap { application(unit: String($0)) }.first
    }

    private static func application(unit: String) -> ApplicationID? {
        if let name = between(unit, "app-flatpak-", "-") { return ApplicationID(kind: .flatpak, name: unescape(name)) }
        if let name = between(unit, "snap.", ".") { return ApplicationID(kind: .snap, name: name) }
        return unit.hasSuffix(".service") ? ApplicationID(kind: .unit, name: unit) : nil
    }

    /// systemd writes a hyphen inside a name as `\x2d`, so the next plain one ends it.
    private static func between(_ text: String, _ prefix: String, _ end: Character) -> String? {
        guard text.hasPrefix(prefix) else { return nil }
        let rest = text.dropFirst(prefix.count)
        return rest.firstIndex(of: end).map { String(rest[..<$0]) }
    }

    private static func unescape(_ text: String) -> String {
        text.split(separator: "\\x2d", omittingEmptySubsequences: false).joined(separator: "-")
    }
}
