import ArgumentParser
import CaptureGate
import GateSupervisor

/// `capturegate wrap`: has a program of every day run held to the gate, whenever the person starts it.
struct WrapCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wrap",
        abstract: "Have a program run held to the gate each time it is started; without a name, list those.",
        discussion: """
            Makes a launcher in ~/.local/bin, a script by the program's name that starts it by 'capturegate run' with these \
            options. Where a menu shows the program, its desktop entry goes through the launcher, too. Wrapping again \
            replaces the options; 'capturegate unwrap' takes all of it away.

            This holds what is started by the program's name or from a menu. What starts the program by its own path, or \
            over the bus, passes the launcher by. A shell that has run the program before finds the launcher after 'hash -r'.

              capturegate wrap firefox --allow pulse --purpose "Video calls"
              capturegate wrap arecord --camera none
              capturegate wrap
            """
    ).parsedAlone

    @Argument(help: "The program, by its name on the PATH or by its path.", completion: .file())
    var program: String?

    @OptionGroup var options: RunOptions
    @OptionGroup var json: JSONOption

    func validate() throws {
        if program == nil, !options.isEmpty { throw ValidationError("Name a program for these options.") }
        if program == "" { throw ValidationError("The program's name is empty.") }
    }

    /// Makes a launcher, or lists those that there are.
    func run() throws {
        let environment = ProcessEnvironment.current
        let wrapping = Wrapping(folders: try WrapFolders(environment))
        guard let program else { return try list(wrapping.all) }
        // Checked now, with a person there, and not when the program is wanted.
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

/// `capturegate unwrap`: takes the launcher of a program away.
struct UnwrapCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unwrap",
        abstract: "Take away what 'wrap' made for a program, and put back what was there.",
        discussion: """
            The program starts as it did before. Decisions about it stay; 'capturegate revoke' takes them back.

              capturegate unwrap firefox
            """
    ).parsedAlone

    @Argument(
        help: "The program, by its name.",
        completion: .custom { (_: [String], _: Int, _: String) in
            ((try? WrapFolders(ProcessEnvironment.current)).map { Wrapping(folders: $0).launchers } ?? []).map(\.name)
        })
    var program: String

    @OptionGroup var json: JSONOption

    /// Takes the launcher away.
    func run() throws {
        let wrapping = Wrapping(folders: try WrapFolders(ProcessEnvironment.current))
        // The path that it was wrapped by will do as well.
        let name = program.split(separator: "/").last.map(String.init) ?? program
        try wrapping.unwrap(name)
        let document: JSONValue = ["unwrapped": .string(name)]
        try StandardStream.output.line(json.isOn ? document.text : "\(name.visible) starts as it did before.")
    }
}
