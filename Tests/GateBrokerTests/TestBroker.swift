import CaptureBase
import CaptureGate
import CaptureRealtime
import Dispatch
import Gate
import GateTestKit
import LinuxSystem
import Testing

@testable import GateBroker

/// A broker in a separate directory, whose rings keep everything written to them.
final class TestBroker: Sendable {
    let folder: String
    let server: BrokerServer
    let parts: BrokerParts
    let rings = Record<MemoryRing>()

    var socket: String { folder + "/broker" }

    /// - Parameter agents: programs that may be agents; by default this one.
    init(agents programs: [String]? = nil) throws {
        folder = try TestFolder.make()
        let own = try #require(ProcessFile.link("/proc/self/exe"))
        let configuration = try BrokerConfiguration(arguments: ["--socket", folder + "/broker", "--state", folder])
        let agents = Agents()
        let rings = rings
        parts = BrokerParts(
            gates: UserGates(in: folder, asking: agents), agents: agents,
            programs: AgentPrograms(programs ?? [own], owners: [0, Users.effectiveID]),
            shares: DeviceShares { _ throws(CaptureError) in
                let ring = try MemoryRing()
                rings.append(ring)
                return ring
            })
        server = try BrokerServer(configuration, parts: parts)
        server.start()
    }

    /// A program that has said hello.
    func client(_ role: BrokerHello.Role = .client) async throws -> TestClient {
        let client = try TestClient(socket)
        guard case .welcome = try await client.call(.hello(BrokerHello(role))) else { throw TestFailure() }
        return client
    }

    /// An agent that answers all questions alike.
    func agent(_ end: @escaping @Sendable (AgentQuestion) -> QuestionEnd) async throws -> TestClient {
        let agent = try await client(.agent)
        // Its replies come in order: once it has this one, the broker has it among its agents.
        _ = try await agent.call(.decisions(DecisionQuery()))
        Task {
            while let event = await agent.next() {
                guard case .question(let question) = event else { continue }
                _ = try await agent.call(.answer(AgentAnswer(to: question.number, end(question), by: "test")))
            }
        }
        return agent
    }

    /// Decisions of this user.
    func decisions() throws -> [Decision] { try parts.gates.store(of: Users.effectiveID).snapshot().decisions }

    /// Number of sockets that the broker has: the listening one, and one for each connection.
    func sockets() throws -> Int {
        try #require(ProcessFile.text("/proc/net/unix")).split(separator: "\n").count { $0.hasSuffix(" " + socket) }
    }
}

struct TestFailure: Error {}

/// Memory of a stream, which counts.
final class MemoryRing: LentRing {
    let frames = Signal()
    let ended = Signal()
    private let end = Locked<LoopEnd?>(nil)
    private let ready: (EventDescriptor, EventDescriptor)
    let (slots, slotBytes) = (4, 1 << 20)

    init() throws(CaptureError) {
        do throws(Errno) {
            ready = (try EventDescriptor(), try EventDescriptor())
        } catch {
            throw CaptureError(.unavailable, "No descriptor is left.")
        }
    }

    var files: [RawDescriptor] { [RawDescriptor(ready.0.descriptor), RawDescriptor(ready.1.descriptor)] }

    var reason: LoopEnd? { end.withLock { $0 } }

    func write(_ header: FrameHeader, _ first: RawSpan, _ second: RawSpan, _ third: RawSpan) {
        if header.byteCount == first.byteCount + second.byteCount + third.byteCount { frames.raise() }
    }

    func end(_ reason: LoopEnd) {
        end.withLock { $0 = reason }
        ended.raise()
    }
}

/// A program's end of a connection, without a library's good manners.
final class TestClient: Sendable {
    private struct State {
        var last: UInt32 = 0
        var waiting: [UInt32: CheckedContinuation<BrokerReply?, Never>] = [:]
        var isOver = false
    }

    let connection: BrokerConnection
    /// Raised at the end of the connection.
    let ended = Signal()
    private let state = Locked(State())
    private let events: AsyncStream<BrokerEvent>

    init(_ path: String) throws {
        let connection = try BrokerConnection(connectingTo: path, of: Users.effectiveID)
        let (events, continuation) = AsyncStream.makeStream(of: BrokerEvent.self)
        self.connection = connection
        self.events = events
        DispatchQueue(label: "test.client").async { [weak self] in
            while case .packet(let packet, _) = try? connection.receive(until: .never) {
                switch packet.message {
                case .reply(let reply): self?.take(packet.id, reply)
                case .event(let event): continuation.yield(event)
                case .request: break
                }
            }
            continuation.finish()
            self?.finish()
        }
    }

    deinit { connection.close() }

    private func take(_ id: UInt32, _ reply: BrokerReply) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: reply)
    }

    private func finish() {
        let waiting = state.withLock { state in
            state.isOver = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for one in waiting { one.resume(returning: nil) }
        ended.raise()
    }

    /// Sends a request and waits for its reply; throws where the connection ends instead.
    ///
    /// - Parameter files: that belong to it; they stay the caller's.
    func call(
        _ request: BrokerRequest, id: UInt32? = nil, _ files: [RawDescriptor] = []
    ) async throws -> BrokerReply {
        let number = state.withLock { state in
            state.last += 1
            return id ?? state.last
        }
        let reply = await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.waiting[number] = continuation }
                return state.isOver
            }
            if isOver { return continuation.resume(returning: nil) }
            // If it fails, the reader sees the end.
            try? connection.send(BrokerPacket(.request(request), id: number), files, until: .never)
        }
        guard let reply else { throw TestFailure() }
        return reply
    }

    /// The kind of the refusal of a request.
    func refusal(_ request: BrokerRequest, _ files: [RawDescriptor] = []) async throws -> CaptureError.Kind {
        guard case .failed(let failure) = try await call(request, files) else { throw TestFailure() }
        return failure.kind
    }

    /// The next event but changes; `nil` at the end of the connection.
    func next() async -> BrokerEvent? {
        for await event in events where event != .changed { return event }
        return nil
    }

    /// Opens the built-in camera.
    func openBars() async throws -> LentDevice {
        guard case .opened(let device) = try await call(.open(.bars)) else { throw TestFailure() }
        return device
    }
}

extension StreamOrder {
    /// The built-in camera, small and fast.
    static var bars: StreamOrder {
        var settings = CameraSettings()
        (settings.width, settings.height) = (320, 240)
        (settings.fpsNumerator, settings.fpsDenominator) = (60, 1)
        return StreamOrder(
            DeviceID(rawValue: "test:bars"), as: .camera, for: .video, purpose: "Test", .video(settings, input: ""))
    }
}

extension DeviceList {
    /// A question for the built-in camera.
    static var bars: DeviceList {
        DeviceList([
            DeviceRequest(
                capability: .camera, level: .video, device: .id(DeviceID(rawValue: "test:bars")), purpose: "Test")
        ])
    }
}
