import CSystem

/// An IPv4 or IPv6 address.
///
/// *thread-safe*
package struct NetworkAddress: Sendable {
    private let address: cs_address

    /// The interface of a link-local IPv6 address; 0 for all others.
    package var interface: UInt32 { address.scope }

    /// The addresses of a host. The corresponding C function is `getaddrinfo`.
    ///
    /// - Parameters:
    ///   - host: a name, or an address in digits.
    ///   - isNumeric: takes addresses alone, and so never waits for name servers.
    /// - Throws: ENOENT where it has none, EAGAIN where no name server answered.
    package static func addresses(of host: String, isNumeric: Bool) throws(Errno) -> [NetworkAddress] {
        var found = [cs_address](repeating: cs_address(), count: 16)
        let count = try checked(cs_resolve(host, isNumeric ? 1 : 0, &found, found.count))
        guard count > 0 else { throw .noSuchFileOrDirectory }
        return found[..<Int(count)].map { NetworkAddress(address: $0) }
    }

    /// Looks the route up that a datagram to it would take; nothing is sent, and no neighbour is looked for.
    ///
    /// The corresponding C function is `connect` of a datagram socket.
    ///
    /// - Throws: what a datagram would meet: ENETUNREACH without a route, EHOSTUNREACH, EACCES or EINVAL where the route says
    ///   "unreachable", "prohibit" or "blackhole".
    package func checkRoute() throws(Errno) {
        var address = address
        try checked(cs_route_check(&address))
    }
}
