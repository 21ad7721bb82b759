import CaptureGate
import GateSupervisor

/// Levels at which the gate holds, and what passes all of them by: a gate that promises more than it keeps is worse than none.
enum Guarantees {
    /// Level, the programs that it is for, and what it guarantees.
    static let levels: [(name: String, programs: String, promise: String)] = [
        (
            "L0 advisory", "programs that ask CaptureGate",
            "They capture by a person's yes alone; any other program that may open a device's node captures without asking."
        ),
        (
            "L1 supervised", "what 'capturegate run' or a launcher of 'capturegate wrap' starts",
            "It gets a device by a person's yes alone, however it asks for it, and loses the stream with the permission."
        ),
        (
            "closed nodes", "all programs of this machine",
            "With the udev rules only root and members of group capturegate can open a device's node."
        ),
        (
            "L2 brokered", "all programs of this machine",
            "The broker alone opens the closed nodes, asks through the user's agent, and lends frames that it can take back."
        ),
    ]

    /// Limits that every level has: where, and what is possible. The article on protection has the same table.
    static let limits: [(place: String, passes: String)] = [
        (
            "outside of `run`",
            "A program that opens the device node itself bypasses the gate. So does a program that records through a sound server."
        ),
        (
            "between programs of one user",
            "One program can impersonate another (a preloaded library, a symbol's address), write the user's permission database, "
                + "or restart itself with another `XDG_STATE_HOME`."
        ),
        (
            "under `run`, by a decision",
            "A program can write a permission into the database. CaptureGate reports it and ignores it in that run. Later runs "
                + "accept it unless you revoke it."
        ),
        (
            "under `run`, by a deputy",
            "A program can make another one capture that runs outside. Examples: it types into a window through X11, writes a "
                + "file that a shell reads later, or uses a server on this machine's network."
        ),
        (
            "under `run`, by an odd node",
            "Root can create a device node outside of `/dev`. If its driver delivers frames by plain reading, a program can read "
                + "them."
        ),
        (
            "with the broker, by the session",
            "Whoever controls your session answers for you. They can start an agent at their own terminal, or type into the "
                + "agent's dialog."
        ),
        (
            "through PipeWire",
            "A program of the same user that connects anew can link itself to another program's node before the node is hidden. "
                + "CaptureGate sees this at once, stops the node, wipes it and removes it. At most the content of the daemon's own "
                + "buffers is lost. The same holds for outputs by which a program's own recording can be heard. Whoever replaces "
                + "the user's PipeWire or its session manager gets what its programs get."
        ),
        ("a program that was allowed", "It can pass on what it captured."),
        ("root, firmware, the kernel", "Out of scope."),
    ]

    /// Text for people.
    static func lines(_ style: TextStyle) -> [String] {
        let levels = levels.flatMap { [style.bold($0.name) + ": \($0.programs)", "  \($0.promise)"] }
        let limits = limits.flatMap { ["  \(plain($0.place))", "    \(plain($0.passes))"] }
        return levels + ["", style.bold("What no level prevents")] + limits
    }

    /// The same for programs.
    static var json: JSONValue {
        [
            "levels": .array(
                levels.map {
                    ["name": .string($0.name), "programs": .string($0.programs), "promise": .string($0.promise)]
                }),
            "limits": .array(limits.map { ["place": .string(plain($0.place)), "passes": .string(plain($0.passes))] }),
        ]
    }

    /// Without the marks of a page.
    private static func plain(_ text: String) -> String { text.replacing("`", with: "") }
}
