import CaptureGate
import CaptureRecording
import CaptureRig

extension BenchReport {
    /// Report for people: the machine, then each part that was measured.
    func lines(_ style: TextStyle) -> [String] {
        let title = "\(machine.processor.visible), \(NumberText.counted(machine.processorCount, "processor"))"
        // A debug build is many times slower, and its figures would be believed.
        let warning =
            Self.isOptimized
            ? [] : [style.yellow("This build is not optimized, so its measurements are not meaningful.")]
        return [style.bold(title)] + warning + encoderLines(style) + ringLines(style) + captureLines(style)
    }

    /// Tables of encoders by kind, then the summary.
    private func encoderLines(_ style: TextStyle) -> [String] {
        guard !encoders.isEmpty else { return [] }
        var lines: [String] = []
        let groups: [(String, [EncoderMeasurement])] = [
            ("Audio, in frames of 100 ms", encoders.filter { !$0.isStream && !$0.isStill }),
            ("Video, 30 fps", encoders.filter(\.isStream)), ("Stills", encoders.filter(\.isStill)),
        ]
        for (title, measurements) in groups where !measurements.isEmpty {
            lines += ["", style.bold(title)] + table(measurements).indented
        }
        return lines + ["", style.bold("Speed with one processor")]
            + BenchSummary(encoders: encoders).lines(style).indented
    }

    /// Table of encoders. Stills have a rate but no speed, since they are not encoded in real time.
    private func table(_ measurements: [EncoderMeasurement]) -> [String] {
        let isStill = measurements.allSatisfy(\.isStill)
        let speed = isStill ? ["per second"] : ["speed", "processor"]
        let head =
            [""] + speed + ["bytes/frame", "p50", "p99", "allocations"] + (baseline == nil ? [] : ["change"])
        let rows = measurements.map { measurement in
            [measurement.subject.name] + (isStill ? [measurement.rateText] : measurement.speedTexts) + [
                NumberText.bytes(measurement.bytes / Int64(max(measurement.frames, 1))),
                BenchText.time(measurement.median), BenchText.time(measurement.slow),
                measurement.allocationsPerFrame.map { NumberText.fixed($0, 1) } ?? "unknown",
            ] + compared(comparison(of: measurement))
        }
        return Table(rows: BenchText.aligned([head] + rows)).lines
    }

    /// Cell of the comparison, "new" for what the earlier run did not have; no cell without a baseline.
    private func compared(_ comparison: BenchComparison?) -> [String] {
        baseline == nil ? [] : [comparison?.text ?? "new"]
    }

    /// Table of rings.
    private func ringLines(_ style: TextStyle) -> [String] {
        guard !rings.isEmpty else { return [] }
        let head = ["", "each", "throughput"] + (baseline == nil ? [] : ["change"])
        let rows = rings.map { ring in
            [
                ring.name, BenchText.time(.nanoseconds(Int64((ring.timePerItem / .nanoseconds(1)).rounded()))),
                ring.kind == .sound ? "\(NumberText.bytes(Int64(ring.throughput)))/s" : "no copy",
            ] + compared(comparison(of: ring))
        }
        return ["", style.bold("Rings")] + Table(rows: BenchText.aligned([head] + rows)).lines.indented
    }

    /// Paragraph per device.
    private func captureLines(_ style: TextStyle) -> [String] {
        captures.flatMap { capture -> [String] in
            let lost = NumberText.counted(capture.lost, capture.unitName)
            var lines = [
                "", style.bold("\(capture.device.name.visible), \(capture.format)"),
                "  \(NumberText.counted(capture.units, capture.frameName)) in "
                    + "\(NumberText.time(capture.elapsed)), "
                    + (capture.lost == 0 ? "none lost" : style.red("\(lost) lost")),
                "  interval \(BenchText.time(capture.intervals.median)) (median), 99 % within "
                    + "+\(BenchText.time(capture.jitter))",
                "  " + BenchText.delay(capture.delays.median, slow: capture.delays.slow),
                "  \(NumberText.fixed(capture.processorShare * 100, 1)) % of a processor, \(capture.statistics.priority)",
            ]
            lines += capture.differences.map { "  Note: \($0.description.visible)" }
            return lines + (comparison(of: capture).map { ["  change: \($0.text)"] } ?? [])
        }
    }
}

