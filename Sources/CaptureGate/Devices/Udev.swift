import CMedia
import Dispatch
import LinuxSystem

/// Enumeration of a subsystem's devices by libudev.
enum UdevEnumerator {
    /// True if udevd runs here. A device is then listed only once udevd has described it; its event comes at that time.
    static var hasDaemon: Bool { ProcessFile.names(in: "/run/udev").contains("control") }

    /// Calls `body` for each device in the order of their paths in /sys; for none if there is no /sys.
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
    /// Path of the device file; `nil` if none exists.
    var node: String? { text(cm_udev_device_devnode(device)) }
    /// Action of an event, such as `add`; `nil` for a device of a listing.
    var action: String? { text(cm_udev_device_action(device)) }

    /// True if udevd has finished with it.
    var isInitialized: Bool { cm_udev_device_is_initialized(device) > 0 }

    /// Value of a sysfs attribute; `nil` if the device does not have it.
    func attribute(_ name: String) -> String? { text(cm_udev_device_sysattr(device, name)) }

    /// Results of udevd's rules.
    var properties: [String: String] { Self.properties(of: device) }

    /// Properties of the nearest parent of a subsystem; empty if none exists.
    func parentProperties(_ subsystem: String, _ type: String? = nil) -> [String: String] {
        cm_udev_device_parent(device, subsystem, type).map { Self.properties(of: $0) } ?? [:]
    }

    /// Path of the nearest parent of a subsystem; `nil` if none exists.
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

/// Monitor of udev's events: calls a handler on a separate thread, once at the start, then after each event of a capture device.
///
/// It listens to udevd's events, not the kernel's: they come after the rules have run, when properties and permissions are set.
///
/// *thread-safe*
final class UdevMonitor: Sendable {
    /// Ends the thread.
    private let stop: EventDescriptor

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - handler: gets the listing that it returned last time, and the paths in /sys that are about to be removed. It returns
    ///     true if it saw all devices; otherwise it is called again after a second.
    ///   - end: called when no more events will come: after ``cancel()``, or if the machine does not report them.
    /// - Throws: an error if no descriptor is left.
    init(
        _ handler: @escaping @Sendable (inout [Device], Set<String>) -> Bool, end: @escaping @Sendable () -> Void
    ) throws(CaptureError) {
        let stop = try EventDescriptor.forWaiting()
        self.stop = stop
        DispatchQueue(label: "capturegate.devices").async {
            Self.watch(until: stop, handler)
            end()
        }
    }

    deinit { cancel() }

    /// Ends the monitor; the thread closes its descriptors.
    func cancel() { stop.signal() }

    /// Handler's loop; without events it is called once, for the devices that are there.
    private static func watch(until stop: EventDescriptor, _ handler: (inout [Device], Set<String>) -> Bool) {
        var known: [Device] = []
        if !follow(until: stop, &known, handler) { _ = handler(&known, []) }
    }

    /// Listens first and scans second, so that no device falls between.
    ///
    /// - Returns: false if udev can't be listened to.
    private static func follow(
        until stop: EventDescriptor, _ known: inout [Device], _ handler: (inout [Device], Set<String>) -> Bool
    ) -> Bool {
        guard let udev = cm_udev_new() else { return false }
        defer { cm_udev_unref(udev) }
        guard let monitor = listen(udev) else { return false }
        defer { cm_udev_monitor_unref(monitor) }
        // The kernel announces a removal before it has taken the device out of /sys.
        var gone: Set<String> = []
        var sawAll = handler(&known, gone)
        while wait(monitor, stop.descriptor, &gone, milliseconds: sawAll ? -1 : Self.pause) {
            sawAll = handler(&known, gone)
        }
        return true
    }

    /// Time until another scan after an incomplete one, in ms.
    private static let pause: Int32 = 1000

    /// Opens libudev's socket for both subsystems.
    private static func listen(_ udev: OpaquePointer) -> OpaquePointer? {
        guard let monitor = cm_udev_monitor_new(udev) else { return nil }
        _ = cm_udev_monitor_add_subsystem(monitor, "video4linux")
        _ = cm_udev_monitor_add_subsystem(monitor, "sound")
        guard cm_udev_monitor_enable(monitor) >= 0 else {
            cm_udev_monitor_unref(monitor)
            return nil
        }
        return monitor
    }

    /// Waits for an event of a capture device.
    ///
    /// - Parameters:
    ///   - monitor: libudev's socket.
    ///   - stop: descriptor that ends the monitor.
    ///   - gone: paths in /sys that are about to go; kept up to date.
    ///   - milliseconds: limit; -1 for none. At the limit the scan is repeated.
    /// - Returns: false when the monitor ends.
    private static func wait(
        _ monitor: OpaquePointer, _ stop: Int32, _ gone: inout Set<String>, milliseconds: Int32
    ) -> Bool {
        while true {
            var items = [PollItem(cm_udev_monitor_descriptor(monitor)), PollItem(stop)]
            guard let polled = try? Poll.wait(for: &items, milliseconds: milliseconds), !items[1].isReady else {
                return false
            }
            if polled == 0 { return true }
            // All events that wait are answered by one scan.
            var (matters, count) = (false, 0)
            while let device = cm_udev_monitor_receive(monitor) {
                if note(UdevDevice(owning: device), &gone) { matters = true }
                count += 1
            }
            // The socket overran: events were lost, and with them which devices have gone.
            if count == 0 || items[0].found != .input {
                gone.removeAll()
                return true
            }
            if matters { return true }
        }
    }

    /// Keeps track of removals.
    ///
    /// - Returns: true if the event is worth a scan.
    private static func note(_ device: borrowing UdevDevice, _ gone: inout Set<String>) -> Bool {
        if device.action == "remove" { gone.insert(device.systemPath) } else { gone.remove(device.systemPath) }
        return concernsCapture(device)
    }

    /// True for the event after which a device is complete. A card or a camera comes as a dozen nodes, and one scan
    /// after the right one is enough. A sound card gets its properties with the event of the card, which comes after
    /// those of its PCM devices.
    private static func concernsCapture(_ device: borrowing UdevDevice) -> Bool {
        let name = device.systemName
        if name.hasPrefix("video") { return device.properties["ID_V4L_CAPABILITIES"]?.contains(":capture:") ?? true }
        return name.hasPrefix("card") || MicrophoneScanner.numbers(of: name) != nil && device.action == "remove"
    }
}
