import Gate

/// Makes stable ids of what udev says.
///
/// A USB device with a serial number is that serial wherever it is plugged in. Without one, or where another device
/// says the same, it is the port it is plugged into, and the id says that it is ambiguous. What is not USB is its path
/// and the name its driver gives it.
struct DeviceIdentity: Hashable, Sendable {
    let id: DeviceID
    let ambiguity: String?

    /// - Returns: an identity for each record, in order.
    static func identities(of records: [DeviceRecord], kind: String) -> [DeviceIdentity] {
        let serials = records.map { serialKey($0) }
        var count: [String: Int] = [:]
        for serial in serials { if let serial { count[serial, default: 0] += 1 } }
        return zip(records, serials).map { record, serial in
            guard isUSB(record) else { return byPath(record, kind: kind) }
            guard let serial else {
                return byPort(record, kind: kind, why: "the device has no serial number")
            }
            guard count[serial] == 1 else {
                return byPort(record, kind: kind, why: "another device has the same serial number")
            }
            return DeviceIdentity(id: DeviceID(rawValue: "\(kind):usb-\(serial)"), ambiguity: nil)
        }
    }

    private static func isUSB(_ record: DeviceRecord) -> Bool { record.properties["ID_BUS"] == "usb" }

    /// Model and serial, and which interface of the device; `nil` without a serial.
    private static func serialKey(_ record: DeviceRecord) -> String? {
        guard isUSB(record), let model = record.properties["ID_SERIAL"],
            let serial = record.properties["ID_SERIAL_SHORT"], !serial.isEmpty
        else { return nil }
        return clean(model) + part(record)
    }

    private static func byPort(_ record: DeviceRecord, kind: String, why: String) -> DeviceIdentity {
        let model = record.properties["ID_SERIAL"].map { clean($0) + "@" } ?? ""
        let port = clean(record.properties["ID_PATH"] ?? record.systemPath)
        return DeviceIdentity(
            id: DeviceID(rawValue: "\(kind):usb-\(model)\(port)\(part(record))"),
            ambiguity: "\(why): the id is that of the port it is plugged into")
    }

    private static func byPath(_ record: DeviceRecord, kind: String) -> DeviceIdentity {
        guard let path = record.properties["ID_PATH"] else {
            let path = record.systemPath.hasPrefix("/sys/devices/") ? record.systemPath.dropFirst(13) : "?"
            return DeviceIdentity(
                id: DeviceID(rawValue: "\(kind):\(clean(String(path)))"),
                ambiguity: "udev has not described the device: the id is its place in sysfs")
        }
        return DeviceIdentity(
            id: DeviceID(rawValue: "\(kind):\(clean(path))-\(clean(record.name))\(part(record))"), ambiguity: nil)
    }

    /// Tells apart what one USB device or one sound card has several of.
    private static func part(_ record: DeviceRecord) -> String {
        if record.card != nil { return record.index == 0 ? "" : "-pcm\(record.index)" }
        let interface = record.properties["ID_USB_INTERFACE_NUM"] ?? "00"
        return interface == "00" ? "" : "-if\(interface)"
    }

    /// Only what can stand in a command line and a file name without quoting.
    private static func clean(_ text: String) -> String {
        String(
            text.unicodeScalars.map { scalar -> Character in
                let plain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                return plain || ".:-_@".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
            })
    }
}
