import CSystem

/// The two messages of asking the kernel for a route: rtnetlink(7), RTM_GETROUTE.
enum RouteMessage {
    /// What the kernel says of a destination.
    enum Verdict: Hashable, Sendable {
        case route
        /// The errno a packet would meet.
        case refused(Int32)
        /// No message of the protocol: cut off, of another request, or of lengths that do not fit.
        case malformed
    }

    private static let headerBytes = 16
    private static let routeBytes = 12
    private static let attributeBytes = 4

    /// The request for the route to an address.
    static func request(to address: NetworkAddress, sequence: UInt32) -> [UInt8] {
        var body = [UInt8](repeating: 0, count: routeBytes)
        body[0] = address.family
        body[1] = UInt8(address.bytes.count * 8)
        append(attribute: UInt16(CS_ROUTE_ATTRIBUTE_TO), address.bytes, to: &body)
        if address.interface != 0 {
            append(attribute: UInt16(CS_ROUTE_ATTRIBUTE_INTERFACE), bytes(of: address.interface), to: &body)
        }
        return bytes(of: UInt32(headerBytes + body.count)) + bytes(of: UInt16(CS_ROUTE_GET))
            + bytes(of: UInt16(CS_NETLINK_REQUEST)) + bytes(of: sequence) + bytes(of: UInt32(0)) + body
    }

    /// - Parameter sequence: the request's; an answer to another one is none.
    static func verdict(of reply: [UInt8], to address: NetworkAddress, sequence: UInt32) -> Verdict {
        guard let length: UInt32 = integer(reply, at: 0), length >= headerBytes, Int(length) <= reply.count,
            let kind: UInt16 = integer(reply, at: 4), let answered: UInt32 = integer(reply, at: 8), answered == sequence
        else { return .malformed }
        let body = Array(reply[headerBytes..<Int(length)])
        switch Int32(kind) {
        case Int32(CS_NETLINK_ERROR): return error(body)
        case Int32(CS_ROUTE_NEW): return route(body, to: address)
        default: return .malformed
        }
    }

    /// struct nlmsgerr begins with -errno; 0 would be an acknowledgement, which nobody asked for.
    private static func error(_ body: [UInt8]) -> Verdict {
        guard let code: Int32 = integer(body, at: 0), code < 0, code > -4096 else { return .malformed }
        return .refused(-code)
    }

    /// struct rtmsg: IPv6 answers with a route also where that route says "unreachable".
    private static func route(_ body: [UInt8], to address: NetworkAddress) -> Verdict {
        guard body.count >= routeBytes, body[0] == address.family else { return .malformed }
        switch Int32(body[7]) {
        case Int32(CS_ROUTE_UNICAST), Int32(CS_ROUTE_LOCAL), Int32(CS_ROUTE_BROADCAST),
            Int32(CS_ROUTE_ANYCAST), Int32(CS_ROUTE_MULTICAST):
            return .route
        case Int32(CS_ROUTE_PROHIBITED): return .refused(EACCES)
        case Int32(CS_ROUTE_BLACKHOLE): return .refused(EINVAL)
        default: return .refused(EHOSTUNREACH)
        }
    }

    /// struct rtattr, padded to four bytes.
    private static func append(attribute: UInt16, _ value: [UInt8], to body: inout [UInt8]) {
        body += bytes(of: UInt16(attributeBytes + value.count)) + bytes(of: attribute) + value
        while body.count % 4 != 0 { body.append(0) }
    }

    private static func bytes(of value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value) { Array($0) }
    }

    /// - Returns: `nil` where the bytes end before.
    private static func integer<Value: FixedWidthInteger>(_ bytes: [UInt8], at offset: Int) -> Value? {
        guard offset + MemoryLayout<Value>.size <= bytes.count else { return nil }
        return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Value.self) }
    }
}
