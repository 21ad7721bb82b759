import CaptureGate
import Dispatch
import Gate
import LinuxSystem

/// Connection of one program: its requests in their order, its questions, and its streams.
///
/// Requests that wait, for a person or for a device, run beside the others. A violation of the protocol ends the connection with
/// all its requests and streams.
///
/// *thread-safe*
final class BrokerClient: AgentLink {
    private struct State {
        /// `nil` before the hello.
        var role: BrokerHello.Role?
        /// The program that a deputy captures for.
        var principal: ClientIdentity?
        /// Requests that have no reply yet, and their work.
        var waiting: [UInt32: Task<Void, Never>?] = [:]
        /// The gate of the program as it was at its last request.
        var gate: Gatekeeper?
        /// True from the end on: nothing is taken, nothing is sent.
        var isClosed = false
        /// Work that is left after the end.
        var ending: Task<Void, Never>?
    }

    /// The program, by the kernel's word.
    let identity: ClientIdentity
    /// Shared with all other connections.
    let parts: BrokerParts
    /// All streams that it was lent.
    let streams = StreamRegister()
    /// To the program.
    private let connection: BrokerConnection
    private let onClose: @Sendable (BrokerClient) -> Void
    /// Takes the requests, one after the other.
    private let queue: DispatchQueue
    private let state = Locked(State())
    /// Reports incoming requests; `nil` after the end.
    private let watch = Locked<ReadWatch?>(nil)
    /// Reports the end of the program that a deputy captures for.
    private let principalWatch = Locked<ReadWatch?>(nil)
    /// Observation of decisions and rules, whose changes are reported to the program.
    private let observation = Locked<(any ChangeObservation)?>(nil)

    /// - Parameters:
    ///   - identity: the program, by the kernel's word.
    ///   - connection: to it.
    ///   - parts: shared with all other connections.
    ///   - onClose: is called once, at the end.
    init(
        _ identity: ClientIdentity, _ connection: BrokerConnection, _ parts: BrokerParts,
        onClose: @escaping @Sendable (BrokerClient) -> Void
    ) {
        self.identity = identity
        self.connection = connection
        self.parts = parts
        self.onClose = onClose
        queue = DispatchQueue(label: "capturegated.client", qos: .userInitiated)
    }

    /// Begins to read requests.
    func begin() {
        let watch = ReadWatch(connection.descriptor, on: queue, keeping: connection) { [weak self] in self?.take() }
        self.watch.withLock { $0 = watch }
        // Ended before it was watched.
        if state.withLock({ $0.isClosed }) { self.watch.withLock { $0 = nil } }
    }

    /// Ends the connection, and waits until all its resources are released.
    func end() async {
        close()
        let ending = remaining
        await ending?.value
    }

    /// Work that is left after the end.
    private var remaining: Task<Void, Never>? { state.withLock { $0.ending } }

    /// Sends the program an event that it has not requested.
    func send(_ event: BrokerEvent) { post(BrokerPacket(.event(event))) }

    /// Sends a packet. A program that reads nothing loses its connection, and nobody waits for it.
    private func post(_ packet: BrokerPacket, _ files: [RawDescriptor] = []) {
        do throws(CaptureError) {
            try connection.send(packet, files)
        } catch {
            close()
        }
    }

    /// Ends the connection; the second call does nothing.
    func close() {
        let work = state.withLock { state -> [Task<Void, Never>]? in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            state.ending = Task { await self.giveBack() }
            defer { state.waiting = [:] }
            return state.waiting.values.compactMap { $0 }
        }
        guard let work else { return }
        connection.close()
        watch.withLock { $0 = nil }
        principalWatch.withLock { $0 = nil }
        observation.withLock { $0 = nil }
        parts.agents.remove(self, of: identity.user)
        for task in work { task.cancel() }
    }

    /// Releases all streams. Only then is the connection forgotten, so that the server's end waits for it.
    private func giveBack() async {
        for stream in streams.close() { await stream.release("the program disconnected") }
        onClose(self)
    }
}

// MARK: - Requests

extension BrokerClient {
    /// Takes the next packet; the queue is called again if there are more.
    private func take() {
        guard !state.withLock({ $0.isClosed }) else { return }
        guard let arrival = try? connection.receive(until: .now) else { return close() }
        switch arrival {
        case .nothing: return
        case .end: close()
        case .packet(let packet, let files):
            guard case .request(let request) = packet.message, enter(packet.id) else { return close() }
            serve(request, files, packet.id)
        }
    }

    /// Notes a request. False if its number is in use, or too many wait.
    private func enter(_ id: UInt32) -> Bool {
        state.withLock { state in
            guard state.waiting[id] == nil, state.waiting.count < BrokerLimit.requests else { return false }
            state.waiting[id] = .some(nil)
            return true
        }
    }

