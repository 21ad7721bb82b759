import CaptureEncoding

/// How a recording stands, in the words of the live line and of plain lines.
struct ProgressText {
    let progress: RecordingProgress

    var time: String { NumberText.time(nanoseconds: progress.elapsedNanoseconds) }

    /// Of each microphone, `/` between them.
    var level: String? {
        let levels = progress.microphones.map { NumberText.fixed($0.peakDBFS, 1).aligned(to: 6) }
        guard !levels.isEmpty else { return nil }
        let clipped = progress.microphones.contains(where: \.clipped) ? " CLIPPED" : ""
        return "\(levels.joined(separator: " /")) dBFS\(clipped)"
    }

    var rate: String? {
        let rates = progress.cameras.map { NumberText.fixed($0.framesPerSecond, 1) }
        return rates.isEmpty ? nil : rates.joined(separator: " / ") + " fps"
    }

    var lost: String {
        let lost = progress.microphones.reduce(0) { $0 + $1.lost } + progress.cameras.reduce(0) { $0 + $1.lost }
        return "lost \(lost)"
    }

    var size: String { NumberText.bytes(progress.bytes) }

    /// Each level as a bar, -60 dBFS and less being empty; several share the width.
    func bar(width: Int) -> String? {
        let microphones = progress.microphones
        guard !microphones.isEmpty else { return nil }
        let each = max(4, width / microphones.count)
        return microphones.map { Self.bar($0.peakDBFS, width: each) }.joined()
    }

    private static func bar(_ peak: Double, width: Int) -> String {
        let filled = Int((max(0, peak + 60) / 60 * Double(width)).rounded())
        return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled) + "]"
    }

    var line: String { [time, level, rate, lost, size].compactMap { $0 }.joined(separator: "  ") }
}
