import CaptureBase
import CaptureGate
import CaptureRealtime
import Gate
import GateTestKit
import LinuxSystem
import Testing

@testable import GateBroker

@Suite("clients that lie", .serialized, .timeLimit(.minutes(2)))
struct LyingClientTests {
    @Test(
        "What is no request of a greeted program ends its connection",
        arguments: [
            BrokerMessage.request(.start(1)), .reply(.done), .event(.changed), .request(.answer(.blank)),
        ])
    func first(_ message: BrokerMessage) async throws {
        let isEvent = if case .event = message { true } else { false }
        let broker = try TestBroker()
        let client = try TestClient(broker.socket)
        try client.connection.send(BrokerPacket(message, id: isEvent ? 0 : 1))
        await client.ended.reached()
        await broker.server.stop()
    }

    @Test(
        "Bytes that are no message end the connection", arguments: [[0], [0x43, 0x47, 0x42, 0x52, 9, 9]] as [[UInt8]])
    func bytes(_ bytes: [UInt8]) async throws {
        let broker = try TestBroker()
        let socket = try MessageSocket(connectingTo: broker.socket)
        try socket.send(bytes)
        var items = [PollItem(socket.number)]
        _ = try Poll.wait(for: &items, until: .never)
        #expect(try socket.receive(upTo: 64) == nil)
        await broker.server.stop()
    }

    @Test("A second hello, an answer of a program that is no agent, and a number that is in use end the connection")
    func order() async throws {
        let broker = try TestBroker()
        for request in [BrokerRequest.hello(BrokerHello()), .answer(.blank)] {
            let client = try await broker.client()
            await #expect(throws: TestFailure.self) { try await client.call(request) }
            await client.ended.reached()
        }
        let agent = try await broker.client(.agent)
        _ = try await agent.call(.decisions(DecisionQuery()))
        let client = try await broker.client()
        let first = Task { try await client.call(.ask(.bars), id: 9) }
        _ = await agent.next()
        try client.connection.send(BrokerPacket(.request(.stop(1)), id: 9))
        await client.ended.reached()
        await #expect(throws: TestFailure.self) { try await first.value }
        await broker.server.stop()
    }

    @Test("A program that is no agent's is refused as one")
    func falseAgent() async throws {
        let broker = try TestBroker(agents: ["/usr/bin/env"])
        let client = try TestClient(broker.socket)
        #expect(try await client.refusal(.hello(BrokerHello(.agent))) == .notAuthorized)
        await client.ended.reached()
        #expect(!broker.parts.agents.hasAgent(of: Users.effectiveID))
        await broker.server.stop()
    }

    @Test("A version that the broker does not speak is refused")
    func version() async throws {
        let broker = try TestBroker()
        let client = try TestClient(broker.socket)
        var hello = BrokerHello()
        (hello.lowest, hello.highest) = (7, 9)
        #expect(try await client.refusal(.hello(hello)) == .unavailable)
        await client.ended.reached()
        await broker.server.stop()
    }

    @Test("Streams that are not its own, formats of other devices and levels that there are not are refused")
    func fields() async throws {
        let broker = try TestBroker()
        let agent = try await broker.agent { _ in .allow(.always) }
        let client = try await broker.client()
        _ = try await client.call(.ask(.bars))
        for request in [BrokerRequest.start(5), .stop(0), .close(.blank), .reopen(.blank)] {
            #expect(try await client.refusal(request) == .usage)
        }
        var order = StreamOrder.bars
        order.wish = .audio(PCMSettings())
        #expect(try await client.refusal(.open(order)) == .usage)
        order = .bars
        order.capability = CapabilityName(rawValue: "teleport")
        #expect(try await client.refusal(.open(order)) == .usage)
        order = .bars
        order.device = DeviceID(rawValue: "../../dev/video0")
        #expect(try await client.refusal(.open(order)) == .noDevice)
        #expect(try await client.refusal(.decisions(DecisionQuery(isOfUser: true))) == .notAuthorized)
        #expect(try await client.refusal(.spend(RevokeOrder([1]))) == .notAuthorized)
        #expect(broker.rings.all.isEmpty)
        #expect(broker.parts.shares.count == 0)
        await broker.server.stop()
        await agent.ended.reached()
    }

    @Test("A grant by command needs the person, and is never about another user")
    func grants() async throws {
        let broker = try TestBroker()
        let client = try await broker.client()
        let subject = try ProcessSubject.current()
        let other = Subject(
            userID: subject.userID + 1, groupIDs: [], executable: subject.executable, application: nil,
            session: subject.session)
        for (subject, kind) in [(subject, CaptureError.Kind.notAuthorized), (other, .usage)] {
            let decision = Decision(
                verdict: .allow, subject: subject, capability: .camera, level: .video, device: .any, lifetime: .always,
                decidedBy: .system, decidedAt: SystemGateClock().now)
            #expect(try await client.refusal(.grant(GrantOrder([decision]))) == kind)
        }
        #expect(try await client.refusal(.killSwitch(SwitchOrder(.camera, isOff: false))) == .notAuthorized)
        guard case .recorded = try await client.call(.killSwitch(SwitchOrder(.camera, isOff: true))) else {
            throw TestFailure()
        }
        #expect(try broker.decisions().isEmpty)
        await broker.server.stop()
    }

    @Test("That root alone can change a program is what the broker sees, also in an order about another program")
    func rootAlone() async throws {
        let broker = try TestBroker()
        let client = try await broker.client()
        let own = try ProcessSubject.current()
        let root = try ProcessSubject.executable(at: "/usr/bin/true")
        let forged = Executable(path: root.path, inode: root.inode, sha256: own.executable.sha256)
        for (executable, isRoots) in [(root, true), (forged, false)] {
            let subject = Subject(
                userID: own.userID, groupIDs: [], executable: executable, application: nil, session: own.session)
            // A no needs nobody's confirmation.
            let decision = Decision(
                verdict: .deny, subject: subject, capability: .camera, level: .video, device: .any, lifetime: .always,
                decidedBy: .system, decidedAt: SystemGateClock().now)
            guard case .recorded = try await client.call(.grant(GrantOrder([decision]))) else { throw TestFailure() }
            // Each replaces the one before: they are about the same program.
            #expect(try broker.decisions().map(\.subject.executable.isOfRootAlone) == [isRoots])
        }
        await broker.server.stop()
    }

    @Test("More streams than a program may have are refused")
    func streams() async throws {
        let broker = try TestBroker()
        let agent = try await broker.agent { _ in .allow(.always) }
        let client = try await broker.client()
        _ = try await client.call(.ask(.bars))
        for _ in 0..<BrokerLimit.streams { _ = try await client.openBars() }
        #expect(try await client.refusal(.open(.bars)) == .busy)
        await broker.server.stop()
        await agent.ended.reached()
        #expect(broker.parts.shares.count == 0)
    }

    @Test("More connections than a user may have are closed")
    func connections() async throws {
        let broker = try TestBroker()
        let client = try await broker.client()
        // A connection counts before it has said hello.
        let others = try (1..<BrokerLimit.connections).map { _ in
            try BrokerConnection(connectingTo: broker.socket, of: Users.effectiveID)
        }
        let late = try TestClient(broker.socket)
        await late.ended.reached()
        #expect(broker.server.count == BrokerLimit.connections)
        await broker.server.stop()
        withExtendedLifetime((client, others)) {}
    }
}
