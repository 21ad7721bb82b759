import Gate
import LinuxSystem

/// Description of one capture node by udev and sysfs, read without opening it.
struct DeviceRecord: Hashable, Sendable {
    /// Path of the device below /sys.
    let systemPath: String
    /// Path of the device file: `/dev/video0`, `/dev/snd/pcmC0D0c`.
    let node: String
    /// The device's own name: V4L2's card name, or ALSA's.
    let name: String
    /// udev's properties; empty if udevd does not run.
    let properties: [String: String]
    /// Path of the USB interface or other parent that all nodes of one camera share.
    let parentPath: String?
    /// V4L2's index below the parent, or ALSA's device number.
    let index: Int
    /// ALSA's card number; `nil` for cameras.
    var card: Int?

    /// True if the device or its parent is at one of these paths in /sys.
    func isIn(_ paths: Set<String>) -> Bool {
        paths.contains(systemPath) || parentPath.map { paths.contains($0) } ?? false
    }
}

/// Result of enumerating udev's devices of one kind.
struct EnumerationResult: Sendable {
    /// Devices that were found.
    var records: [DeviceRecord] = []
    /// Calls that failed, because of which devices may be missing.
    var faults: [EnumerationError] = []
}

/// Failed call during enumeration, because of which devices may be missing.
struct EnumerationError: Error, Hashable {
    /// Function, as its manual page names it.
    let call: String
    /// Positive, as in errno.h.
    let errno: Int32
    /// Path in /sys of the device that could not be read; `nil` if the whole kind could not be listed.
    var path: String?

    /// Makes an error of a shim's result.
    ///
    /// - Returns: `nil` if `result` is no error.
    init?(_ call: String, _ result: Int32, at path: String? = nil) {
        guard result < 0 else { return nil }
        (self.call, self.errno, self.path) = (call, 0 &- result, path)
    }

    /// Error of libudev functions that return no object: they fail for want of memory alone.
    init(withoutMemory call: String) {
        (self.call, errno) = (call, Errno.noMemory.number)
    }

    /// True if it tells only that a device was removed between the listing and the opening.
    var isDeparture: Bool {
        path != nil && [.noSuchDevice, .noSuchFileOrDirectory, .noSuchAddressOrDevice].contains(Errno(errno))
    }

    /// The public error. A shortage has another remedy than a fault.
    ///
    /// - Parameter capability: kind that was looked for.
    func error(_ capability: CapabilityName) -> CaptureError {
        let what =
            path.map { "\(QuestionText.visible($0)) can't be read" } ?? "The \(capability)s can't be listed"
        let isShortage = [.noMemory, .tooManyOpenFiles, .tooManyOpenFilesInSystem].contains(Errno(errno))
        let advice =
            isShortage
            ? Remedy("End other programs, then list the devices again.", .listDevices)
            : Remedy("Try again. See also the kernel's messages.", command: "sudo dmesg")
        return CaptureError(
            isShortage ? .unavailable : .inputOutput, "\(what) (\(call): \(Errno(errno).text)).", errno: errno,
            remedies: [advice])
    }
}

/// Cache of device records, valid until the kernel announces another event about devices, and for at most a second.
///
/// The gate searches for a device several times for each request, and each enumeration costs hundreds of system calls.
///
/// *thread-safe*
final class DeviceRecordCache: Sendable {
    /// Lifetime of an entry in ns. A device that is just leaving may be found after its event was announced; such a
    /// record must not last.
    static let patience: Int64 = 1_000_000_000

    /// One complete enumeration.
    private struct Walk {
        let records: [DeviceRecord]
        /// Kernel's event number before the enumeration.
        let event: String
        /// Time of the enumeration in ns.
        let at: Int64
    }

    private let last = Locked<Walk?>(nil)
    private let event: @Sendable () -> String?
    private let now: @Sendable () -> Int64
    private let walk: @Sendable () -> EnumerationResult

    /// Makes an empty cache.
    ///
    /// - Parameters:
    ///   - event: number of the kernel's last event about devices; `nil` if it can't be read, and nothing is cached.
    ///   - now: ns of a clock that never goes back.
    ///   - walk: enumerates the devices.
    init(
        event: @escaping @Sendable () -> String? = { ProcessFile.text("/sys/kernel/uevent_seqnum") },
        now: @escaping @Sendable () -> Int64 = { SystemClock.monotonic.now },
        walk: @escaping @Sendable () -> EnumerationResult
    ) {
        self.event = event
        self.now = now
        self.walk = walk
    }

    /// Enumerates again. An incomplete result is not cached.
    func renew() -> EnumerationResult {
        // Read before the enumeration: a change meanwhile has a later number, and invalidates the entry.
        let (event, at) = (event(), now())
        let walk = walk()
        last.withLock { last in
            last = walk.faults.isEmpty ? event.map { Walk(records: walk.records, event: $0, at: at) } : nil
        }
        return walk
    }

    /// Searches the cached records, then those of a new enumeration.
    ///
    /// - Parameter body: searches a list; `nil` if the list does not have it.
    /// - Throws: the fault of the new enumeration, if it found nothing and may have missed devices.
    func find<Found>(_ body: ([DeviceRecord]) -> Found?) throws(EnumerationError) -> Found? {
        if let records = kept, let found = body(records) { return found }
        let walk = renew()
        if let found = body(walk.records) { return found }
        if let fault = walk.faults.first { throw fault }
        return nil
    }

    /// Cached records, if still valid.
    private var kept: [DeviceRecord]? {
        guard let walk = last.withLock({ $0 }), now() - walk.at <= Self.patience, event() == walk.event else {
            return nil
        }
        return walk.records
    }
}
