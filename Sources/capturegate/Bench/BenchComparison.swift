import CaptureGate
import CaptureRecording
import CaptureRig
import FoundationEssentials

/// Comparison of a figure with the earlier run's.
struct BenchComparison: Hashable, Sendable {
    /// Improvement as a factor: above 1 is better, whether the figure should be high or low.
    let ratio: Double

    enum Verdict: String { case better, same, worse }

    /// Verdict with a margin of 5 %, by which runs of an unchanged program differ.
    var verdict: Verdict { ratio > 1.05 ? .better : ratio < 1 / 1.05 ? .worse : .same }

    /// Ratio and verdict for people.
    var text: String { "\(NumberText.fixed(ratio, 2)) \(verdict.rawValue)" }

    /// Members for programs; none without a comparison.
    static func members(_ comparison: BenchComparison?) -> [(String, JSONValue)] {
        guard let comparison else { return [] }
        return [
            (
                "compared",
                ["ratio": .rounded(comparison.ratio, 3), "verdict": .string(comparison.verdict.rawValue)]
            )
        ]
    }

    /// Compares two figures.
    ///
    /// - Returns: `nil` if one of them measured nothing, so that no ratio is infinite.
    init?(_ better: Double, than worse: Double) {
        guard better > 0, worse > 0, better.isFinite, worse.isFinite else { return nil }
        ratio = better / worse
    }
}

extension BenchReport {
    /// Comparison of an encoder's speed: more is better.
    func comparison(of measurement: EncoderMeasurement) -> BenchComparison? {
        let earlier = baseline?.encoders.first { $0.name == measurement.subject.name }
        return earlier.flatMap { BenchComparison(measurement.speed, than: $0.speed) }
    }

    /// Comparison of a ring's cost: less is better, so the earlier figure is divided by the new one.
    func comparison(of measurement: RingMeasurement) -> BenchComparison? {
        let earlier = baseline?.rings.first { $0.name == measurement.name }
        let now = measurement.timePerItem / .nanoseconds(1)
        return earlier.flatMap { BenchComparison($0.nanosecondsPerItem, than: now) }
    }

    /// Comparison of a capture's share of a processor: less is better.
    func comparison(of measurement: CaptureMeasurement) -> BenchComparison? {
        let earlier = baseline?.captures.first { $0.name == measurement.name }
        return earlier.flatMap { BenchComparison($0.processorShare, than: measurement.processorShare) }
    }
}

/// Document of an earlier run, as far as runs are compared.
///
/// Only the compared figures are decoded: members that later versions add or drop do not matter.
struct BenchBaseline: Decodable, Sendable {
    /// Version of the program that wrote it. Also distinguishes such a document from any other JSON.
    let benchmark: String
    let encoders: [Encoder]
    let rings: [Ring]
    let captures: [Capture]

    /// Earlier speed of an encoder.
    struct Encoder: Decodable, Sendable {
        let name: String
        /// Times real time.
        let speed: Double
    }

    /// Earlier cost of a ring.
    struct Ring: Decodable, Sendable {
        let name: String
        let nanosecondsPerItem: Double

        enum CodingKeys: String, CodingKey {
            case name
            case nanosecondsPerItem = "ns_per_item"
        }
    }

    /// Earlier cost of a capture.
    struct Capture: Decodable, Sendable {
        let name: String
        /// Part of one processor.
        let processorShare: Double

        enum CodingKeys: String, CodingKey {
            case name
            case processorShare = "processor_share"
        }
    }

    /// Reads a document.
    ///
    /// - Throws: `.badInput` for a file that can't be read, or holds no such document.
    init(readingFrom path: String) throws(CaptureError) {
        let files = FileManager.default
        var isDirectory = false
        // Checked here, since reading a directory fails with a misleading error.
        guard files.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory else {
            throw Self.unusable(path, isDirectory ? "is a directory" : "does not exist")
        }
        guard let data = files.contents(atPath: path) else { throw Self.unusable(path, "can't be read") }
        guard let baseline = try? JSONDecoder().decode(BenchBaseline.self, from: data) else {
            throw Self.unusable(path, "is not a benchmark's result")
        }
        self = baseline
    }

    /// Error with the command that makes such a document.
    private static func unusable(_ path: String, _ what: String) -> CaptureError {
        CaptureError(
            .badInput, "\(path) \(what).",
            remedies: [Remedy("Create one to compare with.", command: "capturegate bench --json > before.json")])
    }
}
