import Gate

/// Stable id of a device, derived from udev's properties.
///
/// A USB device with a serial number is identified by it, in any port. Without one, or if another device has the same number, it
/// is identified by its port, and the id is marked as ambiguous. Any other device is identified by its path and its driver's name
/// for it. If several have the same name there, such as the channels of a board, its number among them is added.
struct DeviceIdentity: Hashable, Sendable {
    /// Id that no other device of the same list has.
    let id: DeviceID
    /// Reason why the id may mean another device later; `nil` if it does not.
    let ambiguity: String?
    /// Other ids of the same device, by rules that apply beside other devices. A denial of any alias denies this
    /// device.
    var aliases: [DeviceID] = []

    /// Identities of all records.
    ///
    /// - Returns: one identity per record, in order, no two with the same id.
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

    /// Makes equal ids different: by the devices' numbers, and where those are equal too, by the paths in sysfs.
    private static func apart(
        _ identities: [DeviceIdentity], _ records: [DeviceRecord], kind: String
    ) -> [DeviceIdentity] {
        let count = counted(identities.map(\.id))
        let numbered = zip(identities, records).map { identity, record in
            count[identity.id] == 1 ? identity : identity.numbered(record.index)
        }
        let left = counted(numbered.map(\.id))
        return zip(numbered, records).map { identity, record in
            left[identity.id] == 1
                ? identity : bySystemPath(record, kind: kind, why: "other devices have the same name")
        }
    }

    /// The same with the device's number among those of its name.
    private func numbered(_ index: Int) -> DeviceIdentity {
        DeviceIdentity(
            id: DeviceID(rawValue: "\(id)-index\(index)"),
            ambiguity: "other devices have the same name, so the id contains its number among them")
    }

    /// The same with all other names as aliases.
    private func with(_ names: [DeviceID]) -> DeviceIdentity {
        DeviceIdentity(id: id, ambiguity: ambiguity, aliases: names.filter { $0 != id })
    }

    /// All ids that a device may have, whichever others are present: a denial that was stored under one of them must
    /// still hold.
    private static func names(of record: DeviceRecord, kind: String) -> [DeviceID] {
        let place = bySystemPath(record, kind: kind, why: "").id
        guard isUSB(record) else { return [byPath(record, kind: kind).id, place] }
        let serial = serialKey(record).map { bySerial($0, kind: kind) }
        return [serial, byPort(record, kind: kind, why: "").id, place].compactMap(\.self)
    }

    /// Number of occurrences of each name.
    private static func counted<Name: Hashable>(_ names: [Name]) -> [Name: Int] {
        names.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// Id of a USB device with a serial number.
    private static func bySerial(_ serial: String, kind: String) -> DeviceID {
        DeviceID(rawValue: "\(kind):usb-\(serial)")
    }

    /// True for devices of a USB bus.
    private static func isUSB(_ record: DeviceRecord) -> Bool { record.properties["ID_BUS"] == "usb" }

    /// Model, serial number and interface of a USB device; `nil` without a serial number.
    private static func serialKey(_ record: DeviceRecord) -> String? {
        guard isUSB(record), let model = record.properties["ID_SERIAL"],
            let serial = record.properties["ID_SERIAL_SHORT"], !serial.isEmpty
        else { return nil }
        return clean(model) + part(record)
    }

    /// Identity of a USB device by its model and port.
    private static func byPort(_ record: DeviceRecord, kind: String, why: String) -> DeviceIdentity {
        let model = record.properties["ID_SERIAL"].map { clean($0) + "@" } ?? ""
        let port = clean(record.properties["ID_PATH"] ?? record.systemPath)
        return DeviceIdentity(
            id: DeviceID(rawValue: "\(kind):usb-\(model)\(port)\(part(record))"),
            ambiguity: "\(why), so the id is that of its port")
    }

    /// Identity by udev's path and the driver's name, for PCI, platform and virtual devices.
    private static func byPath(_ record: DeviceRecord, kind: String) -> DeviceIdentity {
        guard let path = record.properties["ID_PATH"] else {
            return bySystemPath(record, kind: kind, why: "udev has not described the device")
        }
        return DeviceIdentity(
            id: DeviceID(rawValue: "\(kind):\(clean(path))-\(clean(record.name))\(part(record))"), ambiguity: nil)
    }

    /// Identity by the path in sysfs, which is all there is without udevd; it may change at the next start.
    private static func bySystemPath(_ record: DeviceRecord, kind: String, why: String) -> DeviceIdentity {
        let path = record.systemPath.hasPrefix("/sys/devices/") ? record.systemPath.dropFirst(13) : "?"
        return DeviceIdentity(
            id: DeviceID(rawValue: "\(kind):\(clean(String(path)))"),
            ambiguity: "\(why), so the id is its path in sysfs")
    }

    /// Suffix that distinguishes the parts of one USB device or sound card.
    private static func part(_ record: DeviceRecord) -> String {
        if record.card != nil { return record.index == 0 ? "" : "-pcm\(record.index)" }
        let interface = record.properties["ID_USB_INTERFACE_NUM"] ?? "00"
        return interface == "00" ? "" : "-if\(interface)"
    }

    /// Replaces characters that would need quoting in a command line or a file name.
    private static func clean(_ text: String) -> String {
        String(
            text.unicodeScalars.map { scalar -> Character in
                let plain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                return plain || ".:-_@".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
            })
    }
}
