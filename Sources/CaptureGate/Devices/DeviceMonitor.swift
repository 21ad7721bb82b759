import CMedia
import CSystem
import Dispatch
import Gate

/// Devices that come and go.
///
/// It listens before it scans, so that nothing falls between. The first elements are the devices that are there. It ends
/// where the machine does not tell of devices that come and go, as in some sandboxes, and where the task is cancelled.
///
/// *thread-safe*
public struct DeviceMonitor: AsyncSequence, Sendable {
    /// What happened to a device.
    public enum Change: Sendable, Hashable {
        case added(Device)
        case removed(Device)
        /// Its availability, name or nodes are others now.
        case changed(Device)
    }

    /// What a change is, and when it was noticed.
    public struct Event: Sendable, Hashable {
        public let change: Change
        /// CLOCK_MONOTONIC nanoseconds.
        public let noticedNanoseconds: Int64
    }

    public typealias Element = Event

    public init() {}

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

/// Compares listings.
enum DeviceDifference {
    /// Scans, reports what differs from `known`, and keeps the new listing in it.
    ///
    /// - Returns: whether all was seen; else it is worth another look.
    static func report(
        to continuation: AsyncStream<DeviceMonitor.Event>.Continuation, from known: inout [Device],
        without gone: Set<String>
    ) -> Bool {
        let inventory = DeviceCatalog.inventory(.identity, without: gone)
        let now = seen(inventory, after: known)
        let instant = cs_clock_ns(Int32(CS_CLOCK_MONOTONIC))
        for change in changes(from: known, to: now) {
            continuation.yield(DeviceMonitor.Event(change: change, noticedNanoseconds: instant))
        }
        known = now
        return inventory.faults.isEmpty
    }

    /// What a scan may have missed has not gone.
    static func seen(_ inventory: DeviceInventory, after known: [Device]) -> [Device] {
        let unsure = Set(inventory.faults.filter { $0.device == nil }.map(\.capability))
        let found = Set(inventory.devices.map(\.id))
        return inventory.devices + known.filter { unsure.contains($0.capability) && !found.contains($0.id) }
    }

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

/// Calls a handler on a thread of its own, first at once, then after each event of a capture device.
final class UdevMonitor: Sendable {
    private let stop: EventDescriptor

    /// - Parameters:
    ///   - handler: gets the listing it returned with last time, and the places in /sys that are about to go; says
    ///     whether it saw all, and is called again after a while where it did not.
    ///   - end: told when no more will come: it was cancelled, or the machine does not tell of devices.
    init(
        _ handler: @escaping @Sendable (inout [Device], Set<String>) -> Bool, end: @escaping @Sendable () -> Void
    ) throws(CaptureError) {
        let stop = try EventDescriptor()
        self.stop = stop
        DispatchQueue(label: "capturegate.devices").async {
            Self.watch(until: stop, handler)
            end()
        }
    }

    deinit { cancel() }

    /// Ends the watch; the thread closes what it holds.
    func cancel() { stop.signal() }

    private static func watch(until stop: EventDescriptor, _ handler: (inout [Device], Set<String>) -> Bool) {
        var known: [Device] = []
        if !follow(until: stop, &known, handler) { _ = handler(&known, []) }
    }

    /// - Returns: false where udev can't be listened to.
    private static func follow(
        until stop: EventDescriptor, _ known: inout [Device], _ handler: (inout [Device], Set<String>) -> Bool
    ) -> Bool {
        guard let udev = cm_udev_new() else { return false }
        defer { cm_udev_unref(udev) }
        guard let monitor = listen(udev) else { return false }
        defer { cm_udev_monitor_unref(monitor) }
        // The kernel tells of a removal before it has taken the device out of /sys.
        var gone: Set<String> = []
        var sawAll = handler(&known, gone)
        while wait(monitor, stop.descriptor, &gone, milliseconds: sawAll ? -1 : Self.pause) {
            sawAll = handler(&known, gone)
        }
        return true
    }

    /// Before another look where the last one did not see all.
    private static let pause: Int32 = 1000

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

    /// Waits for an event of a capture device, and for so long at most; -1: for ever.
    /// - Returns: false when the watch ends.
    private static func wait(
        _ monitor: OpaquePointer, _ stop: Int32, _ gone: inout Set<String>, milliseconds: Int32
    ) -> Bool {
        while true {
            var items = [
                cs_poll_item(fd: cm_udev_monitor_descriptor(monitor), events: Int16(CS_POLL_IN), revents: 0),
                cs_poll_item(fd: stop, events: Int16(CS_POLL_IN), revents: 0),
            ]
            let polled = cs_poll(&items, items.count, milliseconds)
            guard polled >= 0, items[1].revents == 0 else { return false }
            if polled == 0 { return true }
            // All that is waiting is one look.
            var (matters, count) = (false, 0)
            while let device = cm_udev_monitor_receive(monitor) {
                if note(UdevDevice(owning: device), &gone) { matters = true }
                count += 1
            }
            // What the socket had no room for is lost, and nobody says what it was.
            if count == 0 || items[0].revents != Int16(CS_POLL_IN) {
                gone.removeAll()
                return true
            }
            if matters { return true }
        }
    }

    private static func note(_ device: borrowing UdevDevice, _ gone: inout Set<String>) -> Bool {
        if device.action == "remove" { gone.insert(device.systemPath) } else { gone.remove(device.systemPath) }
        return concernsCapture(device)
    }

    /// A card or a camera comes as a dozen nodes; one look after the right one is enough. A sound card has its identity
    /// with the event of the card, which comes after those of its PCM devices.
    private static func concernsCapture(_ device: borrowing UdevDevice) -> Bool {
        let name = device.systemName
        if name.hasPrefix("video") { return device.properties["ID_V4L_CAPABILITIES"]?.contains(":capture:") ?? true }
        return name.hasPrefix("card") || MicrophoneScanner.numbers(of: name) != nil && device.action == "remove"
    }
}
