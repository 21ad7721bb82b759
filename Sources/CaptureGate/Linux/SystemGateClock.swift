import CSystem
import Gate

/// The machine's own clocks.
///
/// *thread-safe*
public struct SystemGateClock: GateClock {
    private let bootID: String

    public init() {
        // An empty id matches no recorded one, so that without /proc nothing that depends on the boot is valid.
        bootID = SmallFile.text("/proc/sys/kernel/random/boot_id") ?? ""
    }

    public var now: GateInstant {
        GateInstant(
            wallNanoseconds: cs_clock_ns(Int32(CS_CLOCK_REALTIME)),
            bootNanoseconds: cs_clock_ns(Int32(CS_CLOCK_BOOTTIME)),
            bootID: bootID)
    }
}
