import Gate
import LinuxSystem

/// A connection between a program and the broker, for packets: either end has one.
///
/// Any thread may send; one thread at a time receives. Each packet is believed only if the kernel says that it comes from
/// whom it should.
///
/// *thread-safe*
package final class BrokerConnection: Sendable {
    /// Process or user that all packets must come from.
    package enum Sender: Hashable, Sendable {
        case process(Int32)
        case user(UInt32)
    }

    /// Result of waiting for a packet.
    package enum Arrival: Sendable {
        /// A packet, with the files that belong to it.
        case packet(BrokerPacket, ReceivedFiles)
        /// Nothing came in time.
        case nothing
        /// The other end has closed the connection.
        case end
    }

    private let socket: MessageSocket
    private let sender: Sender

    /// Takes over a connected socket.
    package init(_ socket: consuming MessageSocket, from sender: Sender) {
        self.socket = socket
        self.sender = sender
    }

    /// Connects to a broker.
    ///
    /// - Parameters:
    ///   - path: of its socket.
    ///   - user: that the broker must run as.
    package convenience init(connectingTo path: String, of user: UInt32) throws(Errno) {
        self.init(try MessageSocket(connectingTo: path), from: .user(user))
    }

    /// Number to poll; the connection's own.
    package var descriptor: Int32 { socket.number }

    /// Sends a packet.
    ///
    /// - Parameters:
    ///   - packet: with as many files as belong to its message.
    ///   - files: stay the caller's.
    ///   - deadline: end of the wait for another end that does not read; a server has none, so that no client holds it up.
    /// - Throws: `.unavailable` if the connection has ended, `.timedOut` if the other end does not read, `.usage` if
    ///   the message is beyond a limit.
    package func send(
        _ packet: BrokerPacket, _ files: [RawDescriptor] = [], until deadline: Deadline = .now
    ) throws(CaptureError) {
        let bytes: [UInt8]
        do throws(BrokerFault) {
            guard files.count == packet.message.descriptors else { throw .descriptors }
            bytes = try packet.encoded()
        } catch {
            throw CaptureError(
                .usage, "A message can't be sent to the capture broker: \(error.rawValue).",
                remedies: [Remedy("Request less at once.")])
        }
        while true {
            do throws(Errno) {
                return try socket.send(bytes, files)
            } catch {
                guard error == .wouldBlock else { throw .brokerGone(error) }
            }
            var items = [PollItem(socket.number, .output)]
            let count = (try? Poll.wait(for: &items, until: deadline)) ?? 0
            if count == 0 {
                throw CaptureError(
                    .timedOut, "The capture broker does not read its messages.", remedies: [.restartBroker])
            }
        }
    }

    /// Waits for a packet.
    ///
    /// - Throws: the fault of the packet. The connection is unusable then: close it.
    package func receive(until deadline: Deadline) throws(BrokerFault) -> Arrival {
        while true {
            let found = Result { () throws(Errno) in try socket.receive(upTo: BrokerLimit.packet) }
            switch found {
            case .success(nil): return .end
            case .success(let message?): return try arrival(of: message)
            case .failure(let error): if error != .wouldBlock { return .end }
            }
            var items = [PollItem(socket.number)]
            guard let count = try? Poll.wait(for: &items, until: deadline) else { return .end }
            if count == 0 { return .nothing }
        }
    }

    /// Checks a message; files that do not belong to it are closed.
    private func arrival(of message: ReceivedMessage) throws(BrokerFault) -> Arrival {
        let isTrue =
            switch sender {
            case .process(let process): message.process == process && process > 0
            case .user(let user): message.process > 0 && message.user == user
            }
        guard isTrue else { throw .sender }
        guard !message.isCut else { throw .size }
        let packet = try BrokerPacket(decoding: message.bytes)
        guard message.files.count == packet.message.descriptors else { throw .descriptors }
        return .packet(packet, message.files)
    }

    /// Ends the connection; a thread that waits for a packet sees the end.
    package func close() { socket.shutDown() }
}

extension CaptureError {
    /// Error of a broker that can't be reached any more.
    static func brokerGone(_ errno: Errno? = nil) -> CaptureError {
        let reason = errno.map { " (\($0.text))" } ?? ""
        return CaptureError(
            .unavailable, "The capture broker can't be reached\(reason). Captures need it.",
            errno: errno?.number ?? 0, remedies: [.restartBroker])
    }
}

extension Remedy {
    /// Remedy for a broker that does not answer.
    static let restartBroker = Remedy(
        "Start it again.", command: "systemctl restart capturegated.socket capturegated.service")
}
