/// Where the buses listen: the D-Bus specification, "Server Addresses" and "Well-known Message Bus Instances".
enum BusAddress {
    /// The bus of this user's session.
    ///
    /// - Returns: `nil` where there is none that may be used: only sockets of this machine are. An address may also name
    ///   a program to run or a host to speak to.
    static func session(in environment: [String: String]) -> String? {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return usable(address) }
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return nil }
        return "unix:path=\(escaped(folder))/bus"
    }

    /// The bus of the machine.
    static func system(in environment: [String: String]) -> String? {
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

    /// Bytes that are not of the specification's optionally-escaped set are written as `%` and two digits.
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
