import CaptureGate
import LinuxSystem

/// Script on a person's PATH that starts a program under `run`.
///
/// It contains all facts about a wrapped program, so that no other record can differ from what really runs.
struct Launcher {
    /// Name of the program on the PATH, and of the script.
    let name: String
    /// Absolute path of the program.
    let program: String
    /// Options of `capturegate run`, as a shell reads them.
    let options: String
    /// Directories that were created for launchers and desktop
    /// entries, deepest last; removed with the last launcher.
    var folders: [String]

    private static let head = "#!/bin/sh\n# Made by 'capturegate wrap'; 'capturegate unwrap' takes it away.\n"
    private static let (programMark, optionsMark, foldersMark) = ("# program: ", "# options: ", "# folders: ")

    init(name: String, program: String, options: String, folders: [String]) {
        self.name = name
        self.program = program
        self.options = options
        self.folders = folders
    }

    /// Reads an existing launcher.
    ///
    /// - Returns: `nil` for anything else: another file, a link, a file that belongs to somebody else.
    init?(at path: String) {
        guard case .success(let status) = FileStatus.ofLink(path), status.kind == .file,
            status.owner == Users.effectiveID, let text = ProcessFile.text(path), text.hasPrefix(Self.head)
        else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        func value(_ mark: String) -> String? {
            lines.first { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }
        }
        guard let program = value(Self.programMark), let name = path.split(separator: "/").last else { return nil }
        self.init(
            name: String(name), program: program, options: value(Self.optionsMark) ?? "",
            folders: (value(Self.foldersMark) ?? "").split(separator: ":").map(String.init))
    }

    /// Text of the script.
    ///
    /// Under `run` the program is supervised already, and supervisors
    /// can't be nested, so there the script starts it directly.
    ///
    /// - Parameter gate: absolute path of `capturegate`.
    func text(gate: String) -> String {
        let program = ShellQuote.word(program)
        let run = [ShellQuote.word(gate), "run", options, "--", program, "\"$@\""].filter { !$0.isEmpty }
        return Self.head + Self.programMark + self.program + "\n" + Self.optionsMark + options + "\n"
            + Self.foldersMark + folders.joined(separator: ":") + "\n"
            + "[ -z \"$\(RunCommand.heldVariable)\" ] || exec \(program) \"$@\"\n"
            + "exec " + run.joined(separator: " ") + "\n"
    }
}

/// Directories of a user's launchers and desktop entries.
///
/// Standard: XDG Base Directory Specification 0.8, Desktop Menu Specification 1.1.
struct WrapFolders {
    /// `~/.local/bin`, which has no variable.
    let launchers: String
    /// Desktop entries of this user, which take precedence over those of the system with the same name.
    let applications: String
    /// Desktop entries of the system, in order of precedence.
    let systemApplications: [String]
    /// Value of PATH.
    let path: String?

    /// - Throws: `.configuration` if this user has no home.
    init(_ environment: [String: String]) throws(CaptureError) {
        let named = [environment["HOME"], Users.homeDirectory(ofUser: Users.effectiveID)].compactMap { $0 }
        guard let home = named.first(where: { $0.hasPrefix("/") && $0 == $0.visible }) else {
            throw CaptureError(
                .configuration, "This user has no home directory for the launcher.",
                remedies: [Remedy("Set HOME.")])
        }
        launchers = home + "/.local/bin"
        let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/share"
        applications = data + "/applications"
        let system = environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/local/share:/usr/share"
        systemApplications = system.split(separator: ":").filter { $0.hasPrefix("/") }.map { $0 + "/applications" }
        path = environment["PATH"]
    }

    /// Search for programs, without the launchers.
    var search: ProgramSearch { ProgramSearch(path: path, besides: launchers) }

    /// Throws if the person's shell would not find the launcher, or would find the program first.
    func requireFirst(_ name: String) throws(CaptureError) {
        for folder in ProgramSearch(path: path).folders {
            if ProgramSearch.isSame(folder, launchers) { return }
            guard ProgramSearch.isProgram("\(folder)/\(name)") else { continue }
            throw Self.unfound("\(folder), which contains \(name), comes before \(launchers) on the PATH.")
        }
        throw Self.unfound("\(launchers) is not on the PATH.")
    }

    private static func unfound(_ why: String) -> CaptureError {
        CaptureError(
            .configuration, "The shell would not find the launcher: \(why)",
            remedies: [
                Remedy(
                    "Put ~/.local/bin first on the PATH, then log in again.",
                    command: "echo 'PATH=\"$HOME/.local/bin:$PATH\"' >>~/.profile"),
                Remedy("Or set it for this terminal only.", command: "PATH=\"$HOME/.local/bin:$PATH\""),
            ])
    }
}
