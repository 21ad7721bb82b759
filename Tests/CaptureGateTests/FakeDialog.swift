import LinuxSystem

@testable import CaptureGate

/// A dialog program that does what a script says.
struct FakeDialog {
    let folder: String
    let dialog: DesktopDialog

    /// - Parameter script: runs in bash, with `$0` in the directory and the dialog's arguments.
    init(_ script: String, as kind: DesktopDialog.Kind = .zenity) throws {
        folder = try TemporaryFolder.make()
        let path = folder + "/dialog"
        let text = "#!/bin/bash\ncd \"${0%/*}\"\n\(script)\n"
        // Written by another program: while this one has the file open, any child that is started has it open, too, and a file
        // that is open for writing can't be executed.
        let writer = ChildProcess(
            path: "/bin/bash", arguments: ["-c", "printf '%s' \"$1\" >\"$2\" && chmod 700 \"$2\"", "x", text, path],
            environment: ["PATH": "/usr/bin:/bin"])
        let cancel = try EventDescriptor()
        guard try writer.run(until: .never, cancel: cancel.descriptor).ending == .exited(0) else {
            throw TemporaryFolder.Failure()
        }
        dialog = DesktopDialog(kind: kind, path: path)
    }

    func prompter(deadline: Duration = .seconds(60), environment: [String: String] = [:]) -> DesktopPrompter {
        DesktopPrompter(
            deadline: deadline, dialogs: [dialog],
            environment: ["DISPLAY": ":7"].merging(environment) { _, other in other })
    }

    /// Text that the script wrote to a file of its directory.
    func text(_ name: String) -> String {
        ProcessFile.text("\(folder)/\(name)", limit: 1 << 20) ?? ""
    }
}
