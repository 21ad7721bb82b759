import Dispatch
import Gate
import GateStore
import LinuxSystem

/// A program's connection to the broker, shared by all of the program's requests.
///
/// It is made with the first request. After the broker has gone, the next request makes it again: open requests then have failed,
/// and all streams have ended. If the broker sends an invalid message, the connection ends, too.
///
/// *thread-safe*
package final class BrokerLink: Sendable {
    /// The broker's socket on every machine.
    package static let socket = "/run/capturegate/broker"

    /// The machine's broker, if there is one: searched for once. A socket that belongs neither to root nor to the broker does not
    /// count.
    ///
    /// If it exists and does not answer, nothing is captured.
    package static let machine: BrokerLink? = {
        let user = machineUser
        guard case .success(let status) = FileStatus.ofLink(socket), status.kind == .socket,
            [0, user].contains(status.owner)
        else { return nil }
        return BrokerLink(of: user)
    }()

    /// User that the machine's broker runs as: its own, or root if none exists.
    package static var machineUser: UInt32 { (try? Users.id(ofUser: "capturegate")) ?? 0 }

    /// News of a stream.
    package enum StreamNews: Hashable, Sendable {
        /// The gate has ended its capture.
        case ended(CaptureEndReason)
        /// Its device has gone or failed.
        case gone(CaptureError)
        /// The broker has.
        case lost
    }

    /// A reply, and the files that came with it.
    package struct Reply: Sendable {
        package let body: BrokerReply
        package let files: ReceivedFiles
        /// Number of the connection that it came by: streams are of one connection.
        package let connection: UInt64
    }

    /// A request that waits for its reply.
    private struct Pending: Sendable {
        let done: @Sendable (Result<Reply, CaptureError>) -> Void
        /// Gets the news of a stream that the reply opens.
        let news: (@Sendable (StreamNews) -> Void)?
    }

    private struct State {
        var connection: BrokerConnection?
        /// Number of the connection, counted from 1.
        var epoch: UInt64 = 0
        var welcome: BrokerWelcome?
        var last: UInt32 = 0
        var pending: [UInt32: Pending] = [:]
        /// Requests that nobody waits for any more; their replies are dropped.
        var dropped: Set<UInt32> = []
        var streams: [UInt32: @Sendable (StreamNews) -> Void] = [:]
    }

    let path: String
    let user: UInt32
    /// True if it also lends the built-in test devices, as in its tests.
    let lendsBuiltIn: Bool
    private let role: BrokerHello.Role
    /// Program on whose behalf this one captures; `nil` if it is this one.
    private let principal: ProcessHandle?
    /// Files that are sent with the hello: those of the principal.
    private let helloFiles: [RawDescriptor]
    private let onEvent: (@Sendable (BrokerEvent?) -> Void)?
    private let state = Locked(State())
    private let observers = Observers()
    /// Connects and sends: both may wait for the broker.
    private let queue = DispatchQueue(label: "capturegate.broker", qos: .userInitiated)

    /// - Parameters:
    ///   - path: of the socket.
    ///   - user: that the broker must run as.
    ///   - role: of this program.
    ///   - lendsBuiltIn: set for built-in devices to be opened by the broker, too.
    ///   - onEvent: gets an agent's events, in their order; `nil` at the end of a connection.
    package init(
        at path: String = socket, of user: UInt32 = 0, as role: BrokerHello.Role = .client,
        lendsBuiltIn: Bool = false, onEvent: (@Sendable (BrokerEvent?) -> Void)? = nil
    ) {
        self.path = path
        self.user = user
        self.role = role
        principal = nil
        helloFiles = []
        self.lendsBuiltIn = lendsBuiltIn
        self.onEvent = onEvent
    }

    /// Connection for another program's captures, which are judged as that program's own. The broker allows this to programs that
    /// may be agents.
    ///
    /// - Parameters:
    ///   - principal: the other program, of the same user.
    ///   - path: path of the socket.
    ///   - user: user that the broker must run as.
    ///   - lendsBuiltIn: true if the broker opens built-in devices, too.
    package init(
        for principal: consuming ProcessHandle, at path: String = socket, of user: UInt32, lendsBuiltIn: Bool = false
    ) {
        self.path = path
        self.user = user
        role = .deputy
        helloFiles = [principal.descriptor]
        self.principal = consume principal
        self.lendsBuiltIn = lendsBuiltIn
        onEvent = nil
    }

    deinit { state.withLock { $0.connection }?.close() }

    /// Time for a reply that no person has to think about; longer than a device may take to open.
    package static let patience = Duration.seconds(15)
    /// Time to connect: the first request starts the broker.
    private static let welcomePatience = Duration.seconds(10)
}

// MARK: - Requests

