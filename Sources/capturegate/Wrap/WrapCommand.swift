import ArgumentParser
import CaptureGate
import GateSupervisor

/// `capturegate wrap`: makes a program always start under `run`, from the shell and from menus.
struct WrapCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wrap",
        abstract: "Make a program always start under 'run'.",
        discussion: """
            From the shell and from menus, the program then starts with 'capturegate run'. Without a program, lists all programs \
            that you wrapped.

              capturegate wrap firefox --allow pulse --purpose "Video calls"
              capturegate wrap arecord --camera none
              capturegate wrap

            Creates a launcher with the name of the program in ~/.local/bin. It starts the program with 'capturegate run' and \
            these options. The desktop entry of the program uses the launcher, too. To change the options, wrap the program \
            again. To undo all of it, use 'capturegate unwrap'.

            A program that starts by its path, or over the message bus, does not use the launcher. In a shell that has already \
            run the program, type 'hash -r' once.
            """
    ).parsedAlone

    @Argument(help: "Program: name on the PATH, or path.", completion: .file())
    var program: String?

    @OptionGroup var options: RunOptions
    @OptionGroup var json: JSONOption

    func validate() throws {
        if program == nil, !options.isEmpty { throw ValidationError("Name a program for these options.") }
        if program == "" { throw ValidationError("The program's name is empty.") }
    }

    /// Makes a launcher, or lists the existing ones.
    func run() throws {
        let environment = ProcessEnvironment.current
        let wrapping = Wrapping(folders: try WrapFolders(environment))
        guard let program else { return try list(wrapping.all) }
        // Checked now, while a person can correct it, not when the program starts.
        _ = try options.rules(in: environment)
        let missing = options.advisory ? [] : Boundary.missingPieces
        guard missing.isEmpty else {
            throw CaptureError(
                .unavailable,
                "This kernel can't keep a program behind the gate: it lacks \(missing.joined(separator: " and ")).",
                remedies: [Remedy("Use Linux 6.10 or later with Landlock enabled, or add --advisory.")])
        }
        let wrapped = try wrapping.wrap(program, options: try options.words())
        if json.isOn { return try StandardStream.output.line(wrapped.json.text) }
        let entries = wrapped.entries.map { "Also starts this way from menus: \($0.visible)" }
        try StandardStream.output.lines(
            ["\(wrapped.launcher.name.visible) now always asks for permission: \(wrapped.path.visible)"] + entries)
    }

    private func list(_ wrapped: [Wrapping.Wrapped]) throws {
        if json.isOn {
            let document: JSONValue = ["wrapped": .array(wrapped.map(\.json))]
            return try StandardStream.output.line(document.text)
        }
        let rows = wrapped.map { [$0.launcher.name.visible, $0.launcher.program.visible, $0.launcher.options.visible] }
        try StandardStream.output.lines(rows.isEmpty ? ["No program is wrapped."] : Table(rows: rows).lines)
    }
}

/// `capturegate unwrap`: removes the launcher of a program.
struct UnwrapCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unwrap",
        abstract: "Undo 'wrap' for a program.",
        discussion: """
            Removes the launcher and restores the desktop entry. Permissions stay; 'capturegate revoke' removes them.

              capturegate unwrap firefox
            """
    ).parsedAlone

    @Argument(
        help: "Name of the program.",
        completion: .custom { (_: [String], _: Int, _: String) in
            ((try? WrapFolders(ProcessEnvironment.current)).map { Wrapping(folders: $0).launchers } ?? []).map(\.name)
        })
    var program: String

    @OptionGroup var json: JSONOption

    /// Removes the launcher.
    func run() throws {
        let wrapping = Wrapping(folders: try WrapFolders(ProcessEnvironment.current))
        // The program's path is accepted, too.
        let name = program.split(separator: "/").last.map(String.init) ?? program
        try wrapping.unwrap(name)
        let document: JSONValue = ["unwrapped": .string(name)]
        try StandardStream.output.line(json.isOn ? document.text : "\(name.visible) starts as it did before.")
    }
}
