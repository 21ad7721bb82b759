import ArgumentParser
import CaptureGate
import GateStore
import LinuxSystem

/// `capturegate policy install`: checks a file of rules and installs it.
struct PolicyInstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Install a file of rules for this machine.",
        discussion: """
            Checks the file first. The rules also apply to running captures. Replaces a file of the same name.

              sudo capturegate policy install 10-office.yaml
              pkexec capturegate policy install 10-office.yaml

            Needs root. With pkexec, polkit decides who can install rules.
            """)

    @Argument(help: ArgumentHelp("File whose name ends in .yaml.", valueName: "file"), completion: .file())
    var path: String

    /// Another directory than the machine's, for tests.
    @Option(help: .private)
    var folder = PolicyDirectory.standardPath

    func validate() throws {
        guard path.hasSuffix(".yaml"), let name = name, !name.hasPrefix(".") else {
            throw ValidationError("The file's name must end in .yaml and must not start with a dot.")
        }
    }

    private var name: Substring? { path.split(separator: "/").last }

    func run() throws {
        guard let bytes = ProcessFile.bytes(path, limit: 1 << 20) else {
            throw CaptureError(
                .badInput, "\(path.visible) can't be read.", remedies: [Remedy("Name a policy file.")])
        }
        try check(bytes)
        let target = "\(folder)/\(name ?? "")"
        try WholeFile(path: target).write(bytes)
        try StandardStream.output.line("Installed \(target.visible): \(PolicyDirectory(path: folder).summary.phrase)")
    }

    /// Makes the directory for rules, and the one above it, before the machine's first rule.
    private func makeFolder() throws(Errno) {
        let parent = folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? ""
        for directory in [parent, folder] {
            if case .success = FileStatus.of(directory) { continue }
            try FileSystem.makeDirectory(directory, mode: 0o755)
        }
    }

    /// Checks the rules in a temporary directory beside the machine's. The bytes that were checked are installed, even if the file
    /// changes meanwhile.
    private func check(_ bytes: [UInt8]) throws {
        let trial = "\(folder).\(ProcessStart.processID)~"
        do throws(Errno) {
            try makeFolder()
            try FileSystem.makeDirectory(trial, mode: 0o755)
        } catch {
            throw CaptureError(
                error == .permissionDenied ? .notAuthorized : .inputOutput,
                "Rules can't be installed in \(folder.visible): \(error.text).", errno: error.number,
                remedies: error == .permissionDenied
                    ? [Remedy("Run this as root.", command: "pkexec capturegate policy install \(path)")]
                    : [Remedy("Look at the directory.", command: "ls -ld \(ShellQuote.word(folder))")])
        }
        let file = "\(trial)/\(name ?? "")"
        defer {
            try? FileSystem.remove(file)
            try? FileSystem.removeDirectory(trial)
        }
        try WholeFile(path: file).write(bytes, isLasting: false)
        let faults = PolicyDirectory(path: trial).check()
        guard let first = faults.first else { return }
        throw CaptureError(
            .configuration, "\(path.visible):\(first.line):\(first.column): \(first.message.visible)",
            remedies: [Remedy("Correct the file. Nothing was installed.")])
    }
}