extension BrokerLink {
    /// Sends a request, and waits for its reply.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - limit: time for the reply; `nil` if a person is asked: then a cancelled task withdraws the question.
    ///   - news: gets the news of the stream that the request opens.
    /// - Throws: the broker's refusal; `.unavailable` if there is no broker, or it violates the protocol.
    package func call(
        _ request: BrokerRequest, within limit: Duration? = patience,
        news: (@Sendable (StreamNews) -> Void)? = nil
    ) async throws(CaptureError) -> Reply {
        let ticket = BrokerTicket()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin(request, ticket, within: limit, Pending(done: { continuation.resume(returning: $0) }, news: news))
            }
        } onCancel: {
            // The reply comes anyway, and is waited for: nothing may be opened for nobody.
            queue.async { self.withdraw(ticket) }
        }
        return try result.get()
    }

    /// Sends a request, and blocks until its reply: for queues that may block.
    ///
    /// - Parameter news: gets the news of the stream that it opens.
    package func wait(
        for request: BrokerRequest, within limit: Duration? = patience,
        news: (@Sendable (StreamNews) -> Void)? = nil
    ) throws(CaptureError) -> Reply {
        let answered = DispatchSemaphore(value: 0)
        let answer = Locked<Result<Reply, CaptureError>?>(nil)
        begin(
            request, BrokerTicket(), within: limit,
            Pending(
                done: { result in
                    answer.withLock { $0 = result }
                    answered.signal()
                }, news: news))
        answered.wait()
        return try (answer.withLock { $0 } ?? .failure(.brokerGone())).get()
    }

    /// Sends a request whose reply nobody waits for.
    package func send(_ request: BrokerRequest, onFailure: @escaping @Sendable (CaptureError) -> Void = { _ in }) {
        begin(
            request, BrokerTicket(), within: Self.patience,
            Pending(done: { if case .failure(let error) = $0 { onFailure(error) } }, news: nil))
    }

    /// The program as the broker knows it; blocks until it is connected.
    package func subject() throws(CaptureError) -> Subject {
        try queue.sync { () -> Result<Subject, CaptureError> in
            Result { () throws(CaptureError) in
                _ = try connected()
                guard let welcome = state.withLock({ $0.welcome }) else { throw .brokerGone() }
                return welcome.subject
            }
        }.get()
    }

    /// Number of the present connection; 0 before the first.
    package var connection: UInt64 { state.withLock { $0.connection == nil ? 0 : $0.epoch } }

    /// Calls `handler` after each change of decisions or rules. Not when the broker goes: nothing is captured then, and what it
    /// decides comes with the next connection.
    package func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation {
        observers.add(handler, keeping: self)
    }

    private func begin(
        _ request: BrokerRequest, _ ticket: BrokerTicket, within limit: Duration?, _ pending: Pending
    ) {
        queue.async {
            do throws(CaptureError) {
                if ticket.isCancelled { throw CaptureError(.cancelled, "The request to the broker was cancelled.") }
                let connection = try self.connected()
                let id = try self.enter(pending)
                ticket.id = id
                self.post(request, id, by: connection)
                if let limit { self.give(up: id, after: limit) }
            } catch {
                pending.done(.failure(error))
            }
        }
    }

    /// Gives a request its number.
    private func enter(_ pending: Pending) throws(CaptureError) -> UInt32 {
        let id = state.withLock { state -> UInt32? in
            guard state.pending.count + state.dropped.count < BrokerLimit.requests else { return nil }
            repeat {
                state.last = state.last == .max ? 1 : state.last + 1
            } while state.pending[state.last] != nil
                || state.dropped.contains(state.last)
            state.pending[state.last] = pending
            return state.last
        }
        guard let id else {
            throw CaptureError(
                .busy, "\(BrokerLimit.requests) requests to the capture broker are waiting already.",
                remedies: [Remedy("Wait until one of them ends.")])
        }
        return id
    }

    /// Sends a request with its number; if that fails, the request fails.
    private func post(_ request: BrokerRequest, _ id: UInt32, by connection: BrokerConnection) {
        do throws(CaptureError) {
            try connection.send(
                BrokerPacket(.request(request), id: id), until: Deadline(after: .seconds(2)))
        } catch {
            let pending = state.withLock { $0.pending.removeValue(forKey: id) }
            pending?.done(.failure(error))
            // A message beyond a limit harms nobody else.
            if error.kind != .usage { lose(connection) }
        }
    }

    /// Ends the wait for a reply.
    private func give(up id: UInt32, after limit: Duration) {
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(limit.nanoseconds))) { [weak self] in
            let pending = self?.state.withLock { state -> Pending? in
                guard let pending = state.pending.removeValue(forKey: id) else { return nil }
                state.dropped.insert(id)
                return pending
            }
            pending?.done(
                .failure(
                    CaptureError(
                        .timedOut, "The capture broker did not answer within \(limit.components.seconds) s.",
                        remedies: [.restartBroker])))
        }
    }

    /// Withdraws the request of a cancelled task.
    private func withdraw(_ ticket: BrokerTicket) {
        ticket.isCancelled = true
        guard let id = ticket.id, state.withLock({ $0.pending[id] != nil }) else { return }
        send(.withdraw(id))
    }
}

// MARK: - The connection

