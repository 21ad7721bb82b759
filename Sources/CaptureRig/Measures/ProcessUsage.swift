import CaptureBase
import LinuxSystem

/// Resources that this process has now. *thread-safe*
package struct ProcessUsage: Hashable, Sendable {
    /// Open descriptors, except the one used for counting them.
    package var descriptors: Int
    package var threads: Int
    /// Resident memory in KiB.
    package var resident: Int

    package init(descriptors: Int, threads: Int, resident: Int) {
        self.descriptors = descriptors
        self.threads = threads
        self.resident = resident
    }

    /// - Returns: `nil` if /proc can't be read.
    package static func now() -> ProcessUsage? {
        guard let status = ProcessFile.text("/proc/self/status"), let threads = number("Threads", in: status),
            let resident = number("VmRSS", in: status)
        else { return nil }
        let descriptors = ProcessFile.names(in: "/proc/self/fd").count - 1
        return descriptors < 0 ? nil : ProcessUsage(descriptors: descriptors, threads: threads, resident: resident)
    }

    /// Number of a field of `/proc/PID/status`, such as `VmRSS:     1234 kB`.
    private static func number(_ field: String, in status: String) -> Int? {
        let row = status.split(separator: "\n").first { $0.hasPrefix(field + ":") }
        return row.flatMap { $0.dropFirst(field.count + 1).split { $0 == " " || $0 == "\t" }.first }.flatMap { Int($0) }
    }
}

extension ProcessUsage {
    /// The least of each resource; `nil` of nothing.
    package static func least(_ readings: some Collection<ProcessUsage>) -> ProcessUsage? {
        guard let first = readings.first else { return nil }
        return readings.dropFirst().reduce(first) { least, next in
            ProcessUsage(
                descriptors: min(least.descriptors, next.descriptors), threads: min(least.threads, next.threads),
                resident: min(least.resident, next.resident))
        }
    }

    /// Usage once it is no more than before, or after a while: a thread that is about to end does not count.
    ///
    /// - Returns: `nil` if /proc can't be read.
    /// - Throws: `.cancelled` if the task is cancelled meanwhile: the leaks are then unknown.
    static func settled(
        _ before: ProcessUsage?, _ meter: UsageMeter, within patience: Duration
    ) async throws(CaptureError) -> ProcessUsage? {
        let end = ContinuousClock.now + patience
        while true {
            guard let before, let now = meter() else { return nil }
            let isSettled = now.threads <= before.threads && now.descriptors <= before.descriptors
            if isSettled || ContinuousClock.now >= end { return now }
            try CaptureError.checkInterruption()
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Measures of increased usage; a decrease counts as 0.
    ///
    /// - Parameters:
    ///   - before: usage after a warm-up: a process allocates its permanent resources at the first use.
    ///   - after: `nil`, like `before`, if /proc can't be read.
    package static func leaks(from before: ProcessUsage?, to after: ProcessUsage?) -> [Measure] {
        func more(_ part: KeyPath<ProcessUsage, Int>) -> Double? {
            guard let before, let after else { return nil }
            return Double(max(after[keyPath: part] - before[keyPath: part], 0))
        }
        return [
            Measure("descriptors_left", more(\.descriptors), "descriptors", .lower),
            Measure("threads_left", more(\.threads), "threads", .lower),
        ]
    }
}

/// Source of a process's usage: the kernel, or a script of a test. *thread-safe*
package typealias UsageMeter = @Sendable () -> ProcessUsage?
