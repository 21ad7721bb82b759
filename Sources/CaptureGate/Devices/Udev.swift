import CMedia
import LinuxSystem

/// Enumeration of a subsystem's devices by libudev.
enum UdevEnumerator {
    /// True if udevd runs here. A device is then listed only once udevd has described it; its event comes at that time.
    static var hasDaemon: Bool { ProcessFile.names(in: "/run/udev").contains("control") }

    /// Calls `body` for each device in the order of their paths in /sys; for none where there is no /sys.
    ///
    /// - Parameters:
    ///   - subsystem: such as `video4linux`.
    ///   - names: pattern of kernel names, as in fnmatch(3).
    ///   - body: gets each device for the time of the call.
    /// - Returns: faults, because of which there may be more devices.
    static func forEach(
        in subsystem: String, named names: String, _ body: (borrowing UdevDevice) -> Void
    ) -> [EnumerationError] {
        guard let udev = cm_udev_new() else { return [EnumerationError(withoutMemory: "udev_new")] }
        defer { cm_udev_unref(udev) }
        guard let enumeration = cm_udev_enumerate_new(udev) else {
            return [EnumerationError(withoutMemory: "udev_enumerate_new")]
        }
        defer { cm_udev_enumerate_unref(enumeration) }
        if let fault = list(enumeration, subsystem, names) { return [fault] }
        var faults: [EnumerationError] = []
        var entry = cm_udev_enumerate_first(enumeration)
        while let current = entry {
            if let path = cm_udev_entry_name(current), let fault = look(at: path, udev, body) { faults.append(fault) }
            entry = cm_udev_entry_next(current)
        }
        return faults
    }

    /// Sets up and runs the enumeration; stops at the first failure.
    private static func list(_ enumeration: OpaquePointer, _ subsystem: String, _ names: String) -> EnumerationError? {
        EnumerationError("udev_enumerate_add_match_subsystem", cm_udev_enumerate_add_subsystem(enumeration, subsystem))
            ?? EnumerationError("udev_enumerate_add_match_sysname", cm_udev_enumerate_add_name(enumeration, names))
            ?? EnumerationError("udev_enumerate_scan_devices", cm_udev_enumerate_scan(enumeration))
    }

    /// Opens one entry of the list; a device that has gone since is no fault.
    private static func look(
        at path: UnsafePointer<CChar>, _ udev: OpaquePointer, _ body: (borrowing UdevDevice) -> Void
    ) -> EnumerationError? {
        var device: OpaquePointer?
        let result = cm_udev_device_from_syspath(udev, path, &device)
        guard let device else {
            let fault = EnumerationError("udev_device_new_from_syspath", result, at: String(cString: path))
            return fault?.isDeparture == true ? nil : fault
        }
        body(UdevDevice(owning: device))
        return nil
    }
}

/// Device as libudev describes it (`struct udev_device`); released with the value.
struct UdevDevice: ~Copyable {
    private let device: OpaquePointer

    /// Takes the reference over.
    init(owning device: OpaquePointer) {
        self.device = device
    }

    deinit { cm_udev_device_unref(device) }

    /// Path below /sys.
    var systemPath: String { text(cm_udev_device_syspath(device)) ?? "" }
    /// Kernel's name, such as `video0`.
    var systemName: String { text(cm_udev_device_sysname(device)) ?? "" }
    /// Path of the device file; `nil` where there is none.
    var node: String? { text(cm_udev_device_devnode(device)) }
    /// Action of an event, such as `add`; `nil` for a device of a listing.
    var action: String? { text(cm_udev_device_action(device)) }

    /// True if udevd has finished with it.
    var isInitialized: Bool { cm_udev_device_is_initialized(device) > 0 }

    /// Value of a sysfs attribute; `nil` where the device does not have it.
    func attribute(_ name: String) -> String? { text(cm_udev_device_sysattr(device, name)) }

    /// Results of udevd's rules.
    var properties: [String: String] { Self.properties(of: device) }

    /// Properties of the nearest parent of a subsystem; empty where there is none.
    func parentProperties(_ subsystem: String, _ type: String? = nil) -> [String: String] {
        cm_udev_device_parent(device, subsystem, type).map { Self.properties(of: $0) } ?? [:]
    }

    /// Path of the nearest parent of a subsystem; `nil` where there is none.
    func parentPath(_ subsystem: String, _ type: String? = nil) -> String? {
        cm_udev_device_parent(device, subsystem, type).flatMap { text(cm_udev_device_syspath($0)) }
    }

    /// Copies a list of properties, which belongs to the device.
    private static func properties(of device: OpaquePointer) -> [String: String] {
        var properties: [String: String] = [:]
        var entry = cm_udev_device_first_property(device)
        while let current = entry {
            if let name = cm_udev_entry_name(current), let value = cm_udev_entry_value(current) {
                properties[String(cString: name)] = String(cString: value)
            }
            entry = cm_udev_entry_next(current)
        }
        return properties
    }

    /// Copies a string, which belongs to the device.
    private func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
}