extension BrokerLink {
    /// Connection, made now if none exists. On the queue only.
    private func connected() throws(CaptureError) -> BrokerConnection {
        if let connection = state.withLock({ $0.connection }) { return connection }
        let connection: BrokerConnection
        do throws(Errno) {
            connection = try BrokerConnection(connectingTo: path, of: user)
        } catch {
            throw .brokerGone(error)
        }
        let welcome = try greet(connection)
        state.withLock { state in
            state.connection = connection
            state.epoch += 1
            state.welcome = welcome
            state.last = 1
            state.dropped = []
        }
        let reader = DispatchQueue(label: "capturegate.broker.reader", qos: .userInteractive)
        reader.async { [weak self] in
            while let packet = BrokerLink.next(connection) {
                guard let link = self, link.take(packet.0, packet.1, by: connection) else { break }
            }
            connection.close()
            self?.lose(connection)
        }
        return connection
    }

    /// Says hello, and waits for the welcome.
    private func greet(_ connection: BrokerConnection) throws(CaptureError) -> BrokerWelcome {
        let deadline = Deadline(after: Self.welcomePatience)
        try connection.send(BrokerPacket(.request(.hello(BrokerHello(role))), id: 1), helloFiles, until: deadline)
        let arrival: BrokerConnection.Arrival
        do throws(BrokerFault) { arrival = try connection.receive(until: deadline) } catch { throw error.error }
        switch arrival {
        case .packet(let packet, _):
            guard packet.id == 1, case .reply(let reply) = packet.message else { throw BrokerFault.value.error }
            if case .failed(let failure) = reply { throw failure.error }
            guard case .welcome(let welcome) = reply, BrokerLimit.versions.contains(welcome.version) else {
                throw BrokerFault.version.error
            }
            return welcome
        case .nothing:
            throw CaptureError(.timedOut, "The capture broker does not answer.", remedies: [.restartBroker])
        case .end: throw .brokerGone()
        }
    }

    /// The next packet; `nil` at the end of the connection, and for one that breaks the protocol.
    private static func next(_ connection: BrokerConnection) -> (BrokerPacket, ReceivedFiles)? {
        guard case .packet(let packet, let files) = try? connection.receive(until: .never) else { return nil }
        return (packet, files)
    }

    /// Does what a packet says. False for one that the broker should not have sent.
    private func take(_ packet: BrokerPacket, _ files: ReceivedFiles, by connection: BrokerConnection) -> Bool {
        switch packet.message {
        case .request: return false
        case .reply(let reply): return answer(packet.id, reply, files)
        case .event(.changed): observers.notify()
        case .event(.ended(let end)): tell(end.stream, .ended(end.reason))
        case .event(.gone(let loss)): tell(loss.stream, .gone(loss.failure.error))
        case .event(let event):
            guard role == .agent, let onEvent else { return false }
            onEvent(event)
        }
        return true
    }

    private func tell(_ stream: UInt32, _ news: StreamNews) { state.withLock { $0.streams[stream] }?(news) }

    /// Forgets a stream that was closed.
    func forget(_ stream: UInt32) { state.withLock { _ = $0.streams.removeValue(forKey: stream) } }

    /// Ends a request. False if nobody made it.
    private func answer(_ id: UInt32, _ reply: BrokerReply, _ files: ReceivedFiles) -> Bool {
        let (pending, epoch, isDropped) = state.withLock { state in
            let pending = state.pending.removeValue(forKey: id)
            // Before anything else can arrive about the stream.
            if case .opened(let lent) = reply, let news = pending?.news { state.streams[lent.stream] = news }
            return (pending, state.epoch, state.dropped.remove(id) != nil)
        }
        if pending == nil, case .opened(let lent) = reply {
            send(.close(StreamReport(lent.stream, frames: 0, bytes: 0)))
        }
        if case .failed(let failure) = reply {
            pending?.done(.failure(failure.error))
        } else {
            pending?.done(.success(Reply(body: reply, files: files, connection: epoch)))
        }
        return pending != nil || isDropped
    }

    /// Ends all requests and streams of a connection.
    private func lose(_ connection: BrokerConnection) {
        connection.close()
        let left = state.withLock { state -> ([Pending], [@Sendable (StreamNews) -> Void])? in
            // Another thread has noticed before.
            guard state.connection === connection else { return nil }
            defer {
                state.connection = nil
                state.pending = [:]
                state.streams = [:]
            }
            return (Array(state.pending.values), Array(state.streams.values))
        }
        guard let (pending, streams) = left else { return }
        for one in pending { one.done(.failure(.brokerGone())) }
        for news in streams { news(.lost) }
        onEvent?(nil)
    }
}

/// Number of a request on its way, and the mark that its task was cancelled.
///
/// *thread-safe*
private final class BrokerTicket: Sendable {
    private let state = Locked<(id: UInt32?, isCancelled: Bool)>((nil, false))

    var id: UInt32? {
        get { state.withLock { $0.id } }
        set { state.withLock { $0.id = newValue } }
    }

    var isCancelled: Bool {
        get { state.withLock { $0.isCancelled } }
        set { state.withLock { $0.isCancelled = newValue } }
    }
}
