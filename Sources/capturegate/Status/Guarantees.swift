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

    /// Limits that no level has, as the README has them, too: where, and what passes by.
    static let limits: [(place: String, passes: String)] = [
        (
            "outside of `run`",
            "a program that opens the device node itself bypasses the gate, and so does one that records through a sound server"
        ),
        (
            "between programs of one user",
            "one can impersonate another (a library preloaded into it, a symbol's address), write the user's store, or restart "
                + "itself with another `XDG_STATE_HOME`"
        ),
        (
            "under `run`, by a decision",
            "a yes that a program writes into the store itself is told of and not counted in that run, but counts in later ones "
                + "unless it is revoked"
        ),
        (
            "under `run`, by a deputy",
            "what runs outside may be talked into capturing: a window that is typed into through X11, a file that a shell reads "
                + "later, a server on the network of this machine"
        ),
        (
            "under `run`, by an odd node",
            "a device node that root has made outside of a `/dev`, of a driver that delivers by plain reading"
        ),
        (
            "with the broker, by the session",
            "whoever controls the person's session answers for the person: it starts an agent at a terminal of its own, or types "
                + "into the agent's dialog"
        ),
        (
            "through PipeWire",
            "a program of the same user that connects to its daemon anew can link itself to another one's node before that is hidden "
                + "from it: it is seen at once, the node is stopped, wiped and taken away, and at most what lay in the daemon's own "
                + "buffers is lost; so it is with the outputs by which a program's own recording can be listened in on; whoever "
                + "replaces the user's PipeWire or its session manager gets what its programs are given"
        ),
        ("a program that was allowed", "hands on what it captured, as it likes"),
        ("root, firmware, the kernel", "out of scope"),
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
