import CSystem
import Dispatch
import Gate

/// Whether a host can be reached, as far as this machine knows: its name resolves, and the kernel has a route to one of
/// its addresses. The kernel is asked by rtnetlink(7), RTM_GETROUTE; nothing is sent to the host, and so nothing is known
/// of the host itself.
///
/// *thread-safe*
public struct KernelRoutes: RouteFinder {
    /// How long the name servers may take.
    public let deadline: Duration

    /// A lookup can't be interrupted: a host whose name servers are silent holds up only the hosts of its own lane.
    private static let lanes = (0..<4).map { DispatchQueue(label: "capturegate.resolver.\($0)") }

    public init(deadline: Duration = .seconds(10)) {
        self.deadline = deadline
    }

    public func obstacle(to host: String) async -> CaptureError? {
        guard Self.isHost(host) else {
            return CaptureError(
                .usage, "\"\(QuestionText.visible(host))\" is not a host's name or address.",
                remedies: [Remedy("Name a host, without a port; a name with other letters in its xn-- form.")])
        }
        switch await addresses(of: host) {
        case .failure(let error): return error
        case .success(let addresses): return Self.obstacle(to: host, at: addresses)
        }
    }

    /// The characters of names and addresses (RFC 1123, RFC 4291, RFC 4007) and no other: a host stands in messages, and
    /// in commands that a person may copy.
    private static func isHost(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count) && !text.hasPrefix("-")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: "-._:%".utf8.contains(byte)
                }
            }
    }

    private func addresses(of host: String) async -> Result<[NetworkAddress], CaptureError> {
        if case .success(let addresses) = NetworkAddress.addresses(of: host, isNumeric: true) {
            return .success(addresses)
        }
        let lane = Self.lanes[Int(host.utf8.reduce(0) { $0 &* 31 &+ UInt32($1) }) % Self.lanes.count]
        return await FirstAnswer.of(
            { NetworkAddress.addresses(of: host, isNumeric: false).mapError { Self.unresolved(host, $0) } },
            on: lane, within: deadline, late: .failure(Self.unresolved(host, Errno(ETIMEDOUT))),
            cancelled: .failure(CaptureError(.cancelled, "The lookup of \(host) was cancelled.")))
    }

    private static func obstacle(to host: String, at addresses: [NetworkAddress]) -> CaptureError? {
        var worst = Errno(ENETUNREACH)
        for address in addresses {
            switch verdict(on: address) {
            case .success(.route): return nil
            case .success(.refused(let number)): worst = Errno(number)
            case .success(.malformed): worst = Errno(EPROTO)
            case .failure(let error): worst = error
            }
        }
        return CaptureError(
            .unavailable, "There is no route to \(host): \(worst.text).", errno: worst.number,
            remedies: [Remedy("Connect the machine to a network.", command: "ip route get \(host)")])
    }

    /// Asks the kernel; it answers while it takes the request.
    private static func verdict(on address: NetworkAddress) -> Result<RouteMessage.Verdict, Errno> {
        let socket = cs_netlink_open()
        guard socket >= 0 else { return .failure(Errno(-socket)) }
        defer { cs_close(socket) }
        let sequence: UInt32 = 1
        let request = RouteMessage.request(to: address, sequence: sequence)
        let sent = cs_netlink_send(socket, request, request.count)
        guard sent >= 0 else { return .failure(Errno(Int32(-sent))) }
        var reply = [UInt8](repeating: 0, count: 8192)
        let got = cs_netlink_receive(socket, &reply, reply.count)
        guard got >= 0 else { return .failure(Errno(Int32(-got))) }
        return .success(RouteMessage.verdict(of: Array(reply[..<Int(got)]), to: address, sequence: sequence))
    }

    private static func unresolved(_ host: String, _ errno: Errno) -> CaptureError {
        let (why, advice) =
            switch errno.number {
            case ENOENT: ("there is no such name", "Correct the name.")
            case ETIMEDOUT, EAGAIN: ("no name server answered in time", "Connect the machine to a network.")
            default: (errno.text, "See what the resolver says.")
            }
        return CaptureError(
            .unavailable, "The host \(host) can't be found: \(why).", errno: errno.number,
            remedies: [Remedy(advice, command: "getent ahosts \(host)")])
    }
}

extension ReachabilityCondition {
    /// Satisfied where this machine has a route to a host, by `KernelRoutes`.
    ///
    /// - Parameter host: a name, or an IPv4 or IPv6 address in digits. Without a port.
    public init(host: String) {
        self.init(host: host, by: KernelRoutes())
    }
}
