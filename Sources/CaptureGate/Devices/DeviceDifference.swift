import CSystem
import Gate

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