    /// Replies, unless the connection has ended meanwhile.
    ///
    /// - Returns: false if nobody gets the reply.
    @discardableResult
    private func reply(_ id: UInt32, _ reply: BrokerReply, _ files: [RawDescriptor] = []) -> Bool {
        guard state.withLock({ $0.waiting.removeValue(forKey: id) != nil }) else { return false }
        post(BrokerPacket(.reply(reply), id: id), files)
        return true
    }

    /// Replies now with what a body makes, or with its error.
    private func reply(_ id: UInt32, _ body: () throws(CaptureError) -> BrokerReply) {
        do throws(CaptureError) {
            reply(id, try body())
        } catch {
            reply(id, .failed(BrokerFailure(error)))
        }
    }

    /// Replies later, with what a task makes, or with its error.
    private func later(
        _ id: UInt32, _ body: @escaping @Sendable (BrokerClient) async throws(CaptureError) -> BrokerReply
    ) {
        let task = Task {
            do throws(CaptureError) {
                self.reply(id, try await body(self))
            } catch {
                self.reply(id, .failed(BrokerFailure(error)))
            }
        }
        keep(task, of: id)
    }

    /// Notes a request's task, to be cancelled with it.
    private func keep(_ task: Task<Void, Never>, of id: UInt32) {
        let isClosed = state.withLock { state in
            // It may have replied already.
            if state.waiting[id] != nil { state.waiting[id] = .some(task) }
            return state.isClosed
        }
        if isClosed { task.cancel() }
    }

    /// Begins the work of a request. One that is out of turn ends the connection.
    private func serve(_ request: BrokerRequest, _ files: ReceivedFiles, _ id: UInt32) {
        guard let role = state.withLock({ $0.role }) else {
            guard case .hello(let hello) = request else { return close() }
            return greet(hello, files, id)
        }
        guard role != .deputy || request.isOfDeputies else { return close() }
        switch request {
        case .hello: close()
        case .answer(let answer):
            guard role == .agent else { return close() }
            parts.agents.answer(answer, by: self)
            reply(id, .done)
        case .withdraw(let other):
            let task = state.withLock { state in state.waiting[other].flatMap { $0 } }
            task?.cancel()
            reply(id, .done)
        case .start(let stream): later(id) { client throws(CaptureError) in try await client.start(stream) }
        case .stop(let stream): later(id) { client throws(CaptureError) in try await client.stop(stream) }
        case .close(let report): later(id) { client throws(CaptureError) in try await client.close(report) }
        case .formats(let choice): later(id) { _ throws(CaptureError) in try await DeviceAnswers.formats(choice) }
        default: judge(request, id, role)
        }
    }

    /// The first request: only now is the program read, since only now anything is wanted of it.
    private func greet(_ hello: BrokerHello, _ files: ReceivedFiles, _ id: UInt32) {
        do throws(CaptureError) {
            let common =
                max(
                    hello.lowest, BrokerLimit.versions.lowerBound)...max(
                    hello.lowest, BrokerLimit.versions.lowerBound, min(hello.highest, BrokerLimit.versions.upperBound))
            guard BrokerLimit.versions.contains(common.upperBound), common.upperBound <= hello.highest else {
                throw .otherVersion
            }
            // It was checked with the packet that there is one.
            if hello.role == .deputy, let file = files.take().first { try follow(file) }
            let subject = try subject()
            if hello.role == .agent { try parts.programs.check(subject.executable) }
            let store = try parts.gates.store(of: identity.user)
            state.withLock { $0.role = hello.role }
            let seen = store.observeChanges { [weak self] in self?.send(.changed) }
            observation.withLock { $0 = seen }
            var welcome = BrokerWelcome(subject: subject)
            welcome.version = common.upperBound
            reply(id, .welcome(welcome))
            if hello.role == .agent { parts.agents.add(self, of: identity.user) }
        } catch {
            reply(id, .failed(BrokerFailure(error)))
            close()
        }
    }

    /// Takes note of the program that a deputy captures for: the connection ends with it.
    private func follow(_ file: RawDescriptor) throws(CaptureError) {
        let principal = try ClientIdentity(owning: file, of: identity.user)
        state.withLock { $0.principal = principal }
        let end = ReadWatch(principal.descriptor, on: queue, keeping: principal) { [weak self] in self?.close() }
        principalWatch.withLock { $0 = end }
    }

    /// The program as it is now that is decided about: this one, or the one that it may capture for.
    private func subject() throws(CaptureError) -> Subject {
        let known = try parts.gates.store(of: identity.user).executables()
        let own = try identity.subject(known: known)
        guard let principal = state.withLock({ $0.principal }) else { return own }
        try parts.programs.check(own.executable)
        return try principal.subject(known: known)
    }

