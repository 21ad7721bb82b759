import CaptureEncoding
import CaptureGate

/// A meter as lines of text, one a second, for a pipe or a file.
struct MeterPlainView: EventView {
    /// The loudest of the second.
    private var loudest: [SoundLevel] = []
    private var next: Int64 = 1_000_000_000

    mutating func show(_ event: MeterEvent) throws(StreamFailure) {
        switch event {
        case .started(let device, let format, let differences):
            try StandardStream.output.line(MeterText.title(device, format))
            for difference in differences { try StandardStream.output.line("Note: \(difference.visible)") }
        case .level(let reading): try add(reading)
        case .ended: break
        }
    }

    private mutating func add(_ reading: LevelReading) throws(StreamFailure) {
        loudest = loudest.isEmpty ? reading.channels : zip(loudest, reading.channels).map { $0.louder($1) }
        guard reading.elapsedNanoseconds >= next else { return }
        next = (reading.elapsedNanoseconds / 1_000_000_000 + 1) * 1_000_000_000
        let levels = loudest.map { MeterText.level($0) }.joined(separator: "  ")
        let lost = reading.lost > 0 ? "  lost \(reading.lost)" : ""
        try StandardStream.output.line("\(NumberText.time(nanoseconds: reading.elapsedNanoseconds))  \(levels)\(lost)")
        loudest = []
    }
}

extension SoundLevel {
    fileprivate func louder(_ other: SoundLevel) -> SoundLevel {
        SoundLevel(
            peakDBFS: max(peakDBFS, other.peakDBFS), rmsDBFS: max(rmsDBFS, other.rmsDBFS),
            isClipped: isClipped || other.isClipped)
    }
}
