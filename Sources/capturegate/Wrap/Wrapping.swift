import CaptureGate
import LinuxSystem

/// Makes, finds and removes launchers, and the desktop entries that start programs through them.
struct Wrapping {
    let folders: WrapFolders

    /// Everything that was made for one program.
    struct Wrapped {
        let launcher: Launcher
        /// Absolute path of the launcher.
        let path: String
        /// Absolute paths of desktop entries, sorted.
        let entries: [String]

        /// Launcher for programs.
        var json: JSONValue {
            [
                "name": .string(launcher.name), "program": .string(launcher.program), "launcher": .string(path),
                "options": .string(launcher.options), "desktop_entries": .strings(entries),
            ]
        }
    }

    /// Suffix of a person's own desktop entry while a copy
    /// replaces it. Menus read only names that end in `.desktop`.
    private static let kept = ".before-capturegate"

    // MARK: Finding

    /// Existing launchers, sorted by name.
    var launchers: [Launcher] {
        ProcessFile.names(in: folders.launchers).sorted().compactMap { Launcher(at: path($0)) }
    }

    /// All programs that are wrapped.
    var all: [Wrapped] {
        launchers.map { Wrapped(launcher: $0, path: path($0.name), entries: copies(for: $0.name).map(entry)) }
    }

    private func path(_ name: String) -> String { "\(folders.launchers)/\(name)" }
    private func entry(_ id: String) -> String { "\(folders.applications)/\(id)" }

    /// Ids of the copies that were made for a launcher, sorted.
    private func copies(for name: String) -> [String] {
        ProcessFile.names(in: folders.applications).filter { $0.hasSuffix(".desktop") }.sorted()
            .filter { DesktopEntry(at: entry($0))?.launcher == name }
    }

    // MARK: Wrapping

    /// Makes a launcher for a program, replacing an existing one.
    ///
    /// - Parameters:
    ///   - program: name of a program on the PATH, or its path.
    ///   - options: words of `capturegate run`.
    /// - Throws: if the shell would not find the launcher, or
    ///   if another file has its name; nothing is changed then.
    func wrap(_ program: String, options: [String]) throws(CaptureError) -> Wrapped {
        let target = try WrapTarget(program, folders)
        try folders.requireFirst(target.name)
        let path = path(target.name)
        let previous = Launcher(at: path)
        if previous == nil, case .success = FileStatus.ofLink(path) { throw .unwritten(path, .fileExists) }
        let entries = entries(of: target, launcher: path)
        let wanted = [folders.launchers] + (entries.isEmpty ? [] : [folders.applications])
        var made: [String] = []
        for folder in wanted { made += try WholeFile.makeFolder(folder) }
        // Directories that an earlier launcher created are removed with the last launcher.
        made = launchers.flatMap(\.folders).filter { !made.contains($0) } + made
        let launcher = Launcher(
            name: target.name, program: target.path, options: ShellQuote.command(options), folders: unique(made))
        try WholeFile(path: path, mode: 0o755).write(launcher.text(gate: target.gate), isNew: previous == nil)
        for id in copies(for: target.name) where entries[id] == nil { try restore(id) }
        for (id, text) in entries.sorted(by: { $0.key < $1.key }) { try place(text, as: id) }
        return Wrapped(launcher: launcher, path: path, entries: entries.keys.sorted().map(entry))
    }

