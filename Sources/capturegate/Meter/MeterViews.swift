import CaptureGate
import CaptureRecording

/// Meter as bars of a terminal, one per channel, redrawn in place.
struct MeterBarView: EventView {
    private let stream = StandardStream.output
    private let style = TextStyle(for: .output)
    /// Peak holds, one per channel.
    private var holds: [PeakHold] = []

    /// Shows one event. Failures are thrown: showing is all that a meter does.
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

    /// Draws all bars and the scale over those before.
    private mutating func draw(_ reading: LevelReading) throws(StreamFailure) {
        // The first time there is nothing to go back over.
        let isFirst = holds.allSatisfy(\.isNew)
        var text = isFirst ? "" : "\u{1B}[\(holds.count + 1)A"
        // A reading never has more channels than its format, but an index out of range would trap.
        for (channel, level) in reading.channels.enumerated() where channel < holds.count {
            holds[channel].update(level.peakDBFS, isClipped: level.isClipped, at: reading.elapsedNanoseconds)
            text += "\r\u{1B}[K" + row(channel, level) + "\n"
        }
        text += "\r\u{1B}[K" + scale(reading) + "\n"
        try stream.write(text)
    }

    /// Columns of a bar: what the channel's number, the peak and the clip mark leave; at most 100, beyond
    /// which a cell is less than 0.6 dB.
    private var width: Int { max(0, min(stream.columns - 32, 100)) }

    /// Row of a channel. Where no bar fits, the figures alone are shown.
    private func row(_ channel: Int, _ level: AudioLevel) -> String {
        let hold = holds[channel]
        let number = String(channel + 1).aligned(to: 3)
        let peak = "\(NumberText.fixed(hold.peakDBFS, 1).aligned(to: 6)) dBFS"
        return "\(number) \(bar(level, hold))\(peak)\(hold.isClipped ? style.red(" CLIPPED") : "")"
            .fitting(width == 0 ? stream.columns : .max)
    }

    /// Bar in three colours: yellow from the alignment level of -18 dBFS on (EBU R 68), red for the last 6
    /// dB.
    private func bar(_ level: AudioLevel, _ hold: PeakHold) -> String {
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

    /// Row below the bars: figures, time, losses.
    private func scale(_ reading: LevelReading) -> String {
        let lost = reading.lost > 0 ? "  lost \(reading.lost)" : ""
        let foot = "\(NumberText.time(nanoseconds: reading.elapsedNanoseconds))\(lost)  Ctrl-C ends it."
        // In a narrower bar the scale's figures would touch.
        guard width >= 40 else { return foot.fitting(stream.columns) }
        return "     \(MeterScale(width: width).figures)  \(style.faint(foot))"
    }
}

/// Meter as lines of text, one a second, for a pipe or a file.
struct MeterPlainView: EventView {
    /// Highest levels since the last line, per channel; a peak between two lines must not be lost.
    private var loudest: [AudioLevel] = []
    /// Time of the next line, nanoseconds.
    private var next: Int64 = 1_000_000_000

    /// Writes one event.
    mutating func show(_ event: MeterEvent) throws(StreamFailure) {
        switch event {
        case .started(let device, let format, let differences):
            try StandardStream.output.line(MeterText.title(device, format))
            for difference in differences { try StandardStream.output.line("Note: \(difference.visible)") }
        case .level(let reading): try add(reading)
        case .ended: break
        }
    }

    /// Adds a reading, and writes a line once a second is over.
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

extension AudioLevel {
    /// Higher values of both. The RMS values are not averaged: the loudest moment counts, as for the peak.
    fileprivate func louder(_ other: AudioLevel) -> AudioLevel {
        AudioLevel(
            peakDBFS: max(peakDBFS, other.peakDBFS), rmsDBFS: max(rmsDBFS, other.rmsDBFS),
            isClipped: isClipped || other.isClipped)
    }
}

/// Meter as NDJSON: one event per line.
///
/// Every reading is written, not one a second: whoever draws a meter needs the rate.
struct MeterNDJSONView: EventView {
    /// Writes one event.
    mutating func show(_ event: MeterEvent) throws(StreamFailure) {
        switch event {
        case .started(let device, let format, let differences):
            try tell([
                "event": "start", "device": .string(device.id.rawValue), "name": .string(device.name),
                "sample_rate": .count(format.sampleRate), "channels": .count(format.channels),
                "sample_format": .string(format.sampleFormat.rawValue), "differences": .strings(differences),
            ])
        case .level(let reading):
            try tell([
                "event": "level", "elapsed_ns": .integer(reading.elapsedNanoseconds), "lost": .count(reading.lost),
                "channels": .array(reading.channels.map(\.json)),
            ])
        case .ended(let isComplete): try tell(["event": "end", "reason": isComplete ? "complete" : "interrupt"])
        }
    }

    private func tell(_ event: JSONValue) throws(StreamFailure) { try StandardStream.output.line(event.text) }
}

extension AudioLevel {
    /// Level of a channel; the members have the names of a recording's progress.
    fileprivate var json: JSONValue {
        ["peak_dbfs": .rounded(peakDBFS, 2), "rms_dbfs": .rounded(rmsDBFS, 2), "clipped": .bool(isClipped)]
    }
}

/// Words of a meter that its text views share.
enum MeterText {
    /// First line: the microphone and its format.
    static func title(_ device: Device, _ format: AudioFormat) -> String {
        let channels = NumberText.counted(format.channels, "channel")
        return "\(device.name.visible): \(format.sampleRate) Hz, \(channels), \(format.sampleFormat.rawValue)"
    }

    /// Peak of a channel. Aligned, so that columns of a log stand below each other.
    static func level(_ level: AudioLevel) -> String {
        "\(NumberText.fixed(level.peakDBFS, 1).aligned(to: 6)) dBFS\(level.isClipped ? " CLIPPED" : "")"
    }
}
