import CSystem
import Gate

/// The machine's clocks, for the lines the store writes of its own accord.
enum StoreClock {
    static var now: GateInstant {
        GateInstant(
            wallNanoseconds: cs_clock_ns(Int32(CS_CLOCK_REALTIME)),
            bootNanoseconds: cs_clock_ns(Int32(CS_CLOCK_BOOTTIME)),
            bootID: KernelText.bootID ?? "")
    }
}
