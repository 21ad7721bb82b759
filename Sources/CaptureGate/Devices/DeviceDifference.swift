import CSystem
import Gate

/// Compares listings.
enum DeviceDifference {
    /// Scans, reports what differs from `known`, and keeps the new listing in it.
    static func report(
        to continuation: AsyncStream<DeviceMonitor.Event>.Continuation, from known: inout [Device],
        without gone: Set<String>
    ) {
        let now = DeviceCatalog.scan(.identity, without: gone)
        let instant = cs_clock_ns(Int32(CS_CLOCK_MONOTONIC))
        for change in changes(from: known, to: now) {
            continuation.yield(DeviceMonitor.Event(change: change, noticedNanoseconds: instant))
        }
        known = now
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
