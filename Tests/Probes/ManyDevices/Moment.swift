import FoundationEssentials
import Glibc

/// The clock, the processor time of this process, and the idle time, in seconds.
struct Moment: Sendable {
    let clock: Double
    let processor: Double
    /// Of all processors; with the work that the kernel does for the devices, the rest is what a recording costs.
    let idle: Double

    init() {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        clock = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        var used = rusage()
        getrusage(Int32(RUSAGE_SELF.rawValue), &used)
        processor = Self.seconds(used.ru_utime) + Self.seconds(used.ru_stime)
        idle = Self.idle
    }

    /// The second number of /proc/uptime: proc_uptime(5).
    private static var idle: Double {
        let words = FileManager.default.contents(atPath: "/proc/uptime").map { String(decoding: $0, as: UTF8.self) }
        return words?.split(separator: " ").last.flatMap { Double($0.prefix { !$0.isNewline }) } ?? 0
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
}
