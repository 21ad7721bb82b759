import CSystem
import Gate

/// What the last walk through udev's devices found, for as long as it holds: until the kernel tells of another event, and
/// a second at most. A gate looks a device up several times for each request, and each walk is hundreds of system calls.
///
/// *thread-safe*
final class DeviceRecordCache: Sendable {
    /// A device that is just leaving may be found after its event was told: that holds no longer than this, nanoseconds.
    static let patience: Int64 = 1_000_000_000

    private struct Walk {
        let records: [DeviceRecord]
        let event: String
        let at: Int64
    }

    private let last = Locked<Walk?>(nil)
    private let event: @Sendable () -> String?
    private let now: @Sendable () -> Int64
    private let walk: @Sendable () -> EnumerationResult

    /// - Parameters:
    ///   - event: the number of the kernel's last event about devices; `nil` where it can't be read, and nothing is kept.
    ///   - now: nanoseconds of a clock that never goes back.
    init(
        event: @escaping @Sendable () -> String? = { SmallFile.text("/sys/kernel/uevent_seqnum") },
        now: @escaping @Sendable () -> Int64 = { cs_clock_ns(Int32(CS_CLOCK_MONOTONIC)) },
        walk: @escaping @Sendable () -> EnumerationResult
    ) {
        self.event = event
        self.now = now
        self.walk = walk
    }

    /// Looks anew. What may not be all is not kept.
    func renew() -> EnumerationResult {
        // Before the walk: what changes meanwhile has a later number.
        let (event, at) = (event(), now())
        let walk = walk()
        last.withLock { last in
            last = walk.faults.isEmpty ? event.map { Walk(records: walk.records, event: $0, at: at) } : nil
        }
        return walk
    }

    /// What `body` finds among the kept ones; where it finds nothing, among those of a new walk.
    ///
    /// - Throws: where that one did not see all there is, why.
    func find<Found>(_ body: ([DeviceRecord]) -> Found?) throws(EnumerationError) -> Found? {
        if let records = kept, let found = body(records) { return found }
        let walk = renew()
        if let found = body(walk.records) { return found }
        if let fault = walk.faults.first { throw fault }
        return nil
    }

    private var kept: [DeviceRecord]? {
        guard let walk = last.withLock({ $0 }), now() - walk.at <= Self.patience, event() == walk.event else {
            return nil
        }
        return walk.records
    }
}
