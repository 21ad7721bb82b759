import GateStore
import LinuxSystem
import Testing

@testable import CaptureGate
@testable import capturegate

@Suite("status", .fewAtOnce)
struct StatusTests {
    @Test("it says of each device whether this program may use it, and how strong the gate is")
    func devices() async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "camera", "--device", "test:bars", "--always")
        let ending = try await workspace.capturegate("status", "--json")
        #expect(ending.code == 0)
        let document = try Document(ending.output)
        let bars = try #require(document["devices"].elements.first { $0["id"] == .string("test:bars") })
        #expect(bars["authorization"] == .string("authorized"))
        #expect(bars["decision"] == .number(1))
        #expect(bars["strength"] == .string("L0"))
        let tone = try #require(document["devices"].elements.first { $0["id"] == .string("test:tone") })
        #expect(tone["authorization"] == .string("not_determined"))
        #expect(document["store"].string == workspace.store)
        #expect(document["subject"]["executable"].string?.hasSuffix("/capturegate") == true)
    }

    @Test("people read what the level of the gate means")
    func strength() async throws {
        let ending = try await Workspace().capturegate("status")
        #expect(ending.code == 0)
        let first = ending.output.prefix { $0 != "\n" }
        #expect(first.hasPrefix("Protection") && first.contains(" ask you, and "), "\(first)")
        #expect(ending.output.contains("advisory (built in)"))
        for code in ["L0", "L1", "L2"] { #expect(!ending.output.contains(code)) }
        #expect(ending.output.contains("test:tone"))
        // By the name that the person has, if the database knows one.
        let id = Users.effectiveID
        let name = Users.name(ofUser: id)
        let user = ending.output.split(separator: "\n").first { $0.hasPrefix("User") }
        #expect(user?.hasSuffix(name == "\(id)" ? " \(id)" : " \(name) (\(id))") == true, "\(ending.output)")
    }

    @Test("each level is explained with its promise and its rest, and so are the known gaps")
    func explained() async throws {
        let ending = try await Workspace().capturegate("status", "--explain")
        #expect(ending.code == 0)
        let document = try Document(try await Workspace().capturegate("status", "--explain", "--json").output)
        #expect(document["levels"].elements.count == Guarantees.levels.count)
        #expect(document["limits"].elements.count == Guarantees.limits.count)
        #expect(document["gaps"].elements.count == Guarantees.gaps.count)
        let texts = [
            ("levels", ["promise", "remains", "cost"]), ("limits", ["place", "passes"]), ("gaps", ["today"]),
        ]
        for (list, keys) in texts {
            for (element, key) in document[list].elements.flatMap({ element in keys.map { (element, $0) } }) {
                #expect(ending.output.contains(try #require(element[key].string)))
            }
        }
    }

    @Test(
        "at a narrow or wide terminal no word breaks", arguments: [["status", "--explain"], ["doctor"]],
        [40, 51, 80, 200])
    func widths(command: [String], columns: Int) async throws {
        let (workspace, terminal) = (try Workspace(), try PseudoTerminal())
        let script = "stty cols \(columns) </dev/tty; NO_COLOR=1 exec \"$@\" >/dev/tty"
        let child = try ChildProcess(
            ["sh", "-c", script, "sh", Executable.capturegate] + command, in: workspace, terminal: terminal.path)
        try await terminal.drain()
        #expect(try await child.finish().code == 0)
        let lines = terminal.screen.split(separator: "\r\n")
        // A word that is longer than the line has a line for itself.
        #expect(lines.allSatisfy { $0.count <= columns || $0.split(separator: " ").count == 1 })
        let whole = try await workspace.capturegate(command).output
        #expect(words(terminal.screen) == words(whole))
    }

    private func words(_ text: String) -> [Substring] { text.split { $0.isWhitespace } }

    @Test("one sentence answers for the machine: open nodes, closed ones, closed ones with the broker")
    func answer() throws {
        let closed = try #require(Self.node("/dev/a", group: "capturegate"))
        let open = try #require(Self.node("/dev/b", mode: 0o666, group: "capturegate"))
        func name(_ nodes: [NodeProtection], _ hasBroker: Bool) -> String {
            Guarantees.level(of: nodes, hasBroker: hasBroker).name
        }
        #expect(name([], false) == "advisory")
        #expect(name([closed, open], true) == "advisory")
        #expect(name([closed], false) == "closed nodes")
        #expect(name([closed], true) == "broker")
        for level in Guarantees.levels {
            let answer = Guarantees.answer(at: level)
            #expect(answer.hasPrefix("\(level.name): ") && !answer.contains(". ") && !answer.contains("`"), "\(answer)")
        }
    }

    @Test("the command that makes any program ask is named, or the features that the kernel lacks")
    func supervision() async throws {
        let workspace = try Workspace()
        let document = try Document(try await workspace.capturegate("status", "--json").output)
        let isAvailable = document["supervision"]["available"] == .bool(true)
        #expect(document["supervision"]["missing"].elements.isEmpty == isAvailable)
        let text = try await workspace.capturegate("status").output
        #expect(text.contains(isAvailable ? "capturegate wrap PROGRAM" : "--advisory"))
    }

    @Test("a grant that has run out is over by the clock as it is, though nothing was stored since")
    func over() async throws {
        let workspace = try Workspace()
        let store = try SQLiteGrantStore(directory: workspace.store)
        let (own, now) = (try ProcessSubject.current(), SystemGateClock().now)
        // Decided ten seconds ago for nine.
        func moment(_ seconds: Int64) -> GateInstant {
            GateInstant(
                wallNanoseconds: now.wallNanoseconds + seconds * 1_000_000_000,
                bootNanoseconds: now.bootNanoseconds + seconds * 1_000_000_000, bootID: now.bootID)
        }
        let ends: [(DeviceSelector, Int64)] = [(.any, -1), (.id(DeviceID(rawValue: "test:bars")), 3600)]
        let decisions = ends.map { device, end in
            Decision(
                verdict: .allow, subject: own, capability: .camera, level: .video, device: device,
                lifetime: .until(moment(end)),
                decidedBy: .command, decidedAt: moment(-10))
        }
        let event = AuditEvent(.decision, at: moment(-10), subject: own, detail: "by a test")
        _ = try store.record(decisions, audit: event)
        let lines = try await workspace.capturegate("status").output.split(separator: "\n")
        #expect(lines.contains { $0.contains("#1  allow") && $0.contains("  over  ") }, "\(lines)")
        #expect(lines.contains { $0.contains("#2  allow") && $0.contains("  in force  ") }, "\(lines)")
        let json = try Document(try await workspace.capturegate("status", "--json").output)
        #expect(json["decisions"].elements.map { $0["in_force"] } == [.bool(false), .bool(true)])
    }

    @Test("the group's protection is told where all nodes have it; else who can open which, and by what")
    func protection() throws {
        let closed = try #require(Self.node("/dev/a", group: "capturegate"))
        let others = try #require(Self.node("/dev/b", mode: 0o666, group: "capturegate"))
        let foreign = try #require(Self.node("/dev/c", mode: 0o660, group: "root"))
        #expect(GateStrength.explanation(of: []).isEmpty)
        #expect(GateStrength.explanation(of: [foreign]).map { $0.contains("capturegate secure") } == [true])
        #expect(GateStrength.explanation(of: [closed]).first?.contains("only root and that group's members") == true)
        let said = GateStrength.explanation(of: [closed, others, foreign]).joined(separator: "\n")
        #expect(!said.contains("only root") && !said.contains("/dev/a"))
        #expect(said.contains("/dev/b (group capturegate): everybody by its mode 0666"))
        #expect(said.contains("/dev/c (group root): group root"))
    }

    private static func node(_ path: String, mode: UInt32 = 0o660, group: String) -> NodeProtection? {
        NodeProtection(path: path, mode: mode, owner: (id: 0, name: "root"), group: (id: 4242, name: group))
    }

    @Test("asking for the status asks nobody and writes no line")
    func silent() async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("status")
        let log = try Document(try await workspace.capturegate("log", "--json").output)
        #expect(log["entries"] == .array([]))
    }
}
