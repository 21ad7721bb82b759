import CaptureGate
import Foundation

/// The memory of this process after many operations that have finished.
struct Memory {
    /// Resident after the first tenth, and after all of them; MiB.
    let early: Double
    let late: Double
    let operations: Int

    /// What may come on top by chance: the allocator's slack.
    static let slack = 4.0

    var passes: Bool { late - early <= Self.slack }

    /// Runs a million operations through one queue, a thousand at a time: this number may wait at once, and waiting operations
    /// take memory. Finished ones must not.
    static func measure() async -> Memory {
        let queue = GateQueue(gatekeeper: .forBenchmarks)
        for _ in 0..<100 { await queue.runTrivial(1_000) }
        let early = resident
        for _ in 0..<900 { await queue.runTrivial(1_000) }
        return Memory(early: early, late: resident, operations: 1_000_000)
    }

    /// Second number of /proc/self/statm (proc(5)), in MiB.
    private static var resident: Double {
        let line = (try? String(contentsOfFile: "/proc/self/statm", encoding: .ascii)) ?? ""
        let pages = line.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
        return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
    }
}

extension Memory {
    var line: String {
        "Resident after 100,000 operations: \(early.short) MiB, after 1,000,000: \(late.short) MiB"
            + (passes ? "\n" : " MISSED\n")
    }

    var json: String { "{\"name\":\"memory\",\"early_mib\":\(early),\"late_mib\":\(late),\"passes\":\(passes)}" }
}
