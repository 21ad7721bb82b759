/// The addresses of the two well-known buses.
///
/// Standard: D-Bus Specification 0.43 (2024), "Server Addresses" and "Well-known Message Bus Instances". *thread-safe*
package enum BusAddress {
    /// Bus of this user's session.
    ///
    /// - Returns: `nil` if none may be used: only local sockets may be. An address may also name a program to run or
    ///   a remote host.
    package static func session(in environment: [String: String]) -> String? {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return usable(address) }
        guard let directory = environment["XDG_RUNTIME_DIR"], directory.hasPrefix("/") else { return nil }
        return "unix:path=\(escaped(directory))/bus"
    }

    /// The bus of the machine.
    package static func system(in environment: [String: String]) -> String? {
        if let address = environment["DBUS_SYSTEM_BUS_ADDRESS"], !address.isEmpty { return usable(address) }
        return "unix:path=/run/dbus/system_bus_socket"
    }

    private static func usable(_ address: String) -> String? {
        let usable = address.split(separator: ";").filter { isLocal($0) }
        return usable.isEmpty ? nil : usable.joined(separator: ";")
    }

    private static func isLocal(_ address: Substring) -> Bool {
        address.hasPrefix("unix:path=") || address.hasPrefix("unix:abstract=")
    }

    /// Escapes bytes outside the specification's optionally-escaped set as `%` and two digits.
    private static func escaped(_ path: String) -> String {
        path.utf8.reduce(into: "") { text, byte in
            let scalar = UnicodeScalar(byte)
            if scalar.properties.isAlphabetic && scalar.isASCII || "-0123456789_/.*".unicodeScalars.contains(scalar) {
                text.unicodeScalars.append(scalar)
            } else {
                text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
    }
}
