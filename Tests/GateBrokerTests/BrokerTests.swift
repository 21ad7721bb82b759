import CaptureBase
import CaptureGate
import CaptureRealtime
import Gate
import GateTestKit
import LinuxSystem
import Testing

@testable import GateBroker

@Suite("broker and its clients", .serialized, .timeLimit(.minutes(2)))
struct BrokerTests {
    /// Allows permanently.
    private let yes: @Sendable (AgentQuestion) -> QuestionEnd = { _ in .allow(.always) }

    @Test("A client is known by what the kernel says of it")
    func hello() async throws {
        let broker = try TestBroker()
        let client = try TestClient(broker.socket)
        guard case .welcome(let welcome) = try await client.call(.hello(BrokerHello())) else { throw TestFailure() }
        #expect(welcome.version == 1)
        #expect(try welcome.subject.executable.sha256 == ProcessSubject.current().executable.sha256)
        #expect(welcome.subject.userID == Users.effectiveID)
        await broker.server.stop()
    }

    @Test("Without an agent and without a rule nothing is allowed, and no device is opened")
    func noAgent() async throws {
        let broker = try TestBroker()
        let client = try await broker.client()
        guard case .asked(.failed(let failure)) = try await client.call(.ask(.bars)) else { throw TestFailure() }
        #expect(failure.kind == .notAuthorized)
        #expect(try await client.refusal(.open(.bars)) == .notAuthorized)
        #expect(broker.rings.all.isEmpty)
        #expect(broker.parts.shares.count == 0)
        #expect(try broker.decisions().isEmpty)
        await broker.server.stop()
    }

    @Test("An agent's yes is stored before the program hears of it")
    func yesIsStored() async throws {
        let broker = try TestBroker()
        let agent = try await broker.agent(yes)
        let client = try await broker.client()
        #expect(try await client.call(.ask(.bars)) == .asked(.allow(.always)))
        let stored = try broker.decisions()
        #expect(stored.map(\.decidedBy) == [.person(prompter: "agent")])
        guard case .decisions(let page) = try await client.call(.decisions(DecisionQuery())) else {
            throw TestFailure()
        }
        #expect(page.entries.map(\.decision) == stored)
        await broker.server.stop()
        await agent.ended.reached()
    }

    @Test("An agent that goes, or answers what was not offered, has stored nothing")
    func badAgents() async throws {
        let broker = try TestBroker()
        let other = LoginSession(leader: 1, startTicks: 1, bootID: "another")
        let liar = try await broker.agent { _ in .allow(.session(other)) }
        let client = try await broker.client()
        #expect(try await client.call(.ask(.bars)) == .asked(.dismissed))
        let gone = try await broker.agent { _ in .dismissed }
        gone.connection.close()
        await gone.ended.reached()
        liar.connection.close()
        await liar.ended.reached()
        #expect(try broker.decisions().isEmpty)
        await broker.server.stop()
    }

    @Test("An agent that goes with its question leaves it to the one before it")
    func nextAgent() async throws {
        let broker = try TestBroker()
        let first = try await broker.agent { _ in .allow(.always) }
        let last = try await broker.client(.agent)
        _ = try await last.call(.decisions(DecisionQuery()))
        let client = try await broker.client()
        let reply = Task { try await client.call(.ask(.bars)) }
        guard case .question = await last.next() else { throw TestFailure() }
        last.connection.close()
        #expect(try await reply.value == .asked(.allow(.always)))
        withExtendedLifetime(first) {}
        await broker.server.stop()
    }

    @Test("An agent that can't ask leaves its question to the one before it, and the first one leaves it open")
    func failedAgents() async throws {
        let broker = try TestBroker()
        let client = try await broker.client()
        let blind: @Sendable (AgentQuestion) -> QuestionEnd = { _ in
            .failed(BrokerFailure(CaptureError(.unavailable, "There is no terminal.")))
        }
        let agents = [try await broker.agent(blind), try await broker.agent(blind)]
        #expect(try await client.call(.ask(.bars)) == .asked(.dismissed))
        #expect(try broker.decisions().isEmpty)
        let seeing = try await broker.agent(yes)
        let others = [try await broker.agent(blind), try await broker.agent(blind)]
        #expect(try await client.call(.ask(.bars)) == .asked(.allow(.always)))
        withExtendedLifetime((agents, seeing, others)) {}
        await broker.server.stop()
    }

    @Test("An agent that goes with its question leaves it dismissed")
    func goneAgent() async throws {
        let broker = try TestBroker()
        let agent = try await broker.client(.agent)
        _ = try await agent.call(.decisions(DecisionQuery()))
        let client = try await broker.client()
        let reply = Task { try await client.call(.ask(.bars)) }
        guard case .question = await agent.next() else { throw TestFailure() }
        agent.connection.close()
        #expect(try await reply.value == .asked(.dismissed))
        #expect(try broker.decisions().isEmpty)
        await broker.server.stop()
    }