extension EncoderMeasurement {
    /// Speed, and the share of a processor that recording in real time takes.
    fileprivate var speedTexts: [String] {
        [BenchText.times(speed), "\(NumberText.fixed(100 / max(speed, 0.001), 1)) %"]
    }

    /// Stills in a second of one processor.
    fileprivate var rateText: String { NumberText.fixed(1e9 / max(processorPerFrame / .nanoseconds(1), 1), 1) }
}

extension CaptureMeasurement {
    /// Noun of what a device delivers at once.
    fileprivate var frameName: String { device.capability == .camera ? "frame" : "period" }
    /// Noun of the unit in which losses are counted.
    fileprivate var unitName: String { device.capability == .camera ? "frame" : "sample" }
}

extension [String] {
    /// Lines indented by two; empty ones stay empty.
    fileprivate var indented: [String] { map { $0.isEmpty ? $0 : "  \($0)" } }
}

/// Answer to "what can this machine record?", from the encoders' measurements.
struct BenchSummary {
    let encoders: [EncoderMeasurement]

    /// One line for audio, one row per video format.
    func lines(_ style: TextStyle) -> [String] { soundLines(style) + Table(rows: pictureRows(style)).lines }

    /// Audio encoders.
    private var sound: [EncoderMeasurement] { encoders.filter { !$0.isStream && !$0.isStill } }

    /// One line if all encoders are fast enough, which is usual; otherwise one line for each that is not.
    private func soundLines(_ style: TextStyle) -> [String] {
        guard let slowest = sound.min(by: { $0.speed < $1.speed }) else { return [] }
        let rest = sound.filter { $0.headroom != .fine }.map { "\($0.subject.name): \(word($0.headroom, style))" }
        return rest.isEmpty
            ? ["Audio: \(word(.fine, style)), at least \(BenchText.times(slowest.speed)) (\(slowest.subject.name))"]
            : rest
    }

    /// Row per format, with the headroom at each rate.
    private func pictureRows(_ style: TextStyle) -> [[String]] {
        encoders.filter(\.isStream).map { measurement in
            [measurement.subject.name]
                + BenchReport.rates.map { rate in
                    let text = "\(rate)/s \(BenchText.times(measurement.times(at: rate)))"
                    return "\(text.padded(to: 12)) \(word(measurement.headroom(at: rate), style))"
                }
        }
    }

    /// Headroom in a word and a colour.
    private func word(_ headroom: Headroom, _ style: TextStyle) -> String {
        switch headroom {
        case .fine: style.green("fine")
        case .tight: style.yellow("tight")
        case .slow: style.red("slow")
        }
    }
}

/// Figures of a benchmark as people read them.
enum BenchText {
    /// Factor such as `2.3x` or `115x`: beyond 20 a decimal is noise.
    static func times(_ value: Double) -> String { "\(NumberText.fixed(value, value < 20 ? 1 : 0))x" }

    /// Time in the unit that leaves one to three digits before the point.
    static func time(_ duration: Duration) -> String {
        let nanoseconds = duration.exactNanoseconds
        guard nanoseconds >= 1000 else { return "\(nanoseconds) ns" }
        var value = Double(nanoseconds) / 1000
        // "us", not "µs": a terminal without UTF-8 would spoil the column.
        for unit in ["us", "ms"] {
            if value < 1000 { return "\(NumberText.fixed(value, value < 10 ? 2 : 1)) \(unit)" }
            value /= 1000
        }
        return "\(NumberText.fixed(value, 1)) s"
    }

    /// Time from a frame's timestamp to its reader; a device that stamps ahead has a negative one.
    static func delay(_ median: Duration, slow: Duration) -> String {
        guard median < .zero else { return "delay to the reader \(time(median)) (median), 99 % within \(time(slow))" }
        return "at the reader \(time(.zero - median)) before its timestamp: the device's timestamps are ahead"
    }

    /// Rows with every column but the first and the last aligned right, as figures are compared.
    static func aligned(_ rows: [[String]]) -> [[String]] {
        guard let columns = rows.map(\.count).max() else { return rows }
        let widths = (0..<columns).map { column in
            rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in row.enumerated().map { $0 == 0 ? $1 : $1.aligned(to: widths[$0]) } }
    }
}
