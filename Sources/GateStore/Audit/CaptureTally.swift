import Gate

/// Finds the captures whose end is not in the log: whoever began them was killed, or could not write the line.
struct CaptureTally: Sendable {
    private struct Key: Hashable {
        let process: ProcessMark
        let bootID: String
        let capability: CapabilityName?
        let devices: [DeviceID]
    }

    /// Numbers of `start` lines without their end, in their order.
    private var open: [Key: [Int64]] = [:]

    /// - Parameter text: the event of a line, in the order of the log.
    mutating func add(_ number: Int64, _ text: String) {
        guard let line = AuditLine.Capture(in: text), let process = line.process else { return }
        let key = Key(process: process, bootID: line.at.bootID, capability: line.capability, devices: line.devices)
        if line.kind == .start {
            open[key, default: []].append(number)
        } else if open[key]?.isEmpty == false {
            // Of several that one process began on one device, an end is the end of the first.
            open[key]?.removeFirst()
        }
    }

    /// The lines at which captures began that have ended without a word: their process is no more. One that can't be seen
    /// from here may capture still.
    func unfinished(isGone: (ProcessMark, String) -> Bool) -> [Int64] {
        open.filter { !$0.value.isEmpty && isGone($0.key.process, $0.key.bootID) }.flatMap(\.value).sorted()
    }
}
