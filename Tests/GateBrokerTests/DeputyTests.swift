import CaptureBase
import CaptureGate
import Gate
import GateTestKit
import Glibc
import LinuxSystem
import Testing

@testable import GateBroker

@Suite("deputies", .serialized, .timeLimit(.minutes(2)))
struct DeputyTests {
    @Test("A deputy's program is asked about, written down and captured for, and not the deputy")
    func capture() async throws {
        let broker = try TestBroker()
        let agent = try await broker.agent { _ in .allow(.always) }
        let program = try Principal()
        let deputy = try await program.deputy(of: broker)
        #expect(deputy.subject.executable.path == program.path)
        #expect(try await deputy.client.call(.ask(.bars)) == .asked(.allow(.always)))
        #expect(try broker.decisions().map(\.subject.executable.path) == [program.path])
        let device = try await deputy.client.openBars()
        #expect(try await deputy.client.call(.start(device.stream)) == .done)
        await (try #require(broker.rings.all.first)).frames.reached(2)
        // What that program may, this one may not.
        let own = try await broker.client()
        #expect(try await own.refusal(.open(.bars)) == .notAuthorized)
        await broker.server.stop()
        withExtendedLifetime(agent) {}
    }

    @Test("What a deputy may itself does not count for its program")
    func ownGrant() async throws {
        let broker = try TestBroker()
        let agent = try await broker.agent { _ in .allow(.always) }
        let own = try await broker.client()
        #expect(try await own.call(.ask(.bars)) == .asked(.allow(.always)))
        let program = try Principal()
        let deputy = try await program.deputy(of: broker)
        #expect(try await deputy.client.refusal(.open(.bars)) == .notAuthorized)
        guard case .decisions(let page) = try await deputy.client.call(.decisions(DecisionQuery())) else {
            throw TestFailure()
        }
        #expect(page.entries.isEmpty)
        await broker.server.stop()
        withExtendedLifetime(agent) {}
    }

    @Test("With the program that is captured for its capture ends, and the connection")
    func end() async throws {
        let broker = try TestBroker()
        let agent = try await broker.agent { _ in .allow(.always) }
        let program = try Principal()
        let deputy = try await program.deputy(of: broker)
        _ = try await deputy.client.call(.ask(.bars))
        let device = try await deputy.client.openBars()
        _ = try await deputy.client.call(.start(device.stream))
        let ring = try #require(broker.rings.all.first)
        await ring.frames.reached()
        program.end()
        await deputy.client.ended.reached()
        await ring.ended.reached()
        await broker.server.stop()
        #expect(broker.parts.shares.count == 0)
        withExtendedLifetime(agent) {}
    }

    @Test("A program that may not be an agent may be no deputy")
    func falseDeputy() async throws {
        let broker = try TestBroker(agents: ["/usr/bin/env"])
        let program = try Principal()
        let client = try TestClient(broker.socket)
        #expect(try await client.refusal(.hello(BrokerHello(.deputy)), [program.handle.descriptor]) == .notAuthorized)
        await client.ended.reached()
        await broker.server.stop()
    }

    @Test("Another file than a process, and a process that has ended, are refused")
    func noProcess() async throws {
        let broker = try TestBroker()
        let file = try FileDescriptor(opening: "/dev/null", .readOnly)
        let ended = try Principal()
        ended.end()
        for descriptor in [RawDescriptor(file.number), ended.handle.descriptor] {
            let client = try TestClient(broker.socket)
            #expect(try await client.refusal(.hello(BrokerHello(.deputy)), [descriptor]) == .notAuthorized)
            await client.ended.reached()
        }
        await broker.server.stop()
    }

    @Test("A hello without a process, or with one too many, ends the connection")
    func files() async throws {
        let broker = try TestBroker()
        let program = try Principal()
        for (role, count) in [(BrokerHello.Role.deputy, 0), (.deputy, 2), (.client, 1), (.agent, 1)] {
            let bytes = try BrokerPacket(.request(.hello(BrokerHello(role))), id: 1).encoded()
            let socket = try MessageSocket(connectingTo: broker.socket)
            try socket.send(bytes, Array(repeating: program.handle.descriptor, count: count))
            var items = [PollItem(socket.number)]
            _ = try Poll.wait(for: &items, until: .never)
            #expect(try socket.receive(upTo: 64) == nil)
        }
        await broker.server.stop()
    }

    @Test(
        "A deputy changes nothing in its program's name",
        arguments: [
            BrokerRequest.grant(.blank), .revoke(.blank), .killSwitch(.blank), .machineSwitch(.blank), .set(.blank),
            .answer(.blank),
        ])
    func orders(_ request: BrokerRequest) async throws {
        let broker = try TestBroker()
        let program = try Principal()
        let deputy = try await program.deputy(of: broker)
        await #expect(throws: TestFailure.self) { try await deputy.client.call(request) }
        await deputy.client.ended.reached()
        await broker.server.stop()
    }
}

/// A program that only waits, to be captured for.
private final class Principal: Sendable {
    let path: String
    let handle: ProcessHandle
    private let process: pid_t
    private let hasEnded = Locked(false)

    init() throws {
        path = try FileSystem.realPath(of: "/usr/bin/sleep")
        var child: pid_t = 0
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("600"), nil]
        defer { for word in words { free(word) } }
        guard posix_spawn(&child, path, nil, nil, &words, environ) == 0 else { throw TestFailure() }
        process = child
        handle = try ProcessHandle(process: child)
    }

    deinit { end() }

    /// Ends it, and waits until it has ended.
    func end() {
        hasEnded.withLock { hasEnded in
            guard !hasEnded else { return }
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
            hasEnded = true
        }
    }

    /// A connection that captures for it, and whom the broker takes that for.
    func deputy(of broker: TestBroker) async throws -> (client: TestClient, subject: Subject) {
        let client = try TestClient(broker.socket)
        guard case .welcome(let welcome) = try await client.call(.hello(BrokerHello(.deputy)), [handle.descriptor])
        else { throw TestFailure() }
        return (client, welcome.subject)
    }
}
