import ArgumentParser
import CaptureGate
import FoundationEssentials
import GateStore

/// `capturegate policy`: commands about the administrator's policy.
struct PolicyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Check and install the administrator's rules.",
        discussion: """
            Rules in /etc/capturegate/policy.d/*.yaml take precedence over the decisions of users.

              capturegate policy check
              capturegate policy check ./policy.d
              pkexec capturegate policy install 10-office.yaml
            """,
        subcommands: [PolicyCheckCommand.self, PolicyInstallCommand.self])
}

/// `capturegate policy check`: reports mistakes in policy files before they take effect.
///
/// The format `FILE:LINE:COLUMN: MESSAGE` is the compilers' (GNU coding standards), which editors turn into
/// links.
struct PolicyCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Find mistakes in a directory of rules.",
        discussion: """
            Prints each mistake as FILE:LINE:COLUMN: MESSAGE, and exits with 78. A mistake denies every capture, so check the \
            directory before you install it.

              capturegate policy check
              capturegate policy check ./policy.d --json

            The names of rule files end in .yaml. Backup files of editors and packages are listed and ignored. Any other file \
            is a mistake.
            """)

    /// Machine's own directory by default; any other can be checked before it is installed.
    @Argument(help: ArgumentHelp("Directory of rules.", valueName: "directory"), completion: .directory)
    var path = PolicyDirectory.standardPath

    @OptionGroup var json: JSONOption

    /// Refuses an empty path, which an unset shell variable leaves and which would mean the current
    /// directory.
    func validate() throws {
        if path.isEmpty { throw ValidationError("The directory's name is empty.") }
    }

    /// Checks the directory and writes the result to standard output: the faults are the result, not an error
    /// of the check.
    func run() throws {
        let path = absolute
        let directory = PolicyDirectory(path: path)
        let faults = directory.check()
        try checkDirectoryExists(directory)
        if json.isOn {
            let document: JSONValue = [
                "path": .string(path), "diagnostics": .array(faults.map(\.json)),
                "passed_over": .strings(directory.passedOver),
            ]
            try StandardStream.output.line(document.text)
        } else {
            let lines = faults.map(\.description.visible)
            try StandardStream.output.lines(
                (faults.isEmpty ? ["\(path.visible): \(directory.summary.phrase)"] : lines)
                    + directory.passedOver.map { "Ignored: \($0.visible) is not a policy file." })
        }
        // All faults have been printed, so only the exit code of a bad configuration (EX_CONFIG) is left.
        if !faults.isEmpty { throw ExitStatus(code: CaptureError(.configuration, "").exitCode) }
    }

    /// Refuses a named directory that does not exist or is not a directory.
    ///
    /// - Throws: `.usage`. The machine's own directory need not exist: then there is no policy.
    private func checkDirectoryExists(_ directory: PolicyDirectory) throws(CaptureError) {
        guard path != PolicyDirectory.standardPath else { return }
        var isDirectory = false
        let isThere = FileManager.default.fileExists(atPath: directory.path, isDirectory: &isDirectory)
        let isAbsent = directory.summary == .none
        guard isAbsent || isThere && !isDirectory else { return }
        throw CaptureError(
            .usage, "The policy directory \(path) \(isAbsent ? "does not exist" : "is not a directory").",
            remedies: [Remedy("Name the directory that contains the .yaml files.")])
    }

    /// Absolute path: a diagnostic in a log must be found from any directory.
    private var absolute: String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
}

extension PolicyDiagnostic {
    fileprivate var json: JSONValue {
        ["file": .string(file), "line": .count(line), "column": .count(column), "message": .string(message)]
    }
}

extension PolicySummary {
    /// Policy for people. An unreadable one shows its first fault; `policy check` lists all of them.
    var phrase: String {
        switch self {
        case .none: "no policy, so the user decides"
        case .rules(let count, let files):
            "\(NumberText.counted(count, "rule")) in \(NumberText.counted(files.count, "file"))"
        // Fails closed: what can't be understood might have been a prohibition.
        case .unreadable(let faults):
            "has errors, so nothing is allowed: \(faults.first.map(\.description.visible) ?? "unknown error")"
        }
    }

    /// Policy for programs, with the same members in each state.
    var json: JSONValue {
        switch self {
        case .none: ["state": "none", "rules": 0, "files": [], "diagnostics": []]
        case .rules(let count, let files):
            ["state": "rules", "rules": .count(count), "files": .strings(files), "diagnostics": []]
        case .unreadable(let faults):
            ["state": "unreadable", "rules": 0, "files": [], "diagnostics": .strings(faults.map(\.description))]
        }
    }
}
