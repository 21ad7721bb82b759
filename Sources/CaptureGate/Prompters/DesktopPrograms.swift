import Gate
import LinuxSystem

/// Programs of the desktop that a person can be led to: a terminal that runs a command, a page of the settings.
///
/// No text is handed to a shell, and none that a shell could take for its own to a terminal: some terminals join the words of a
/// command, and have a shell read them.
///
/// *thread-safe*
struct DesktopPrograms: Sendable {
    /// Environment at the process's start, which the programs get whole: they are the person's own.
    let environment: [String: String]
    /// Directory before all paths; empty for the machine's own.
    let root: String

    /// A terminal that runs a command.
    ///
    /// - Parameter words: the first is an absolute path, or the name of a program of the system.
    /// - Returns: `nil` if there is no terminal, no such program, or a word that is not plain.
    func terminal(running words: [String]) -> ChildProcess? {
        guard hasDisplay, words.allSatisfy({ !$0.isEmpty && ShellQuote.word($0) == $0 }),
            let program = words.first.flatMap(executable)
        else { return nil }
        let command = [program] + words.dropFirst()
        for (name, options) in terminals {
            guard let path = executable(name) else { continue }
            return ChildProcess(path: path, arguments: options + command, environment: environment)
        }
        return nil
    }

    /// Terminals in the order in which they are tried, each with its options before a command: the proposed standard's, the
    /// person's own choice, and Debian's, which has xterm's options by policy.
    private var terminals: [(name: String, options: [String])] {
        let own = environment["TERMINAL"].map { [($0, ["-e"])] } ?? []
        return [("xdg-terminal-exec", [])] + own + [("x-terminal-emulator", ["-e"]), ("xterm", ["-e"])]
    }

    /// The page of the desktop's settings about a capability.
    ///
    /// - Returns: `nil` if the desktop has none.
    func settings(about capability: CapabilityName) -> ChildProcess? {
        guard hasDisplay else { return nil }
        let desktops = Set((environment["XDG_CURRENT_DESKTOP"] ?? "").split(separator: ":"))
        if !desktops.isDisjoint(with: ["GNOME", "Unity", "ubuntu"]) { return gnomePage(about: capability) }
        if desktops.contains("KDE") { return plasmaPage(about: capability) }
        return nil
    }

    /// Newer versions have one page of privacy instead of one for each.
    private func gnomePage(about capability: CapabilityName) -> ChildProcess? {
        guard [.microphone, .camera, .location].contains(capability), let path = executable("gnome-control-center")
        else { return nil }
        let pages = [capability.rawValue, "privacy"]
        guard let page = pages.first(where: { hasEntry("gnome-\($0)-panel") }) else { return nil }
        return ChildProcess(path: path, arguments: [page], environment: environment)
    }

    /// Page about the rights of sandboxed programs, by its newer and its older name; for a microphone also the page about sound.
    private func plasmaPage(about capability: CapabilityName) -> ChildProcess? {
        let pages = ["kcm_app-permissions", "kcm_flatpak"] + (capability == .microphone ? ["kcm_pulseaudio"] : [])
        guard let path = executable("systemsettings"), let page = pages.first(where: hasEntry) else { return nil }
        return ChildProcess(path: path, arguments: [page], environment: environment)
    }

    private func hasEntry(_ name: String) -> Bool {
        FileSystem.allows(.read, to: "\(root)/usr/share/applications/\(name).desktop")
    }

    /// Path of a program, given as an absolute path, or as a name in the system's directories. PATH is not searched, since the
    /// program's caller may have set it.
    private func executable(_ name: String) -> String? {
        if name.hasPrefix("/") { return isProgram(name) ? name : nil }
        guard !name.isEmpty, !name.contains("/"), !name.hasPrefix("-") else { return nil }
        return ["/usr/local/bin", "/usr/bin", "/bin"].lazy.map { "\(root)\($0)/\(name)" }.first(where: isProgram)
    }

    private func isProgram(_ path: String) -> Bool {
        guard case .success(let status) = FileStatus.of(path), status.kind == .file else { return false }
        return FileSystem.allows(.execute, to: path)
    }

    /// X11 or Wayland; a program that is started by ssh or cron has neither.
    private var hasDisplay: Bool {
        ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
    }
}
