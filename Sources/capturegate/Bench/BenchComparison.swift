import CaptureEncoding
import CaptureGate

/// A figure beside the earlier run's.
struct BenchComparison: Hashable, Sendable {
    /// How many times better, whether more or less of the figure is better.
    let ratio: Double

    enum Verdict: String { case better, same, worse }

    /// Runs of an unchanged program differ by some per cent.
    var verdict: Verdict { ratio > 1.05 ? .better : ratio < 1 / 1.05 ? .worse : .same }

    var text: String { "\(NumberText.fixed(ratio, 2)) \(verdict.rawValue)" }

    static func members(_ comparison: BenchComparison?) -> [(String, JSONValue)] {
        guard let comparison else { return [] }
        return [
            (
                "compared",
                ["ratio": .rounded(comparison.ratio, 3), "verdict": .string(comparison.verdict.rawValue)]
            )
        ]
    }

    /// - Returns: `nil` where one of them measured nothing.
    init?(_ better: Double, than worse: Double) {
        guard better > 0, worse > 0, better.isFinite, worse.isFinite else { return nil }
        ratio = better / worse
    }
}

extension BenchReport {
    func comparison(of measurement: EncoderMeasurement) -> BenchComparison? {
        let earlier = baseline?.encoders.first { $0.name == measurement.subject.name }
        return earlier.flatMap { BenchComparison(measurement.speed, than: $0.speed) }
    }

    func comparison(of measurement: RingMeasurement) -> BenchComparison? {
        let earlier = baseline?.rings.first { $0.name == measurement.name }
        return earlier.flatMap { BenchComparison($0.nanosecondsPerItem, than: measurement.nanosecondsPerItem) }
    }

    func comparison(of measurement: CaptureMeasurement) -> BenchComparison? {
        let earlier = baseline?.captures.first { $0.name == measurement.name }
        return earlier.flatMap { BenchComparison($0.processorShare, than: measurement.processorShare) }
    }
}
