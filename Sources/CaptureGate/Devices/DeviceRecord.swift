import CSystem
import Gate

/// What udev and sysfs say of one capture node, read without opening it.
struct DeviceRecord: Hashable, Sendable {
    /// Where the kernel keeps it below /sys.
    let systemPath: String
    /// `/dev/video0`, `/dev/snd/pcmC0D0c`.
    let node: String
    /// The device's own name: V4L2's card name, or ALSA's.
    let name: String
    /// udev's properties; empty where udevd does not run.
    let properties: [String: String]
    /// The USB interface or other parent that the nodes of one camera share.
    let parentPath: String?
    /// V4L2's index below the parent, or ALSA's device number.
    let index: Int
    /// ALSA's card number; `nil` for cameras.
    var card: Int?

    /// Whether it, or what it belongs to, stands at one of these paths in /sys.
    func isIn(_ paths: Set<String>) -> Bool {
        paths.contains(systemPath) || parentPath.map { paths.contains($0) } ?? false
    }
}

/// What a walk through udev's devices found.
struct EnumerationResult: Sendable {
    var records: [DeviceRecord] = []
    /// Why there may be more than it found.
    var faults: [EnumerationError] = []
}

/// A call that failed while devices were looked for, so that some of them may not have been found.
struct EnumerationError: Error, Hashable {
    /// As its manual page has it.
    let call: String
    /// Positive, as in errno.h.
    let errno: Int32
    /// Where in /sys the device is that could not be looked at; `nil` where none of its kind could be looked for.
    var path: String?

    /// - Returns: `nil` where `result` is no error.
    init?(_ call: String, _ result: Int32, at path: String? = nil) {
        guard result < 0 else { return nil }
        (self.call, self.errno, self.path) = (call, 0 &- result, path)
    }

    /// libudev gives no object where it has no memory for it, and else always does.
    init(withoutMemory call: String) {
        (self.call, errno) = (call, ENOMEM)
    }

    /// Whether it says no more than that a device went between the list and the look.
    var isDeparture: Bool { path != nil && [ENODEV, ENOENT, ENXIO].contains(errno) }

    /// - Parameter capability: what was looked for.
    func error(_ capability: CapabilityName) -> CaptureError {
        let what =
            path.map { "What \(QuestionText.visible($0)) is can't be told" } ?? "The \(capability)s can't be listed"
        let isShortage = [ENOMEM, EMFILE, ENFILE].contains(errno)
        let advice =
            isShortage
            ? Remedy("End other programs, then list the devices again.", command: "capturegate devices")
            : Remedy("Try again; the kernel's messages may say more.", command: "sudo dmesg")
        return CaptureError(
            isShortage ? .unavailable : .inputOutput, "\(what) (\(call): \(SystemText.error(errno))).", errno: errno,
            remedies: [advice])
    }
}

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
