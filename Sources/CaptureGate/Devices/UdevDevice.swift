import CMedia

/// A device as libudev describes it; released with the value.
struct UdevDevice: ~Copyable {
    private let device: OpaquePointer

    /// Takes the reference over.
    init(owning device: OpaquePointer) {
        self.device = device
    }

    deinit { cm_udev_device_unref(device) }

    var systemPath: String { text(cm_udev_device_syspath(device)) ?? "" }
    var systemName: String { text(cm_udev_device_sysname(device)) ?? "" }
    var node: String? { text(cm_udev_device_devnode(device)) }
    var action: String? { text(cm_udev_device_action(device)) }

    /// Whether udevd has finished with it.
    var isInitialized: Bool { cm_udev_device_is_initialized(device) > 0 }

    func attribute(_ name: String) -> String? { text(cm_udev_device_sysattr(device, name)) }

    /// Everything udevd's rules found out.
    var properties: [String: String] { Self.properties(of: device) }

    /// The properties of the nearest parent of a subsystem; empty where there is none.
    func parentProperties(_ subsystem: String, _ type: String? = nil) -> [String: String] {
        cm_udev_device_parent(device, subsystem, type).map { Self.properties(of: $0) } ?? [:]
    }

    /// Where the nearest parent of a subsystem stands; `nil` where there is none.
    func parentPath(_ subsystem: String, _ type: String? = nil) -> String? {
        cm_udev_device_parent(device, subsystem, type).flatMap { text(cm_udev_device_syspath($0)) }
    }

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

    private func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
}
