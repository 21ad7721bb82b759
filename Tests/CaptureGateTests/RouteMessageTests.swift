import CSystem
import Testing

@testable import CaptureGate

@Suite("Route messages")
struct RouteMessageTests {
    private func address(_ text: String) throws -> NetworkAddress {
        try #require(try NetworkAddress.addresses(of: text, isNumeric: true).get().first)
    }

    /// An answer of the kernel, with a wrong length where one is given.
    private func reply(kind: UInt16, sequence: UInt32 = 7, length: UInt32? = nil, _ body: [UInt8]) -> [UInt8] {
        func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }
        return bytes(length ?? UInt32(16 + body.count)) + bytes(kind) + bytes(UInt16(0)) + bytes(sequence)
            + bytes(UInt32(0)) + body
    }

    private func route(family: UInt8 = UInt8(CS_FAMILY_IPV4), type: Int) -> [UInt8] {
        [family, 32, 0, 0, 254, 0, 0, UInt8(type), 0, 0, 0, 0]
    }

    private let answer = UInt16(CS_ROUTE_NEW)

    private func verdict(_ reply: [UInt8]) throws -> RouteMessage.Verdict {
        RouteMessage.verdict(of: reply, to: try address("192.0.2.1"), sequence: 7)
    }

    @Test("A request has the lengths of rtnetlink(7)", arguments: [("192.0.2.1", 36, 32), ("2001:db8::1", 48, 128)])
    func request(host: String, length: Int, prefix: Int) throws {
        let request = RouteMessage.request(to: try address(host), sequence: 7)
        #expect(request.count == length)
        #expect(request.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) } == UInt32(length))
        #expect(request[17] == UInt8(prefix))
        #expect(request[28] == UInt8(length - 28))
    }

    @Test("A link-local address names its interface")
    func scope() throws {
        let local = try address("fe80::1%lo")
        #expect(local.interface == 1)
        #expect(RouteMessage.request(to: local, sequence: 7).count == 56)
    }

    @Test("Routes that lead somewhere are routes", arguments: [CS_ROUTE_UNICAST, CS_ROUTE_LOCAL, CS_ROUTE_MULTICAST])
    func routes(type: Int) throws {
        #expect(try verdict(reply(kind: answer, route(type: type))) == .route)
    }

    @Test(
        "A route that says no is a refusal",
        arguments: [
            (CS_ROUTE_UNREACHABLE, EHOSTUNREACH), (CS_ROUTE_BLACKHOLE, EINVAL), (CS_ROUTE_PROHIBITED, EACCES),
            (99, EHOSTUNREACH),
        ])
    func dead(type: Int, errno: Int32) throws {
        #expect(try verdict(reply(kind: answer, route(type: type))) == .refused(errno))
    }

    @Test("An error carries its number")
    func error() throws {
        let body = withUnsafeBytes(of: -ENETUNREACH) { Array($0) } + [UInt8](repeating: 0, count: 16)
        #expect(try verdict(reply(kind: UInt16(CS_NETLINK_ERROR), body)) == .refused(ENETUNREACH))
    }

    @Test("A reply that is cut off anywhere means nothing")
    func truncated() throws {
        let whole = reply(kind: answer, route(type: CS_ROUTE_UNICAST))
        for count in 0..<whole.count { #expect(try verdict(Array(whole[..<count])) == .malformed) }
        #expect(try verdict(whole) == .route)
    }

    @Test("Lengths that do not fit mean nothing", arguments: [0, 1, 15, 16, 27, 29, 1 << 20, UInt32.max])
    func lengths(length: UInt32) throws {
        #expect(try verdict(reply(kind: answer, length: length, route(type: CS_ROUTE_UNICAST))) == .malformed)
    }

    @Test("An answer to another request, of another family or another kind means nothing")
    func strangers() throws {
        let body = route(type: CS_ROUTE_UNICAST)
        #expect(try verdict(reply(kind: answer, sequence: 8, body)) == .malformed)
        #expect(try verdict(reply(kind: answer, route(family: 10, type: CS_ROUTE_UNICAST))) == .malformed)
        #expect(try verdict(reply(kind: 3, body)) == .malformed)
        for code in [0, 5, Int32.min] as [Int32] {
            let body = withUnsafeBytes(of: code) { Array($0) }
            #expect(try verdict(reply(kind: UInt16(CS_NETLINK_ERROR), body)) == .malformed)
        }
    }
}
