import CaptureGate
import FoundationEssentials

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
