import CaptureEncoding
import CaptureGate
import FoundationEssentials

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

/// An earlier run's document, as far as runs are compared.
struct BenchBaseline: Decodable, Sendable {
    let benchmark: String
    let encoders: [Encoder]
    let rings: [Ring]
    let captures: [Capture]

    struct Encoder: Decodable, Sendable {
        let name: String
        let speed: Double
    }

    struct Ring: Decodable, Sendable {
        let name: String
        let nanosecondsPerItem: Double

        enum CodingKeys: String, CodingKey {
            case name
            case nanosecondsPerItem = "ns_per_item"
        }
    }

    struct Capture: Decodable, Sendable {
        let name: String
        let processorShare: Double

        enum CodingKeys: String, CodingKey {
            case name
            case processorShare = "processor_share"
        }
    }

    /// - Throws: `.badInput` for a file that can't be read, or is no such document.
    init(readingFrom path: String) throws(CaptureError) {
        let files = FileManager.default
        var isDirectory = false
        guard files.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory else {
            throw Self.unusable(path, isDirectory ? "is a folder" : "is not there")
        }
        guard let data = files.contents(atPath: path) else { throw Self.unusable(path, "can't be read") }
        guard let baseline = try? JSONDecoder().decode(BenchBaseline.self, from: data) else {
            throw Self.unusable(path, "holds no result of a benchmark")
        }
        self = baseline
    }

    private static func unusable(_ path: String, _ what: String) -> CaptureError {
        CaptureError(
            .badInput, "\(path) \(what).",
            remedies: [Remedy("Make one to compare with.", command: "capturegate bench --json > before.json")])
    }
}
