import CaptureGate
import GateSupervisor

/// Levels of protection, what each promises, and what no level prevents.
///
/// The only source of these sentences: `status`, its manual page, README and the article on protection use them, and
/// `Tests/checks/manual` compares them. Backticks are Markdown's. When you close a gap, remove its row.
enum Guarantees {
    /// Effect of revocations and switches on captures, for the help of the commands that make them.
    static let ofRevocations =
        "Running captures end. An attacker has ways to keep one running: see 'capturegate status --explain'."

    /// Level of protection, as a row of README's table.
    struct Level {
        /// Name as people see it; programs get a code (``GateStrength/level``).
        let name: String
        /// Command or setting that gives this level.
        let how: String
        /// Programs that ask a person.
        let programs: String
        /// The most important thing that it does not prevent, one sentence.
        let remains: String
        /// Inconvenience that it brings.
        let cost: String
        /// Facts that hold today, attacks considered.
        let promise: String
    }

    static let advisory = Level(
        name: "advisory", how: "default", programs: "programs that use CaptureGate",
        remains: "Any other program opens a device without asking.", cost: "nothing",
        promise: """
            Before a program that uses CaptureGate captures, CaptureGate asks a person, unless a rule or an earlier \
            decision answers.
            """)

    static let supervised = Level(
        name: "supervised", how: "`capturegate run -- PROGRAM`", programs: "that program and all programs it starts",
        remains: "A hostile program has known ways past it.",
        cost: "Desktop services are closed to it unless you allow them.",
        promise: """
            Landlock closes the capture devices in `/dev` to these programs. The supervisor opens a device for them \
            after you allow it. When the permission ends, the supervisor tries to stop the stream.
            """)

    static let closedNodes = Level(
        name: "closed nodes", how: "udev rules", programs: "programs that use CaptureGate",
        remains: "Any program of a member of the group `capturegate` opens a device without asking.",
        cost: "PipeWire and browsers lose their devices.",
        promise: "Only root and members of the group `capturegate` can open the device nodes.")

    static let broker = Level(
        name: "broker", how: "`sudo capturegate secure`",
        programs: "programs that use CaptureGate, and PipeWire programs under `capturegate pipewire`",
        remains: "A hostile program can take the identity of another program of the same user.",
        cost: "PipeWire and browsers lose their devices until you run `capturegate pipewire`.",
        promise: """
            Only root and the broker can open the device nodes. The broker keeps the permissions where users cannot \
            write, and asks through the agent of the user's session. Programs get frames, never a device.
            """)

    static let levels = [advisory, supervised, closedNodes, broker]

    /// Limits that every level has: place, and what is possible there.
    static let limits = rows(
        """
        outside of `run`, while the nodes are open | A program that opens the device node itself bypasses the \
        gate. So does a program that records through a sound server.
        between programs of one user | One program can impersonate another (a preloaded library, a symbol's \
        address), write the user's permission database, or restart itself with another `XDG_STATE_HOME`.
        under `run`, by a decision | A program can write a permission into the database. CaptureGate reports it \
        and ignores it in that run. Later runs accept it unless you revoke it.
        under `run`, by a deputy | A program can make another one capture that runs outside. Examples: it types \
        into a window through X11, writes a file that a shell reads later, or uses a server on this machine or in \
        its local network.
        under `run`, by an odd node | Root can create a device node outside of `/dev`. If its driver delivers \
        frames by plain reading, a program can read them.
        with the broker, by the session | Whoever controls your session answers for you. They can start an agent \
        at their own terminal, or type into the agent's dialog.
        through PipeWire | A program of the same user that connects anew can link itself to another program's node \
        before the node is hidden. CaptureGate sees this at once, stops the node, wipes it and removes it. At most \
        the content of the daemon's own buffers is lost. The same holds for outputs by which a program's own \
        recording can be heard. Whoever replaces the user's PipeWire or its session manager gets what its programs \
        get.
        a program that was allowed | It can pass on what it captured.
        root, firmware, the kernel | Out of scope.
        """)

