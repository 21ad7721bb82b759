import Dispatch
import Gate
import LinuxSystem

/// Checks whether this machine knows a way to a host: the name resolves, and the kernel has a route to one of its addresses.
/// The check uses connect(2) on a datagram socket and sends nothing, so it does not know whether the host answers.
///
/// *thread-safe*
public struct KernelRoutes: RouteFinder {
    /// Time that the name servers may take.
    public let deadline: Duration

    /// A lookup can't be interrupted: a host whose name servers do not answer delays only the hosts in its own queue.
    private static let resolvers = (0..<4).map { DispatchQueue(label: "capturegate.resolver.\($0)") }

    public init(deadline: Duration = .seconds(10)) {
        self.deadline = deadline
    }

    public func obstacle(to host: String) async -> CaptureError? {
        guard Self.isHost(host) else {
            return CaptureError(
                .usage, "\"\(host.visible)\" is not a host's name or address.",
                remedies: [Remedy("Name a host without a port. Write non-ASCII names in their xn-- form.")])
        }
        switch await addresses(of: host) {
        case .failure(let error): return error
        case .success(let addresses): return Self.obstacle(to: host, at: addresses)
        }
    }

    /// True if the text contains only characters of names and addresses (RFC 1123, RFC 4291, RFC 4007). A host appears in
    /// messages, and in commands that a person may copy.
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
        if let addresses = try? NetworkAddress.addresses(of: host, isNumeric: true) { return .success(addresses) }
        let resolver = Self.resolvers[Int(host.utf8.reduce(0) { $0 &* 31 &+ UInt32($1) }) % Self.resolvers.count]
        return await Race.of(
            { Self.lookUp(host) },
            on: resolver, within: deadline, late: .failure(Self.unresolved(host, .timedOut)),
            cancelled: .failure(CaptureError(.cancelled, "The lookup of \(host) was cancelled.")))
    }

    private static func obstacle(to host: String, at addresses: [NetworkAddress]) -> CaptureError? {
        var worst = Errno.networkUnreachable
        for address in addresses {
            do throws(Errno) {
                try address.checkRoute()
                return nil
            } catch {
                worst = error
            }
        }
        return CaptureError(
            .unavailable, "There is no route to \(host): \(worst.text).", errno: worst.number,
            remedies: [Remedy("Connect the machine to a network.", command: "ip route get \(host)")])
    }

    private static func lookUp(_ host: String) -> Result<[NetworkAddress], CaptureError> {
        do throws(Errno) {
            return .success(try NetworkAddress.addresses(of: host, isNumeric: false))
        } catch {
            return .failure(unresolved(host, error))
        }
    }

    private static func unresolved(_ host: String, _ errno: Errno) -> CaptureError {
        let (why, advice) =
            switch errno {
            case .noSuchFileOrDirectory: ("the name does not exist", "Correct the name.")
            case .timedOut, .wouldBlock: ("no name server answered in time", "Connect the machine to a network.")
            default: (errno.text, "Test the resolver.")
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