    @Test("A program that takes its question back is not asked about any more")
    func withdrawn() async throws {
        let broker = try TestBroker()
        let agent = try await broker.client(.agent)
        _ = try await agent.call(.decisions(DecisionQuery()))
        let client = try await broker.client()
        let reply = Task { try await client.call(.ask(.bars), id: 77) }
        guard case .question(let question) = await agent.next() else { throw TestFailure() }
        #expect(try await client.call(.withdraw(77)) == .done)
        #expect(await agent.next() == .withdrawn(question.number))
        guard case .asked(let end) = try await reply.value else { throw TestFailure() }
        if case .allow = end { Issue.record("A question without an answer was a yes.") }
        #expect(try broker.decisions().isEmpty)
        await broker.server.stop()
    }

    @Test("Frames arrive until the permission goes; then the memory is wiped, the program is told, and others go on")
    func revocation() async throws {
        let broker = try TestBroker()
        let agent = try await broker.agent(yes)
        let client = try await broker.client()
        _ = try await client.call(.ask(.bars))
        let device = try await client.openBars()
        guard case .video(let format) = device.format else { throw TestFailure() }
        #expect((format.width, format.height) == (320, 240))
        #expect(try await client.call(.start(device.stream)) == .done)
        let ring = try #require(broker.rings.all.first)
        await ring.frames.reached(3)
        let id = try #require(try broker.decisions().first?.id)
        guard case .recorded = try await agent.call(.revoke(RevokeOrder([id]))) else { throw TestFailure() }
        #expect(await client.next() == .ended(StreamEnd(device.stream, .revoked)))
        #expect(ring.reason == .revoked)
        let count = ring.frames.count
        #expect(try await client.refusal(.start(device.stream)) == .revoked)
        #expect(try await client.refusal(.open(.bars)) == .notAuthorized)
        #expect(ring.frames.count == count)
        #expect(try await client.call(.close(StreamReport(device.stream, frames: 3, bytes: 3))) == .done)
        await broker.server.stop()
        #expect(broker.parts.shares.count == 0)
    }

    @Test("Two programs share a device, which is opened once and closed with the last")
    func sharing() async throws {
        let broker = try TestBroker()
        let agent = try await broker.agent(yes)
        let (one, two) = (try await broker.client(), try await broker.client())
        _ = try await one.call(.ask(.bars))
        let first = try await one.openBars()
        var order = StreamOrder.bars
        order.wish = .video(CameraSettings(), input: "")
        guard case .opened(let second) = try await two.call(.open(order)) else { throw TestFailure() }
        #expect(first.format == second.format)
        #expect(broker.parts.shares.count == 1)
        _ = try await one.call(.start(first.stream))
        _ = try await two.call(.start(second.stream))
        let rings = broker.rings.all
        for ring in rings { await ring.frames.reached(2) }
        _ = try await one.call(.close(StreamReport(first.stream, frames: 2, bytes: 2)))
        #expect(rings.map(\.reason) == [.stopped, nil])
        await rings[1].frames.reached(rings[1].frames.count + 2)
        two.connection.close()
        await rings[1].ended.reached()
        await broker.server.stop()
        #expect(broker.parts.shares.count == 0)
        await agent.ended.reached()
    }

    @Test("A stream that was stopped starts again")
    func restart() async throws {
        let broker = try TestBroker()
        let agent = try await broker.agent(yes)
        let client = try await broker.client()
        _ = try await client.call(.ask(.bars))
        let device = try await client.openBars()
        let ring = try #require(broker.rings.all.first)
        for _ in 0..<2 {
            #expect(try await client.call(.start(device.stream)) == .done)
            await ring.frames.reached(ring.frames.count + 2)
            #expect(try await client.call(.stop(device.stream)) == .done)
        }
        await broker.server.stop()
        await agent.ended.reached()
    }

    @Test("A hundred programs come and go, and leave no descriptor and no device")
    func crowd() async throws {
        let broker = try TestBroker()
        let agent = try await broker.agent(yes)
        let first = try await broker.client()
        _ = try await first.call(.ask(.bars))
        for round in 0..<100 {
            let client = try await broker.client()
            let device = try await client.openBars()
            if round.isMultiple(of: 2) { _ = try await client.call(.start(device.stream)) }
            client.connection.close()
        }
        await broker.server.stop()
        await agent.ended.reached()
        #expect(broker.rings.all.count == 100)
        #expect(broker.rings.all.allSatisfy { $0.reason == .stopped })
        #expect(broker.parts.shares.count == 0)
        #expect(broker.server.count == 0)
    }

    @Test("The broker's end is seen by all, and what was lent is wiped")
    func end() async throws {
        let broker = try TestBroker()
        let agent = try await broker.agent(yes)
        let client = try await broker.client()
        _ = try await client.call(.ask(.bars))
        let device = try await client.openBars()
        _ = try await client.call(.start(device.stream))
        await broker.server.stop()
        await client.ended.reached()
        await agent.ended.reached()
        #expect(broker.rings.all.map(\.reason) == [.stopped])
    }
}
