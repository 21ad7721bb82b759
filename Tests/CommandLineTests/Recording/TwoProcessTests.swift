import FoundationEssentials
import Glibc
import Testing

@Suite("two processes that ask at once", .serialized, .fewAtOnce)
struct TwoProcessTests {
    /// Two recordings of one program at two terminals: the first asks, the second waits for its turn.
    private struct Pair {
        let workspace: Workspace
        let terminals: [PseudoTerminal]
        let first: ChildProcess
        let second: ChildProcess

        init() async throws {
            let workspace = try Workspace()
            // The store is there, so that both only have to open it.
            _ = try await workspace.capturegate("status")
            let terminals = [try PseudoTerminal(), try PseudoTerminal()]
            func start(_ index: Int) throws -> ChildProcess {
                try workspace.start(
                    "record", "\(index).wav", "--microphone", "test:tone", "--for", "200ms", terminal: terminals[index])
            }
            first = try start(0)
            try await terminals[0].wait(for: "decide later: ")
            second = try start(1)
            (self.workspace, self.terminals) = (workspace, terminals)
            try await waitForTurn(of: second.id)
        }

        /// Returns when the process has the lock file of questions open, which it has only while it waits or asks.
        private func waitForTurn(of process: pid_t) async throws {
            let lock = workspace.store + "/questions.lock"
            try await offPool {
                for _ in 0..<6000 {
                    let folder = "/proc/\(process)/fd"
                    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
                    let files = names.map {
                        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
                    }
                    if files.contains(lock) { return }
                    usleep(10_000)
                }
                throw Failure("the second process never came to its question")
            }
        }
    }

    @Test("a yes for good answers both: the second never asks")
    func always() async throws {
        let pair = try await Pair()
        pair.terminals[0].type("a\n")
        #expect(try await pair.first.finish().code == 0)
        #expect(try await pair.second.finish().code == 0)
        #expect(!pair.terminals[1].everything.contains("wants to use"))
        #expect(pair.workspace.names.filter { $0.hasSuffix(".wav") } == ["0.wav", "1.wav"])
    }

    @Test("a no answers both: the second is refused and never asks")
    func no() async throws {
        let pair = try await Pair()
        pair.terminals[0].type("n\n")
        #expect(try await pair.first.finish().code == 77)
        #expect(try await pair.second.finish().code == 77)
        #expect(!pair.terminals[1].everything.contains("wants to use"))
        #expect(!pair.workspace.names.contains { $0.hasSuffix(".wav") })
    }

    @Test("a dismissal answers nobody else: the turn is the second's", arguments: ["\n", "\u{3}"])
    func dismissed(keys: String) async throws {
        let pair = try await Pair()
        pair.terminals[0].type(keys)
        #expect(try await pair.first.finish().code == 77)
        try await pair.terminals[1].wait(for: "decide later: ")
        pair.terminals[1].type("o\n")
        #expect(try await pair.second.finish().code == 0)
    }

    @Test("a yes for once lets exactly one of them capture")
    func once() async throws {
        let pair = try await Pair()
        pair.terminals[0].type("o\n")
        let first = try await pair.first.finish()
        // The second is asked itself if the permission is used up when its turn comes; otherwise one of them is too late.
        if (try? await pair.terminals[1].wait(for: "decide later: ")) != nil { pair.terminals[1].type("n\n") }
        let second = try await pair.second.finish()
        #expect([first.code, second.code].sorted() == [0, 77], "\(first) \(second)")
        #expect(pair.workspace.names.filter { $0.hasSuffix(".wav") }.count == 1)
        let log = try await pair.workspace.capturegate("log").output.split(separator: "\n")
        #expect(log.filter { $0.contains("  start ") }.count == 1)
    }

    @Test("the turn of a process that was killed while it asked is the second's")
    func killed() async throws {
        let pair = try await Pair()
        pair.first.send(SIGKILL)
        #expect(try await pair.first.finish().code == -SIGKILL)
        try await pair.terminals[1].wait(for: "decide later: ")
        pair.terminals[1].type("a\n")
        #expect(try await pair.second.finish().code == 0)
    }

    @Test("a process that is stopped while it asks keeps its turn, and the second says so and asks nothing")
    func stopped() async throws {
        let pair = try await Pair()
        pair.first.send(SIGSTOP)
        let second = try await pair.second.finish()
        #expect(second.code == 75 && second.errors.contains("kill -CONT \(pair.first.id)"), "\(second)")
        #expect(!pair.terminals[1].everything.contains("wants to use"))
        pair.first.send(SIGCONT)
        pair.terminals[0].type("a\n")
        #expect(try await pair.first.finish().code == 0)
    }
}
