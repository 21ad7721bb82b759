import CaptureEncoding
import CaptureGate

/// A meter as bars of a terminal, one a channel, that are drawn again and again.
struct MeterBarView: EventView {
    private let stream = StandardStream.output
    private let style = TextStyle(for: .output)
    private var holds: [PeakHold] = []

    mutating func show(_ event: MeterEvent) throws(StreamFailure) {
        switch event {
        case .started(let device, let format, let differences):
            try stream.line("\(MeterText.title(device, format).fitting(stream.columns))")
            for difference in differences { try stream.line("Note: \(difference.visible)") }
            holds = Array(repeating: PeakHold(), count: format.channels)
        case .level(let reading): try draw(reading)
        case .ended: break
        }
    }

    private mutating func draw(_ reading: LevelReading) throws(StreamFailure) {
        let isFirst = holds.allSatisfy(\.isNew)
        var text = isFirst ? "" : "\u{1B}[\(holds.count + 1)A"
        for (channel, level) in reading.channels.enumerated() where channel < holds.count {
            holds[channel].update(level.peakDBFS, isClipped: level.isClipped, at: reading.elapsedNanoseconds)
            text += "\r\u{1B}[K" + row(channel, level) + "\n"
        }
        text += "\r\u{1B}[K" + scale(reading) + "\n"
        try stream.write(text)
    }

    /// Columns of a bar: what the number of the channel and its peak leave.
    private var width: Int { max(0, min(stream.columns - 32, 100)) }

    private func row(_ channel: Int, _ level: SoundLevel) -> String {
        let hold = holds[channel]
        let number = String(channel + 1).aligned(to: 3)
        let peak = "\(NumberText.fixed(hold.peakDBFS, 1).aligned(to: 6)) dBFS"
        return "\(number) \(bar(level, hold))\(peak)\(hold.isClipped ? style.red(" CLIPPED") : "")"
            .fitting(width == 0 ? stream.columns : .max)
    }

    private func bar(_ level: SoundLevel, _ hold: PeakHold) -> String {
        guard width > 0 else { return "" }
        let cells = MeterScale(width: width)
        let (yellow, red) = (cells.position(-18), cells.position(-6))
        let text = LevelBar(scale: cells).text(level.peakDBFS, hold: hold)
        let parts = [
            style.green(String(text.prefix(yellow))), style.yellow(String(text.prefix(red).dropFirst(yellow))),
            style.red(String(text.dropFirst(red))),
        ]
        return "[\(parts.joined())] "
    }

    private func scale(_ reading: LevelReading) -> String {
        let lost = reading.lost > 0 ? "  lost \(reading.lost)" : ""
        let foot = "\(NumberText.time(nanoseconds: reading.elapsedNanoseconds))\(lost)  Ctrl-C ends it."
        guard width >= 40 else { return foot.fitting(stream.columns) }
        return "     \(MeterScale(width: width).figures)  \(style.faint(foot))"
    }
}
