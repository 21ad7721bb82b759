import CSystem

/// The user database, and this process's ids.
///
/// *thread-safe*; a lookup may ask a name service, which can be slow.
package enum Users {
    /// The user id that permissions are checked against. The corresponding C function is `geteuid`.
    package static var effectiveID: UInt32 { cs_geteuid() }

    /// The group ids that permissions are checked against, the effective one first. The corresponding C functions are `getegid`
    /// and `getgroups`.
    package static var groupIDs: [UInt32] {
        let count = cs_getgroups(nil, 0)
        guard count > 0 else { return [cs_getegid()] }
        var groups = [UInt32](repeating: 0, count: Int(count))
        let got = cs_getgroups(&groups, groups.count)
        return [cs_getegid()] + groups[..<max(0, min(Int(got), groups.count))]
    }

    /// The name of a user, or the number if there is none. The corresponding C function is `getpwuid_r`.
    package static func name(ofUser id: UInt32) -> String {
        var user = cs_user()
        return cs_user_by_id(id, &user) == 1 ? text(of: user.name) : String(id)
    }

    /// The name of a group, or the number if there is none. The corresponding C function is `getgrgid_r`.
    package static func name(ofGroup id: UInt32) -> String {
        var group = cs_group()
        return cs_group_by_id(id, &group) == 1 ? text(of: group.name) : String(id)
    }

    /// The number of a user. The corresponding C function is `getpwnam_r`.
    ///
    /// - Returns: `nil` if no user has the name.
    /// - Throws: the error of the database.
    package static func id(ofUser name: String) throws(Errno) -> UInt32? {
        var user = cs_user()
        return try checked(cs_user_by_name(name, &user)) == 1 ? user.uid : nil
    }

    /// The number of a group. The corresponding C function is `getgrnam_r`.
    ///
    /// - Returns: `nil` if no group has the name.
    /// - Throws: the error of the database.
    package static func id(ofGroup name: String) throws(Errno) -> UInt32? {
        var group = cs_group()
        return try checked(cs_group_by_name(name, &group)) == 1 ? group.gid : nil
    }

    /// The home directory of a user in the database. The corresponding C function is `getpwuid_r`.
    package static func homeDirectory(ofUser id: UInt32) -> String? {
        var user = cs_user()
        return cs_user_by_id(id, &user) == 1 ? text(of: user.home) : nil
    }
}

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
    ///   - isNumeric: accepts only addresses, and so never waits for name servers.
    /// - Throws: ENOENT if it has none, EAGAIN if no name server answered.
    package static func addresses(of host: String, isNumeric: Bool) throws(Errno) -> [NetworkAddress] {
        var found = [cs_address](repeating: cs_address(), count: 16)
        let count = try checked(cs_resolve(host, isNumeric ? 1 : 0, &found, found.count))
        guard count > 0 else { throw .noSuchFileOrDirectory }
        return found[..<Int(count)].map { NetworkAddress(address: $0) }
    }

    /// Looks up the route of a datagram to this address; nothing is sent, and no neighbour is searched for.
    ///
    /// The corresponding C function is `connect` of a datagram socket.
    ///
    /// - Throws: the error of a datagram: ENETUNREACH without a route, EHOSTUNREACH, EACCES or EINVAL for a route of type
    ///   "unreachable", "prohibit" or "blackhole".
    package func checkRoute() throws(Errno) {
        var address = address
        try checked(cs_route_check(&address))
    }
}
