import CaptureEncoding
import CaptureGate
import Foundation
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

    /// So many rounds, or for as long as CAPTUREGATE_FUZZ_SECONDS says.
    func run(rounds: Int) throws {
        try run(rounds: rounds, seed: 5)
        let seconds = ProcessInfo.processInfo.environment["CAPTUREGATE_FUZZ_SECONDS"].flatMap { Double($0) } ?? 0
        let end = Date.now.addingTimeInterval(seconds)
        var seed: UInt64 = 6
        while Date.now < end {
            try run(rounds: rounds, seed: seed)
            seed += 1
        }
    }

    private func run(rounds: Int, seed: UInt64) throws {
        var random = SystemRandomNumberGenerator.Seeded(seed)
        for round in 0..<rounds {
            var bytes = Array(whole[..<Int.random(in: 0...whole.count, using: &random)])
            for _ in 0..<Int.random(in: 0...8, using: &random) where !bytes.isEmpty {
                // Half of the changes hit the head, where they do most.
                let last = Bool.random(using: &random) ? min(bytes.count, 600) : bytes.count
                bytes[Int.random(in: 0..<last, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            try check(bytes, seed, round)
        }
    }

    private func check(_ bytes: [UInt8], _ seed: UInt64, _ round: Int) throws {
        try scratch.write(bytes, to: "f\(kind.ending).partial")
        let path = scratch.path("g\(kind.ending)")
        let source = scratch.path("f\(kind.ending).partial")
        do {
            let first = try ClipRecovery(of: source, to: path, replacing: true).run(removingSource: false)
            #expect(first.lostBytes >= 0 && first.lostBytes <= first.sourceBytes, "seed \(seed), round \(round)")
            // Silence is put only where something was.
            #expect(first.bytes <= 2 * first.sourceBytes + 4096, "seed \(seed), round \(round)")
            #expect(try Scratch.read(source) == bytes, "seed \(seed), round \(round)")
            let again = try ClipRecovery(of: path, to: path + ".again", replacing: true).run(removingSource: false)
            #expect(again.isComplete, "seed \(seed), round \(round): \(again.losses)")
            // Times of a file whose scale was changed are rounded to Matroska's ticks.
            let difference = again.durationNanoseconds - first.durationNanoseconds
            #expect(abs(difference) <= 31_250, "seed \(seed), round \(round)")
        } catch let error as CaptureError {
            #expect(error.kind == .badInput, "seed \(seed), round \(round): \(error)")
        }
    }
}
