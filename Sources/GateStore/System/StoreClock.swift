import Gate
import LinuxSystem

/// The machine's clocks, for the lines the store writes of its own accord.
enum StoreClock {
    static var now: GateInstant {
        GateInstant(
            wallNanoseconds: SystemClock.realtime.now,
            bootNanoseconds: SystemClock.boot.now,
            bootID: ProcessFile.bootID ?? "")
    }
}
