import FoundationEssentials

/// The machine that figures come from.
struct Machine {
    /// Such as "AMD EPYC Processor".
    let processor: String
    let processorCount: Int

    init() {
        let text = (try? Data(contentsOf: URL(filePath: "/proc/cpuinfo"))).map { String(decoding: $0, as: UTF8.self) }
        // x86 says "model name", ARM a number of a part at most.
        let line = text?.split(separator: "\n").first { $0.hasPrefix("model name") }
        processor = line?.split(separator: ":").dropFirst().joined(separator: ":").trimmed ?? "unknown processor"
        processorCount = ProcessInfo.processInfo.activeProcessorCount
    }
}

extension String {
    fileprivate var trimmed: String { split(separator: " ").joined(separator: " ") }
}
