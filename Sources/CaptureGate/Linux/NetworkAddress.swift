import CSystem

/// An IPv4 or IPv6 address as the kernel's messages carry it.
struct NetworkAddress: Hashable, Sendable {
    let family: UInt8
    /// In network order: 4 or 16 bytes.
    let bytes: [UInt8]
    /// The interface of a link-local IPv6 address; 0 for all others.
    let interface: UInt32

    init(_ address: cs_address) {
        family = UInt8(truncatingIfNeeded: address.family)
        let count = Int32(address.family) == CS_FAMILY_IPV4 ? 4 : 16
        bytes = withUnsafeBytes(of: address.bytes) { Array($0.prefix(count)) }
        interface = address.scope
    }

    /// The addresses of a host.
    ///
    /// - Parameters:
    ///   - host: a name, or an address in digits.
    ///   - isNumeric: takes addresses alone, and so never waits for name servers.
    /// - Returns: the errno where it has none.
    static func addresses(of host: String, isNumeric: Bool) -> Result<[NetworkAddress], Errno> {
        var found = [cs_address](repeating: cs_address(), count: 16)
        let count = cs_resolve(host, isNumeric ? 1 : 0, &found, found.count)
        guard count >= 0 else { return .failure(Errno(-count)) }
        return count == 0 ? .failure(Errno(ENOENT)) : .success(found[..<Int(count)].map { NetworkAddress($0) })
    }
}

/// A kernel's error number, positive.
struct Errno: Error, Hashable, Sendable {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    var text: String { SystemText.error(number) }
}
