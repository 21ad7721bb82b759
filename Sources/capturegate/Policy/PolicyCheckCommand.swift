import ArgumentParser
import CaptureGate
import FoundationEssentials
import GateStore

/// `capturegate policy check`
struct PolicyCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say what is wrong in a folder of policy files, and where.",
        discussion: """
            One line a fault, FILE:LINE:COLUMN: MESSAGE, and exit code 78; 0 where all is understood. Whatever can't be \
            understood allows nobody anything, so check a folder before it takes the place of the old one.

              capturegate policy check
              capturegate policy check ./policy.d --json
            """)

    @Argument(
        help: ArgumentHelp("The folder; the machine's own where it is not said.", valueName: "folder"),
        completion: .directory)
    var path = PolicyDirectory.standardPath

    @OptionGroup var json: JSONOption

    func validate() throws {
        if path.isEmpty { throw ValidationError("The folder has no name.") }
    }

    func run() throws {
        let path = try absolute()
        let directory = PolicyDirectory(path: path)
        let faults = directory.check()
        if json.isOn {
            let document: JSONValue = ["path": .string(path), "diagnostics": .array(faults.map(\.json))]
            try StandardStream.output.line(document.text)
        } else {
            let lines = faults.map(\.description.visible)
            try StandardStream.output.lines(faults.isEmpty ? ["\(path.visible): \(directory.summary.phrase)"] : lines)
        }
        if !faults.isEmpty { throw ExitStatus(code: CaptureError(.configuration, "").exitCode) }
    }

    /// - Throws: `.usage` for a folder that is named and not there; the machine's own need not be.
    private func absolute() throws(CaptureError) -> String {
        let files = FileManager.default
        let absolute = path.hasPrefix("/") ? path : files.currentDirectoryPath + "/" + path
        var isFolder = false
        let isThere = files.fileExists(atPath: absolute, isDirectory: &isFolder)
        guard isThere || path == PolicyDirectory.standardPath else { throw wrong("is not there") }
        guard isFolder || !isThere else { throw wrong("is not a folder") }
        return absolute
    }

    private func wrong(_ what: String) -> CaptureError {
        CaptureError(
            .usage, "The policy folder \(path.visible) \(what).",
            remedies: [Remedy("Name the folder that the files *.yaml are in.")])
    }
}

extension PolicyDiagnostic {
    fileprivate var json: JSONValue {
        ["file": .string(file), "line": .count(line), "column": .count(column), "message": .string(message)]
    }
}
