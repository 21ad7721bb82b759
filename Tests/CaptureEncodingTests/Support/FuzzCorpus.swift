import ClipScenery
import Foundation

/// Inputs of a fuzzer, each of which had a new outcome: kept beside the tests, and replayed with them.
struct FuzzCorpus {
    private let folder: String
    /// Larger ones show nothing more.
    private static let mostBytes = 8192

    /// - Parameter name: below `Tests/Fixtures/corpus`.
    init(_ name: String) {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        folder = tests.appendingPathComponent("Fixtures/corpus/\(name)").path
    }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

    func bytes(of name: String) throws -> [UInt8] { try Scratch.read(folder + "/" + name) }

    /// Keeps an input, where CAPTUREGATE_FUZZ_KEEP asks for it.
    ///
    /// - Parameter outcome: in words without numbers that differ from input to input.
    func keep(_ bytes: [UInt8], outcome: String, ending: String) throws {
        guard ProcessInfo.processInfo.environment["CAPTUREGATE_FUZZ_KEEP"] != nil, bytes.count <= Self.mostBytes else {
            return
        }
        // FNV-1a: a short name that is the same on every machine.
        let hash = outcome.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        let path = "\(folder)/\(String(hash, radix: 16))\(ending)"
        guard !FileManager.default.fileExists(atPath: path) else { return }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }
}
