import CaptureBase

extension Remedy {
    /// What cures a store that saw a clock which was ahead.
    package static let forgetLaterClock = Remedy(
        "If that clock was wrong, have the store forget it; permissions for a time end with it, and can be given again.",
        command: "capturegate reset --clock")
}

extension RefusalNotice {
    /// The two commands that allow it: for one capture, and for good.
    var grantRemedies: [Remedy] {
        [
            Remedy("Allow one capture.", command: command("grant", "--once")),
            Remedy("Allow it for good.", command: command("grant", "--always")),
        ]
    }

    /// The exact command line, for the program and the device that were refused.
    /// - Parameter device: the device a denial names: a yes to any device would not lift it.
    func command(_ verb: String, _ lifetime: String? = nil, on device: DeviceSelector = .any) -> String {
        var words = ["capturegate", verb, capability.rawValue]
        if let path = foreignProgram { words += ["--to", Self.quoted(path)] }
        if case .id(let id) = device == .any ? request?.device : device {
            words += ["--device", Self.quoted(id.rawValue)]
        }
        if let level = request?.level, level == .meter || level == .still { words += ["--level", level.name] }
        if let lifetime { words.append(lifetime) }
        return words.joined(separator: " ")
    }

    /// The program, where it is not `capturegate` itself, whose own recordings the command means by default.
    private var foreignProgram: String? {
        guard case .success(let subject) = subject else { return nil }
        let path = subject.executable.path
        return path == "capturegate" || path.hasSuffix("/capturegate") ? nil : path
    }

    /// A word as a shell reads it back.
    static func quoted(_ word: String) -> String {
        let plain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "/._-:+@,%=".utf8.contains(byte)
            }
        }
        if plain, !word.isEmpty { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
