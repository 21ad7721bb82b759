import CMedia
import Dispatch
import Gate
import LinuxSystem

/// Sequence of devices that come and go.
///
/// It listens before it scans, so that nothing falls between. The first elements are the devices that are there. It
/// ends where the machine does not report changes, as in some sandboxes, and where the task is cancelled.
///
/// *thread-safe*
public struct DeviceMonitor: AsyncSequence, Sendable {
    /// Event in a device's life.
    public enum Change: Sendable, Hashable {
        /// The device came, or was there at the start.
        case added(Device)
        /// The device has gone; the value is its last description.
        case removed(Device)
        /// Its availability, name or nodes have changed.
        case changed(Device)
    }

    /// Change with its time.
    public struct Event: Sendable, Hashable {
        /// The change.
        public let change: Change
        /// Time at which the change was noticed, on CLOCK_MONOTONIC: since boot, time asleep left out.
        public let noticed: Duration
    }

    public typealias Element = Event

    /// Describes a monitor; listening begins with the iterator.
    public init() {}

    /// Starts a thread that listens until the iterator is released.
    public func makeAsyncIterator() -> AsyncStream<Event>.Iterator {
        AsyncStream { continuation in
            do {
                let watch = try UdevMonitor {
                    DeviceDifference.report(to: continuation, from: &$0, without: $1)
                } end: {
                    continuation.finish()
                }
                continuation.onTermination = { _ in watch.cancel() }
            } catch {
                continuation.finish()
            }
        }.makeAsyncIterator()
    }
}

/// Comparison of two listings.
enum DeviceDifference {
    /// Scans, reports the differences from `known`, and keeps the new listing in it.
    ///
    /// - Returns: true if all devices were seen; else another scan is worth while.
    static func report(
        to continuation: AsyncStream<DeviceMonitor.Event>.Continuation, from known: inout [Device],
        without gone: Set<String>
    ) -> Bool {
        let inventory = DeviceCatalog.inventory(.identity, without: gone)
        let now = seen(inventory, after: known)
        let instant = SystemClock.monotonic.now
        for change in changes(from: known, to: now) {
            continuation.yield(DeviceMonitor.Event(change: change, noticed: .nanoseconds(instant)))
        }
        known = now
        return inventory.faults.isEmpty
    }

    /// Listing after a scan, without false removals: a device that a faulty scan may have missed has not gone.
    static func seen(_ inventory: DeviceInventory, after known: [Device]) -> [Device] {
        let unsure = Set(inventory.faults.filter { $0.device == nil }.map(\.capability))
        let found = Set(inventory.devices.map(\.id))
        return inventory.devices + known.filter { unsure.contains($0.capability) && !found.contains($0.id) }
    }

    /// Removed devices, then added and changed ones.
    static func changes(from old: [Device], to new: [Device]) -> [DeviceMonitor.Change] {
        let before = Dictionary(old.map { ($0.id, $0) }) { first, _ in first }
        let after = Dictionary(new.map { ($0.id, $0) }) { first, _ in first }
        return old.filter { after[$0.id] == nil }.map { .removed($0) }
            + new.compactMap { device in
                guard let earlier = before[device.id] else { return .added(device) }
                return earlier == device ? nil : .changed(device)
            }
    }
}

/// Monitor of udev's events: calls a handler on a thread of its own, once at the start, then after each event of a
/// capture device.
///
/// udevd's events are listened to, not the kernel's: they come after the rules have run, when properties and
/// permissions are set.
///
/// *thread-safe*
final class UdevMonitor: Sendable {
    /// Ends the thread.
    private let stop: EventDescriptor

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - handler: gets the listing that it returned last time, and the paths in /sys that are about to go. It returns
    ///     true if it saw all devices; else it is called again after a second.
    ///   - end: called when no more events will come: after ``cancel()``, or where the machine does not report them.
    /// - Throws: for want of a descriptor.
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
    /// - Returns: false where udev can't be listened to.
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
