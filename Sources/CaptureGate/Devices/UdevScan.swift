import CMedia

/// Walks the devices of a subsystem.
enum UdevScan {
    /// Whether udevd runs here. Where it does, a device is listed once udevd has described it: its event comes then.
    static var hasDaemon: Bool { SmallFile.names(in: "/run/udev").contains("control") }

    /// Calls `body` for each device, in the order of their places in /sys; for none where there is no /sys.
    ///
    /// - Parameter names: a pattern that the kernel's names match, as in fnmatch(3).
    static func forEach(in subsystem: String, named names: String, _ body: (borrowing UdevDevice) -> Void) {
        guard let udev = cm_udev_new() else { return }
        defer { cm_udev_unref(udev) }
        guard let enumeration = cm_udev_enumerate_new(udev) else { return }
        defer { cm_udev_enumerate_unref(enumeration) }
        guard cm_udev_enumerate_add_subsystem(enumeration, subsystem) >= 0,
            cm_udev_enumerate_add_name(enumeration, names) >= 0, cm_udev_enumerate_scan(enumeration) >= 0
        else { return }
        var entry = cm_udev_enumerate_first(enumeration)
        while let current = entry {
            // A device may be gone between the list and the look.
            if let path = cm_udev_entry_name(current), let device = cm_udev_device_from_syspath(udev, path) {
                body(UdevDevice(owning: device))
            }
            entry = cm_udev_entry_next(current)
        }
    }
}
