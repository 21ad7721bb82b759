import CaptureBase
import ClipScenery
import Foundation
import Glibc
import Testing

@testable import CaptureEncoding

/// In memory: the calls race, not a disk.
///
/// Example of a failure that these find: the recorder that made the partial file waits for its lock, the other one takes it,
/// records, and its finished clip is overwritten.
@Suite("Two recorders to one name", .timeLimit(.minutes(5)))
struct OutputRaceTests {
    enum Leaving: CaseIterable, Sendable {
        case nothing, emptyFile
    }

    private enum Outcome: Equatable, Sendable {
        case finished
        case refused(CaptureError.Kind)
        case discarded
    }

    private static func bytes(of index: Int) -> [UInt8] { [UInt8](repeating: UInt8(index + 1), count: 64) }

    /// Writes a clip in four pieces, with the other one let in between any two calls.
    private static func record(
        _ path: String, _ index: Int, _ turns: Turns, replacing: Bool, discards: Bool
    ) -> Outcome {
        var steps = OutputSteps { _ in turns.step(index) }
        steps.pause = { turns.step(index) }
        do throws(CaptureError) {
            var output = try ClipOutput(
                opening: .file(path: path), replacing: replacing, over: .recording, steps: steps)
            for piece in 0..<4 {
                turns.step(index)
                try output.write(Array(bytes(of: index)[16 * piece..<16 * (piece + 1)]))
            }
            if discards {
                output.discard()
                return .discarded
            }
            try output.finish()
            return .finished
        } catch {
            return .refused(error.kind)
        }
    }

    private static func race(
        _ scratch: Scratch, seed: UInt64, replacing: Bool = false, discards: Bool = false
    ) throws -> (outcomes: [Outcome], clip: [UInt8]?, names: [String]) {
        let path = scratch.path("a.raw")
        for name in [path, path + ".partial"] { unlink(name) }
        if seed.isMultiple(of: 3) { close(open(path + ".partial", O_WRONLY | O_CREAT, 0o600)) }
        let turns = Turns(seed: seed)
        let outcomes = Locked<[Outcome?]>([nil, nil])
        turns.run { index in
            let outcome = record(path, index, turns, replacing: replacing, discards: discards && index == 0)
            outcomes.withLock { $0[index] = outcome }
        }
        return (outcomes.withLock { $0 }.compactMap(\.self), try? Scratch.read(path), scratch.names)
    }

    @Test("give one whole clip and one refusal, in many races with delays at every step")
    func oneWins() throws {
        let scratch = try Scratch(inMemory: true)
        var wins = [0, 0]
        let races = Extent.count(of: 2000)
        for seed in 0..<UInt64(races) {
            let (outcomes, clip, names) = try Self.race(scratch, seed: seed)
            let winners = outcomes.indices.filter { outcomes[$0] == .finished }
            try #require(winners.count == 1, "seed \(seed): \(outcomes)")
            let other = outcomes[1 - winners[0]]
            #expect([.refused(.busy), .refused(.fileExists)].contains(other), "seed \(seed): \(other)")
            try #require(clip == Self.bytes(of: winners[0]), "seed \(seed)")
            try #require(names == ["a.raw"], "seed \(seed): \(names)")
            wins[winners[0]] += 1
        }
        #expect(wins.allSatisfy { $0 > races * 3 / 20 }, "\(wins)")
    }

    @Test("both with --force: what is there in the end is one's, whole")
    func forced() throws {
        let scratch = try Scratch(inMemory: true)
        for seed in 0..<UInt64(Extent.count(of: 500)) {
            let (outcomes, clip, names) = try Self.race(scratch, seed: seed, replacing: true)
            let finished = outcomes.indices.filter { outcomes[$0] == .finished }
            try #require(finished.contains { clip == Self.bytes(of: $0) }, "seed \(seed): \(outcomes)")
            try #require(names == ["a.raw"], "seed \(seed): \(names)")
        }
    }

    @Test("one that gives up takes nothing of the other's along")
    func discarded() throws {
        let scratch = try Scratch(inMemory: true)
        for seed in 0..<UInt64(Extent.count(of: 500)) {
            let (outcomes, clip, names) = try Self.race(scratch, seed: seed, discards: true)
            let isFinished = outcomes[1] == .finished
            try #require(clip == (isFinished ? Self.bytes(of: 1) : nil), "seed \(seed): \(outcomes)")
            try #require(names == (isFinished ? ["a.raw"] : []), "seed \(seed): \(names)")
        }
    }
}
