import Gate
import LinuxSystem

/// Sequence of devices that are added and removed.
///
/// It listens before it scans, so that no change is missed. The first elements are the present devices. It ends if the machine
/// does not report changes, as in some sandboxes, and when the task is cancelled.
///
/// ```swift
/// for await event in DeviceMonitor() {
///     if case .added(let device) = event.change { print(device.name, "came") }
/// }
/// ```
///
/// A device is complete when it is reported: its permissions are set, and it can be opened.
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
        /// Time at which the change was noticed, on CLOCK_MONOTONIC: since boot, without time asleep.
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
    /// - Returns: true if all devices were seen; otherwise another scan is useful.
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
