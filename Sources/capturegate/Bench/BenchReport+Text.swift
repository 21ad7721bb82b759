import CaptureEncoding
import CaptureGate

extension BenchReport {
    func lines(_ style: TextStyle) -> [String] {
        let title = "\(machine.processor.visible), \(NumberText.counted(machine.processorCount, "processor"))"
        let warning =
            Self.isOptimized ? [] : [style.yellow("This build is not optimized: what it measures is of no use.")]
        return [style.bold(title)] + warning + encoderLines(style) + ringLines(style) + captureLines(style)
    }

    private func encoderLines(_ style: TextStyle) -> [String] {
        guard !encoders.isEmpty else { return [] }
        var lines: [String] = []
        let groups: [(String, [EncoderMeasurement])] = [
            ("Sound, a frame is 100 ms", encoders.filter { !$0.isStream && !$0.isStill }),
            ("Pictures, 30 a second", encoders.filter(\.isStream)), ("Stills", encoders.filter(\.isStill)),
        ]
        for (title, measurements) in groups where !measurements.isEmpty {
            lines += ["", style.bold(title)] + table(measurements).indented
        }
        return lines + ["", style.bold("What one processor keeps up with")]
            + BenchSummary(encoders: encoders).lines(style).indented
    }

    private func table(_ measurements: [EncoderMeasurement]) -> [String] {
        let isStill = measurements.allSatisfy(\.isStill)
        let speed = isStill ? ["a second"] : ["speed", "processor"]
        let head =
            [""] + speed + ["bytes/frame", "p50", "p99", "allocations"] + (baseline == nil ? [] : ["against before"])
        let rows = measurements.map { measurement in
            [measurement.subject.name] + (isStill ? [measurement.rateText] : measurement.speedTexts) + [
                NumberText.bytes(measurement.bytes / Int64(max(measurement.frames, 1))),
                BenchText.time(measurement.medianNanoseconds), BenchText.time(measurement.slowNanoseconds),
                measurement.allocationsPerFrame.map { NumberText.fixed($0, 1) } ?? "unknown",
            ] + compared(comparison(of: measurement))
        }
        return Table(rows: BenchText.aligned([head] + rows)).lines
    }

    private func compared(_ comparison: BenchComparison?) -> [String] {
        baseline == nil ? [] : [comparison?.text ?? "new"]
    }

    private func ringLines(_ style: TextStyle) -> [String] {
        guard !rings.isEmpty else { return [] }
        let head = ["", "each", "throughput"] + (baseline == nil ? [] : ["against before"])
        let rows = rings.map { ring in
            [
                ring.name, BenchText.time(Int64(ring.nanosecondsPerItem.rounded())),
                ring.kind == .sound ? "\(NumberText.bytes(Int64(ring.throughput)))/s" : "nothing is copied",
            ] + compared(comparison(of: ring))
        }
        return ["", style.bold("Rings")] + Table(rows: BenchText.aligned([head] + rows)).lines.indented
    }

    private func captureLines(_ style: TextStyle) -> [String] {
        captures.flatMap { capture -> [String] in
            let lost = NumberText.counted(capture.lost, capture.unitName)
            var lines = [
                "", style.bold("\(capture.device.name.visible), \(capture.format)"),
                "  \(NumberText.counted(capture.units, capture.frameName)) in "
                    + "\(NumberText.time(nanoseconds: capture.elapsedNanoseconds)), "
                    + (capture.lost == 0 ? "nothing lost" : style.red("\(lost) lost")),
                "  from one to the next \(BenchText.time(capture.intervals.median)), 99 of 100 within "
                    + "\(BenchText.time(capture.jitterNanoseconds)) more",
                "  with the reader after \(BenchText.time(capture.delays.median)), 99 of 100 after "
                    + "\(BenchText.time(capture.delays.slow))",
                "  \(NumberText.fixed(capture.processorShare * 100, 1)) % of a processor, \(capture.statistics.priority)",
            ]
            lines += capture.differences.map { "  Note: \($0.visible)" }
            return lines + (comparison(of: capture).map { ["  against before: \($0.text)"] } ?? [])
        }
    }
}

extension EncoderMeasurement {
    /// How many times faster than played, and what part of a processor playing takes.
    fileprivate var speedTexts: [String] {
        [BenchText.times(speed), "\(NumberText.fixed(100 / max(speed, 0.001), 1)) %"]
    }

    /// How many are made in a second of one processor.
    fileprivate var rateText: String { NumberText.fixed(1e9 / max(processorNanosecondsPerFrame, 1), 1) }
}

extension CaptureMeasurement {
    fileprivate var frameName: String { device.capability == .camera ? "picture" : "period" }
    fileprivate var unitName: String { device.capability == .camera ? "picture" : "sample" }
}

extension [String] {
    fileprivate var indented: [String] { map { $0.isEmpty ? $0 : "  \($0)" } }
}
