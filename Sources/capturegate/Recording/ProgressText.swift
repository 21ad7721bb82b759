import CaptureEncoding

/// How a recording stands, in the words of the live line and of plain lines.
struct ProgressText {
    let progress: RecordingProgress

    var time: String { NumberText.time(nanoseconds: progress.elapsedNanoseconds) }

    var level: String? {
        progress.audio.map { audio in
            "\(NumberText.fixed(audio.peakDBFS, 1).aligned(to: 6)) dBFS\(audio.clipped ? " CLIPPED" : "")"
        }
    }

    var rate: String? { progress.video.map { "\(NumberText.fixed($0.framesPerSecond, 1)) fps" } }

    var lost: String {
        let lost = (progress.audio?.lost ?? 0) + (progress.video?.lost ?? 0)
        return "lost \(lost)"
    }

    var size: String { NumberText.bytes(progress.bytes) }

    /// The level as a bar, -60 dBFS and less being empty.
    func bar(width: Int) -> String? {
        progress.audio.map { audio in
            let filled = Int((max(0, audio.peakDBFS + 60) / 60 * Double(width)).rounded())
            return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled) + "]"
        }
    }

    var line: String { [time, level, rate, lost, size].compactMap { $0 }.joined(separator: "  ") }
}
