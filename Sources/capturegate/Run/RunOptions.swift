import ArgumentParser
import CaptureGate
import GateSupervisor
import LinuxSystem

/// Options of `run` and `wrap`: what a supervised program may ask for and reach.
struct RunOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Camera to ask for: id, any or none.", valueName: "id"), completion: DeviceCompletion.any)
    var camera = "any"

    @Option(
        help: ArgumentHelp("Microphone to ask for: id, any or none.", valueName: "id"), completion: DeviceCompletion.any
    )
    var microphone = "any"

    @Option(help: ArgumentHelp("Purpose, shown in the question.", valueName: "text"))
    var purpose: String?

    @Option(
        name: .customLong("allow"),
        help: ArgumentHelp(
            "Service or socket to allow, such as pulse. Repeatable.",
            discussion: """
                A service is one of \(Service.allCases.map(\.rawValue).joined(separator: ", ")). The word usb allows raw USB \
                devices. A path allows a socket.
                """,
            valueName: "name"))
    var allowed: [String] = []

    @Flag(
        help: ArgumentHelp(
            "Run it even if this kernel cannot enforce everything.", discussion: "The command reports what is missing.")
    )
    var advisory = false

    /// True if the program may open raw nodes of USB devices.
    var allowsBuses: Bool { allowed.contains("usb") }

    /// True if no option was given.
    var isEmpty: Bool {
        camera == "any" && microphone == "any" && purpose == nil && allowed.isEmpty && !advisory
    }

    /// Rules for the supervisor.
    ///
    /// - Parameter environment: locates the user's services.
    func rules(in environment: [String: String]) throws(CaptureError) -> SupervisionRules {
        SupervisionRules(
            camera: try Self.devices(camera, .camera), microphone: try Self.devices(microphone, .microphone),
            purpose: purpose ?? "Run under capturegate run",
            services: try ServiceRules(allowing: allowed.filter { $0 != "usb" }, environment: environment))
    }

    /// Options as words of a command line, for a launcher. Devices
    /// have their ids, which stay the same after replugging.
    ///
    /// - Throws: `.usage` for a text that would not fit into a line of a script.
    func words() throws(CaptureError) -> [String] {
        var words: [String] = []
        for (name, text, capability) in [
            ("--camera", camera, CapabilityName.camera), ("--microphone", microphone, .microphone),
        ] where text != "any" {
            words += [name, text == "none" ? text : try DeviceOption.id(text, capability).rawValue]
        }
        if let purpose { words += ["--purpose", purpose] }
        for name in allowed { words += ["--allow", name] }
        if advisory { words.append("--advisory") }
        if let word = words.first(where: { $0 != $0.visible }) {
            throw CaptureError(
                .usage, "\"\(word.visible)\" can't be stored in a launcher, because it has control characters.",
                remedies: [Remedy("Remove the control characters.")])
        }
        return words
    }

    private static func devices(_ text: String, _ capability: CapabilityName) throws(CaptureError)
        -> SupervisionRules.Devices
    {
        switch text {
        case "any": .any
        case "none": .none
        default: .only(try DeviceOption.id(text, capability))
        }
    }
}

/// Finds a program as a shell does: environ(7).
struct ProgramSearch {
    /// Directories in the order of the search; an empty name is the working directory.
    let folders: [String]

    /// - Parameters:
    ///   - path: value of PATH; `nil` if it is not set.
    ///   - skipped: directory to skip; `nil` for none.
    init(path: String?, besides skipped: String? = nil) {
        let all = (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":", omittingEmptySubsequences: false)
        folders = all.map(String.init).filter { skipped == nil || !Self.isSame($0, skipped ?? "") }
    }

    /// - Throws: `.noDevice` if there is no such program that this user may execute.
    func path(of name: String) throws(CaptureError) -> String {
        if name.contains("/") { return try absolute(name) }
        for folder in folders {
            let candidate = folder.isEmpty ? "./\(name)" : "\(folder)/\(name)"
            if Self.isProgram(candidate) { return try absolute(candidate) }
        }
        throw CaptureError(
            .noDevice, "There is no program \"\(name.visible)\" on the PATH.",
            remedies: [Remedy("Install it, or write its path.")])
    }

    /// True for a file that this user may execute.
    static func isProgram(_ path: String) -> Bool {
        guard case .success(let status) = FileStatus.of(path), status.kind == .file else { return false }
        return FileSystem.allows(.execute, to: path)
    }

    /// True for two paths of one directory, and for equal paths if it does not exist.
    static func isSame(_ folder: String, _ other: String) -> Bool {
        let (one, two) = (try? FileSystem.realPath(of: folder), try? FileSystem.realPath(of: other))
        if one != nil || two != nil { return one == two }
        return folder.split(separator: "/") == other.split(separator: "/")
    }

    // Not the real path: a program may look at the name it was started by.
    private func absolute(_ path: String) throws(CaptureError) -> String {
        if path.hasPrefix("/") { return path }
        guard let folder = ProcessFile.link("/proc/self/cwd") else {
            throw CaptureError(.unavailable, "/proc can't be read.", remedies: [Remedy("Mount /proc.")])
        }
        return "\(folder)/\(path)"
    }
}
