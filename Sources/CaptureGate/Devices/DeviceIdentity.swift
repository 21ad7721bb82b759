import Gate

/// Makes stable ids of what udev says.
///
/// A USB device with a serial number is that serial wherever it is plugged in. Without one, or where another device
/// says the same, it is the port it is plugged into, and the id says that it is ambiguous. What is not USB is its path
/// and the name its driver gives it; where several are called the same there, as the channels of one board are, also its
/// number among them.
struct DeviceIdentity: Hashable, Sendable {
    let id: DeviceID
    let ambiguity: String?
    /// What else it is called, or would be beside other devices: a denial of one of these is one of this device.
    var aliases: [DeviceID] = []

    /// - Returns: an identity for each record, in order, no two with the same id.
    static func identities(of records: [DeviceRecord], kind: String) -> [DeviceIdentity] {
        let serials = records.map { serialKey($0) }
        let count = counted(serials.compactMap(\.self))
        let first = zip(records, serials).map { record, serial in
            guard isUSB(record) else { return byPath(record, kind: kind) }
            guard let serial else {
                return byPort(record, kind: kind, why: "the device has no serial number")
            }
            guard count[serial] == 1 else {
                return byPort(record, kind: kind, why: "another device has the same serial number")
            }
            return DeviceIdentity(id: bySerial(serial, kind: kind), ambiguity: nil)
        }
        return zip(records, apart(first, records, kind: kind)).map { $1.with(names(of: $0, kind: kind)) }
    }

    /// Those that are called the same get their number, and where that is the same too, their place.
    private static func apart(
        _ identities: [DeviceIdentity], _ records: [DeviceRecord], kind: String
    ) -> [DeviceIdentity] {
        let count = counted(identities.map(\.id))
        let numbered = zip(identities, records).map { identity, record in
            count[identity.id] == 1 ? identity : identity.numbered(record.index)
        }
        let left = counted(numbered.map(\.id))
        return zip(numbered, records).map { identity, record in
            left[identity.id] == 1 ? identity : bySystemPath(record, kind: kind, why: "others are called the same")
        }
    }

    private func numbered(_ index: Int) -> DeviceIdentity {
        DeviceIdentity(
            id: DeviceID(rawValue: "\(id)-index\(index)"),
            ambiguity: "others there are called the same: the id is that of its number among them")
    }

    private func with(_ names: [DeviceID]) -> DeviceIdentity {
        DeviceIdentity(id: id, ambiguity: ambiguity, aliases: names.filter { $0 != id })
    }

    /// All that a device is called, whatever else is there.
    private static func names(of record: DeviceRecord, kind: String) -> [DeviceID] {
        let place = bySystemPath(record, kind: kind, why: "").id
        guard isUSB(record) else { return [byPath(record, kind: kind).id, place] }
        let serial = serialKey(record).map { bySerial($0, kind: kind) }
        return [serial, byPort(record, kind: kind, why: "").id, place].compactMap(\.self)
    }

    private static func counted<Name: Hashable>(_ names: [Name]) -> [Name: Int] {
        names.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    private static func bySerial(_ serial: String, kind: String) -> DeviceID {
        DeviceID(rawValue: "\(kind):usb-\(serial)")
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
            return bySystemPath(record, kind: kind, why: "udev has not described the device")
        }
        return DeviceIdentity(
            id: DeviceID(rawValue: "\(kind):\(clean(path))-\(clean(record.name))\(part(record))"), ambiguity: nil)
    }

    private static func bySystemPath(_ record: DeviceRecord, kind: String, why: String) -> DeviceIdentity {
        let path = record.systemPath.hasPrefix("/sys/devices/") ? record.systemPath.dropFirst(13) : "?"
        return DeviceIdentity(
            id: DeviceID(rawValue: "\(kind):\(clean(String(path)))"),
            ambiguity: "\(why): the id is its place in sysfs")
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