    /// Requests that could give the program something: the program is identified again before each.
    private func judge(_ request: BrokerRequest, _ id: UInt32, _ role: BrokerHello.Role) {
        let gate: Gatekeeper
        let subject: Subject
        do throws(CaptureError) {
            subject = try self.subject()
            gate = try gatekeeper(of: subject)
        } catch {
            // By now another program uses this connection, or one that can't be identified.
            reply(id, .failed(BrokerFailure(error)))
            return close()
        }
        let orders = DecisionOrders(gate: gate, subject: subject, isAgent: role == .agent)
        switch request {
        case .decisions(let query): reply(id) { () throws(CaptureError) in try orders.page(query) }
        case .spend(let order): reply(id) { () throws(CaptureError) in try orders.spend(order.ids) }
        case .ask(let list): later(id) { _ throws(CaptureError) in await orders.ask(list.requests) }
        case .killSwitch(let order): later(id) { _ throws(CaptureError) in try await orders.turn(order) }
        case .grant(let order): later(id) { _ throws(CaptureError) in try await orders.grant(order.decisions) }
        case .revoke(let order): later(id) { _ throws(CaptureError) in try await orders.revoke(order.ids) }
        case .machineSwitch(let order):
            let switches = MachineSwitches(gates: parts.gates, client: identity)
            later(id) { _ throws(CaptureError) in try await switches.turn(order, by: subject) }
        case .controls(let choice):
            later(id) { _ throws(CaptureError) in try await DeviceAnswers.controls(choice, by: gate) }
        case .set(let order): later(id) { _ throws(CaptureError) in try await DeviceAnswers.set(order, by: gate) }
        case .open(let order): open(order, id, gate)
        case .reopen(let order): reopen(order, id)
        default: close()
        }
    }

    /// Gate of the program as it is now: the previous one if the program is the same.
    private func gatekeeper(of subject: Subject) throws(CaptureError) -> Gatekeeper {
        if let gate = state.withLock({ $0.gate }), case .success(subject) = gate.subject { return gate }
        let gate = try parts.gates.gatekeeper(of: subject)
        state.withLock { $0.gate = gate }
        return gate
    }
}

// MARK: - Streams

extension BrokerClient {
    /// Lends a device that the program asks for.
    private func open(_ order: StreamOrder, _ id: UInt32, _ gate: Gatekeeper) {
        lend(id) { client throws(CaptureError) in
            let number = try client.streams.reserve()
            do throws(CaptureError) {
                return try await client.parts.shares.lend(order, number, by: gate, to: client)
            } catch {
                client.streams.cancel(number)
                throw error
            }
        }
    }

    /// Lends a device again that was unplugged meanwhile, under the same number.
    private func reopen(_ order: StreamReturn, _ id: UInt32) {
        lend(id) { client throws(CaptureError) in
            let old = try client.streams.take(order.stream, reserving: true)
            do throws(CaptureError) {
                return try await client.parts.shares.lend(again: old, order.wish, to: client)
            } catch {
                client.streams.cancel(order.stream)
                throw error
            }
        }
    }

    /// Replies with a stream, or releases it at once if the connection has ended.
    private func lend(
        _ id: UInt32, _ body: @escaping @Sendable (BrokerClient) async throws(CaptureError) -> LentStream
    ) {
        let task = Task {
            do throws(CaptureError) {
                let stream = try await body(self)
                guard self.streams.add(stream), self.reply(id, .opened(stream.device), stream.files) else {
                    self.streams.remove(stream.number)
                    await stream.release("the program disconnected")
                    return
                }
                // From now on: an event about a stream comes after the reply that names it.
                stream.watch()
            } catch {
                self.reply(id, .failed(BrokerFailure(error)))
            }
        }
        keep(task, of: id)
    }

    /// Has a stream's frames come from now on.
    private func start(_ number: UInt32) async throws(CaptureError) -> BrokerReply {
        try await streams.stream(number).start()
        return .done
    }

    /// Has no more frames come, and keeps the device.
    private func stop(_ number: UInt32) async throws(CaptureError) -> BrokerReply {
        try await streams.stream(number).stop()
        return .done
    }

    /// Ends a stream; the program says how much of it it has taken, for the log.
    ///
    /// - Throws: `.store` if the log does not have the end. The device is free all the same.
    private func close(_ report: StreamReport) async throws(CaptureError) -> BrokerReply {
        let stream = try streams.take(report.stream)
        let unlogged = await stream.release("stopped by the program", frames: report.frames, bytes: report.bytes)
        if let unlogged { throw unlogged }
        return .done
    }
}

extension CaptureError {
    /// Refusal of a program that speaks another version.
    fileprivate static let otherVersion = CaptureError(
        .unavailable,
        "The capture broker supports version \(BrokerLimit.versions.upperBound) of its protocol, but this program uses another.",
        remedies: [Remedy("Update CaptureGate, so that the program and the broker have the same version.")])
}
