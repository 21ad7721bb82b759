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

    /// What matters most first.
    /// - Parameter left: how long the disk will do.
    func words(left: String?) -> [String] {
        [time, lost, level, rate, size, bitRate, left].compactMap { $0 }
    }

    var size: String { NumberText.bytes(progress.bytes) }

    /// Bits a second of the file; nothing at first, since some formats write a second at a time.
    var bitRate: String {
        guard isRateKnown else { return "" }
        return NumberText.bits(Int64(Double(progress.bytes) * 8e9 / Double(progress.elapsedNanoseconds)))
    }

    /// How long the disk will do at the rate so far.
    func left(freeBytes: Int64) -> String {
        guard progress.bytes > 0, isRateKnown else { return "" }
        let seconds = Double(freeBytes) / Double(progress.bytes) * Double(progress.elapsedNanoseconds) / 1e9
        return "\(NumberText.span(seconds: seconds)) left"
    }

    private var isRateKnown: Bool { progress.elapsedNanoseconds >= 3_000_000_000 }

    var line: String { [time, level, rate, lost, size].compactMap { $0 }.joined(separator: "  ") }
}
