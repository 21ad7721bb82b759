import CaptureGate
import Gate
import GateTestKit
import LinuxSystem
import Testing

@testable import GateBroker

@Suite("configuration of the broker")
struct ConfigurationTests {
    @Test("Nothing said is the machine's own paths")
    func defaults() throws {
        let configuration = try BrokerConfiguration(arguments: [])
        #expect(configuration.socket == "/run/capturegate/broker")
        #expect(configuration.state == "/var/lib/capturegate")
        #expect(configuration.agents == ["/usr/bin/capturegate"])
    }

    @Test("Agents that are named replace the machine's")
    func agents() throws {
        let configuration = try BrokerConfiguration(arguments: ["--agent", "/a", "--agent", "/b", "--socket", "/s"])
        #expect(configuration.agents == ["/a", "/b"])
        #expect(configuration.socket == "/s")
    }

    @Test(
        "Other words, missing paths and relative ones are refused",
        arguments: [
            ["--help"], ["--socket"], ["--state", "here"], ["/s"],
        ])
    func wrong(_ arguments: [String]) {
        let error = #expect(throws: CaptureError.self) { try BrokerConfiguration(arguments: arguments) }
        #expect(error?.kind == .usage)
    }

    @Test("A socket that was handed over to another process is not taken")
    func otherProcess() {
        let own = ProcessStart.processID
        #expect(ActivatedSocket.handed(["LISTEN_PID": "\(own)", "LISTEN_FDS": "1"]) == 1)
        #expect(ActivatedSocket.handed(["LISTEN_PID": "\(own + 1)", "LISTEN_FDS": "1"]) == nil)
        #expect(ActivatedSocket.handed(["LISTEN_FDS": "1"]) == nil)
    }

    @Test("A program that others than root could change is no agent")
    func weakPrograms() throws {
        let own = try ProcessSubject.current().executable
        #expect(throws: CaptureError.self) { try AgentPrograms(["/usr/bin/env"]).check(own) }
        // Nobody's files count: then this one's do not, either.
        #expect(throws: CaptureError.self) { try AgentPrograms([own.path], owners: []).check(own) }
        let replaced = Executable(path: own.path, inode: own.inode &+ 1, sha256: own.sha256)
        #expect(throws: CaptureError.self) {
            try AgentPrograms([own.path], owners: [0, Users.effectiveID]).check(replaced)
        }
    }

    @Test("One question of a user at a time, in the order in which they came")
    func turns() async throws {
        let turns = Turns()
        let order = Record<Int>()
        var turn = await turns.take(of: 1)
        #expect(turn != nil)
        // Another user does not wait.
        #expect(await turns.take(of: 2) != nil)
        let cancelled = Task { await turns.take(of: 1) == nil }
        cancelled.cancel()
        #expect(await cancelled.value)
        let next = Task {
            let turn = await turns.take(of: 1)
            order.append(2)
            withExtendedLifetime(turn) {}
        }
        order.append(1)
        withExtendedLifetime(turn) {}
        turn = nil
        await next.value
        #expect(order.all == [1, 2])
    }
}