    /// Gaps that are open: name, level, and what an attacker can do today.
    static let gaps = rows(
        """
        borrowed identity | broker | A program can make the kernel report another program of the same user as its \
        own. It then gets that program's permissions, can answer in the agent's name, and the log names the other \
        program.
        rules by path | broker | A policy rule with `executable:` compares only the path. A program can mount \
        itself over that path. Add `user:`, and do not build protection on `executable:`.
        rules by unit | broker | Rules with `unit:` or `flatpak:` compare names that any user can create below the \
        user's own service manager.
        long questions | broker | One question can cover several permissions, and its text can be cut. Deny \
        questions that you cannot read in full.
        orders to the broker | broker | A program can show one file in the question, and get the permission for \
        another file.
        the broker's own rights | broker | The broker may read other processes, and its list of system calls \
        allows writing their memory. A fault in the broker is therefore serious.
        memory of the broker | broker | One allowed program can make the broker use much memory.
        blocked revocation | all | A hostile program can prevent `revoke`, `camera off` and rule changes from \
        ending a capture. It can use up file watches or connections, stop the terminal's output, or hold a lock on \
        the database. A full disk or a damaged database has the same effect. End the program instead.
        virtual keyboards | all | A program that can create input devices can type the answer.
        two questions at one terminal | advisory | If two programs ask at one terminal, a key can answer the wrong \
        question.
        a terminal that the program shares | supervised | The supervised program can draw over the question. \
        Answer at another terminal or on the desktop.
        new kernel requests | supervised | On Linux 6.10 or newer, a program can restart a stopped stream.
        virtual cameras | supervised | A camera of v4l2loopback with `exclusive_caps=1` can be read without a \
        question.
        datagrams and inherited connections | supervised | A program can send to datagram sockets. It also keeps \
        connections that it inherited from before the run.
        once | supervised | A permission for one capture lasts for the whole run.
        repeated questions | supervised | After a dismissal, a new session or a copy of the program causes a new \
        question.
        nodes outside of `/dev` | supervised | A program can read a node below a `chroot` or a bind mount that was \
        made after the start.
        devices that change places | supervised | While a question is open, another device can take the device's \
        node. The answer then opens that device.
        """)

    /// Level of this machine for programs that nobody starts under `run`.
    ///
    /// - Parameters:
    ///   - nodes: all capture nodes. One that others can open is enough to capture.
    ///   - hasBroker: true if the broker serves this machine.
    static func level(of nodes: [NodeProtection], hasBroker: Bool) -> Level {
        guard nodes.allSatisfy({ $0.group == GateStrength.ownGroup && $0.openers(besides: $0.group).isEmpty }) else {
            return advisory
        }
        if hasBroker { return broker }
        return nodes.isEmpty ? advisory : closedNodes
    }

    /// The sentence that answers "am I protected?".
    ///
    /// - Parameter level: level of this machine.
    static func answer(at level: Level) -> String {
        let remains = plain(level.remains)
        return "\(level.name): only \(plain(level.programs)) ask you, and \(remains.prefix(1).lowercased())"
            + remains.dropFirst().dropLast()
    }

    /// Text for people.
    ///
    /// - Parameter width: columns of the terminal.
    static func lines(_ style: TextStyle, width: Int) -> [String] {
        func indented(_ text: String, _ margin: String) -> [String] {
            Paragraph.lines(plain(text), behind: margin, width: width)
        }
        let levels = levels.flatMap { level in
            [style.bold(level.name) + ": \(plain(level.how))"]
                + ["Asks: \(level.programs).", level.promise, "Remains: \(level.remains)", "Costs: \(level.cost)"]
                .flatMap { indented($0, "  ") }
        }
        let limits = limits.flatMap { indented($0[0], "  ") + indented($0[1], "    ") }
        let gaps = gaps.flatMap { indented("\($0[0]) (\($0[1]))", "  ") + indented($0[2], "    ") }
        return levels + ["", style.bold("What no level prevents")] + limits + ["", style.bold("Known gaps")] + gaps
    }

    /// Guarantees for programs.
    static var json: JSONValue {
        func objects(_ rows: [[String]], _ keys: [String]) -> JSONValue {
            .array(rows.map { .object(zip(keys, $0).map { ($0, .string(plain($1))) }) })
        }
        let levels = levels.map { [$0.name, $0.how, $0.programs, $0.remains, $0.cost, $0.promise] }
        return [
            "levels": objects(levels, ["name", "how", "programs", "remains", "cost", "promise"]),
            "limits": objects(limits, ["place", "passes"]), "gaps": objects(gaps, ["gap", "level", "today"]),
        ]
    }

    /// Cells of a table with one row per line.
    private static func rows(_ table: String) -> [[String]] {
        table.split(separator: "\n").map { $0.split(separator: " | ").map(String.init) }
    }

    /// Text without Markdown's backticks.
    private static func plain(_ text: String) -> String { text.replacing("`", with: "") }
}
