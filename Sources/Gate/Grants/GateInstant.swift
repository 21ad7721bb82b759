/// A moment on both clocks the gate trusts together: wall time, and time since boot with the boot's id.
///
/// A wall clock can be set back, a boot clock can't; a boot clock ends with its boot, a wall clock does not.
///
/// *thread-safe*
public struct GateInstant: Hashable, Sendable, Codable {
    /// CLOCK_REALTIME, nanoseconds since 1970-01-01T00:00:00Z.
    public let wallNanoseconds: Int64
    /// CLOCK_BOOTTIME, nanoseconds since boot, time asleep included.
    public let bootNanoseconds: Int64
    /// `/proc/sys/kernel/random/boot_id`.
    public let bootID: String

    public init(wallNanoseconds: Int64, bootNanoseconds: Int64, bootID: String) {
        self.wallNanoseconds = wallNanoseconds
        self.bootNanoseconds = bootNanoseconds
        self.bootID = bootID
    }
}

/// Where the gate reads the time; tests inject their own.
public protocol GateClock: Sendable {
    var now: GateInstant { get }
}
