import CaptureBase
import CaptureEncoding
import ClipScenery
import Testing

/// Cuts and changes interrupted recordings at random places that are the same on every run.
struct RecoveryFuzz {
    private let kind: Interrupted
    private let scratch: Scratch
    private let whole: [UInt8]

    init(_ kind: Interrupted) throws {
        self.kind = kind
        scratch = try Scratch()
        whole = try kind.bytes(scratch).interrupted
    }

    /// What each format's fuzzing has kept.
    static let corpus = FuzzCorpus("recover")

    func run(rounds: Int) throws {
        try FuzzTime.run(5) { try run(rounds: rounds, seed: $0) }
    }

    private func run(rounds: Int, seed: UInt64) throws {
        var random = SystemRandomNumberGenerator.Seeded(seed)
        for round in 0..<rounds {
            var bytes = Array(whole[..<Int.random(in: 0...whole.count, using: &random)])
            for _ in 0..<Int.random(in: 0...8, using: &random) where !bytes.isEmpty {
                // Half of the changes hit the head, where they have the most effect.
                let last = Bool.random(using: &random) ? min(bytes.count, 600) : bytes.count
                bytes[Int.random(in: 0..<last, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let outcome = try Self.check(bytes, kind.ending, in: scratch, "seed \(seed), round \(round)")
            try Self.corpus.keep(bytes, outcome: outcome, ending: kind.ending)
        }
    }

    /// - Parameter place: where the input came from, so that it can be found again.
    /// - Returns: the outcome, in words.
    static func check(_ bytes: [UInt8], _ ending: String, in scratch: Scratch, _ place: String) throws -> String {
        try scratch.write(bytes, to: "f\(ending).partial")
        let path = scratch.path("g\(ending)")
        let source = scratch.path("f\(ending).partial")
        do {
            let first = try ClipRecovery(of: source, to: path, replacing: true).run(removingSource: false)
            #expect(first.lostBytes >= 0 && first.lostBytes <= first.sourceBytes, "\(place)")
            // Silence is put only where something was.
            #expect(first.bytes <= 2 * first.sourceBytes + 4096, "\(place)")
            #expect(try Scratch.read(source) == bytes, "\(place)")
            let again = try ClipRecovery(of: path, to: path + ".again", replacing: true).run(removingSource: false)
            #expect(again.isComplete, "\(place): \(again.losses)")
            // Times of a file whose scale was changed are rounded to Matroska's ticks.
            let difference = again.duration.exactNanoseconds - first.duration.exactNanoseconds
            #expect(abs(difference) <= 31_250, "\(place)")
            return "\(ending) \(first.tracks.map(\.kind)) \(first.losses.prefix(3).map(\.reason))"
        } catch let error as CaptureError {
            #expect(error.kind == .badInput, "\(place): \(error)")
            return "\(ending) \(error.message.filter { !$0.isNumber })"
        }
    }
}