    private func unique(_ names: [String]) -> [String] {
        names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Copies of all desktop entries that start the program, by their ids.
    private func entries(of target: WrapTarget, launcher: String) -> [String: String] {
        sources.compactMapValues { DesktopEntry(at: $0)?.through(launcher, target.isNamed) }
    }

    /// Paths of all desktop entries in effect, by their ids: this user's own come first, copies are excluded.
    ///
    /// In a subdirectory, an entry's id has hyphens instead of
    /// slashes. A copy with that id takes precedence over the entry.
    private var sources: [String: String] {
        var sources: [String: String] = [:]
        for id in names(in: folders.applications) {
            let path = entry(id)
            guard DesktopEntry(at: path)?.launcher != nil else {
                sources[id] = path
                continue
            }
            if case .success = FileStatus.ofLink(path + Self.kept) { sources[id] = path + Self.kept }
        }
        for folder in folders.systemApplications {
            for name in names(in: folder) {
                let id = name.replacing("/", with: "-")
                if sources[id] == nil { sources[id] = "\(folder)/\(name)" }
            }
        }
        return sources
    }

    /// Names of the desktop entries in a directory, and in its subdirectories.
    private func names(in folder: String) -> [String] {
        ProcessFile.names(in: folder).sorted().flatMap { name -> [String] in
            if name.hasSuffix(".desktop") { return [name] }
            guard folder != folders.applications else { return [] }
            return ProcessFile.names(in: "\(folder)/\(name)").filter { $0.hasSuffix(".desktop") }.map {
                "\(name)/\($0)"
            }
        }
    }

    /// Writes a copy. The person's own entry of that name gets another name first, so it always exists.
    private func place(_ text: String, as id: String) throws(CaptureError) {
        let path = entry(id)
        let isOwn = DesktopEntry(at: path).map { $0.launcher == nil } ?? false
        if isOwn {
            do throws(Errno) {
                try FileSystem.link(path, as: path + Self.kept)
            } catch {
                throw .unwritten(path + Self.kept, error)
            }
        }
        try WholeFile(path: path).write(text)
    }

    // MARK: Unwrapping

    /// Removes a launcher and restores the person's own desktop entries.
    ///
    /// - Throws: `.noDevice` if no such program is wrapped.
    func unwrap(_ name: String) throws(CaptureError) {
        let path = path(name)
        let copies = copies(for: name)
        guard let launcher = Launcher(at: path) else {
            guard !copies.isEmpty else {
                throw CaptureError(
                    .noDevice, "\"\(name.visible)\" is not wrapped.",
                    remedies: [Remedy("List the wrapped programs.", command: "capturegate wrap")])
            }
            for id in copies { try restore(id) }
            return
        }
        // First, so that no menu entry starts a launcher that is gone.
        for id in copies { try restore(id) }
        do throws(Errno) {
            try FileSystem.remove(path)
        } catch {
            throw .unwritten(path, error)
        }
        // Only empty directories can be removed.
        for folder in launcher.folders.reversed() { try? FileSystem.removeDirectory(folder) }
    }

    /// Restores the person's own entry in place of a copy, or removes the copy.
    private func restore(_ id: String) throws(CaptureError) {
        let path = entry(id)
        do throws(Errno) {
            try FileSystem.rename(path + Self.kept, to: path)
        } catch  where error == .noSuchFileOrDirectory {
            do throws(Errno) { try FileSystem.remove(path) } catch { throw .unwritten(path, error) }
        } catch {
            throw .unwritten(path, error)
        }
    }
}

/// Program to wrap, checked for what would keep its launcher from working.
struct WrapTarget {
    /// Absolute path, as the shell finds it without the launcher.
    let path: String
    let name: String
    /// Absolute path of this program.
    let gate: String
    private let search: ProgramSearch

    init(_ program: String, _ folders: WrapFolders) throws(CaptureError) {
        search = folders.search
        var path = try search.path(of: program)
        if let launcher = Launcher(at: path) { path = launcher.program }
        guard ProgramSearch.isProgram(path), case .success(let status) = FileStatus.of(path) else {
            throw CaptureError(
                .noDevice, "\(path.visible) is not a program that this user can execute.",
                remedies: [Remedy("Name a program.")])
        }
        guard let gate = ProcessFile.link("/proc/self/exe"), path == path.visible, gate == gate.visible,
            let name = path.split(separator: "/").last.map(String.init)
        else {
            throw CaptureError(
                .usage, "\(path.visible) can't have a launcher, because its name has control characters.",
                remedies: [Remedy("Rename it.")])
        }
        (self.path, self.name, self.gate) = (path, name, gate)
        if let why = Self.hindrance(path, status, gate) {
            throw CaptureError(
                .usage, "\(path.visible) can't be wrapped: \(why).", remedies: [Remedy("Name another program.")])
        }
    }

    /// Reason in a few words why a program can't be supervised; `nil` if it can.
    private static func hindrance(_ path: String, _ status: FileStatus, _ gate: String) -> String? {
        let real = (try? FileSystem.realPath(of: path)) ?? path
        if real == gate { return "it is the gate itself" }
        // S_ISUID and S_ISGID: supervised programs gain no rights by execve(2).
        if status.permissions & 0o6000 != 0 {
            return "it needs another user's rights (setuid), which 'run' does not allow"
        }
        if real.hasSuffix("/snap") { return "it is a snap, which only snapd can start" }
        return nil
    }

    /// True if the first word of a command means this program, by whatever name.
    func isNamed(_ word: String) -> Bool {
        if word == path { return true }
        guard let found = try? search.path(of: word), let real = try? FileSystem.realPath(of: found) else {
            return false
        }
        return real == (try? FileSystem.realPath(of: path))
    }
}
