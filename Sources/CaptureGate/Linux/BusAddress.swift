/// Where the session bus of this user listens: the D-Bus specification, "Server Addresses".
enum BusAddress {
    /// - Returns: `nil` where there is none that may be used: only sockets of this machine are. An address may also name
    ///   a program to run or a host to speak to.
    static func session(in environment: [String: String]) -> String? {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty {
            let usable = address.split(separator: ";").filter { isLocal($0) }
            return usable.isEmpty ? nil : usable.joined(separator: ";")
        }
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return nil }
        return "unix:path=\(escaped(folder))/bus"
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
