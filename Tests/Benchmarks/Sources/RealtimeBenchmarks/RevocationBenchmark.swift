import CMedia
import CaptureRealtime
import Synchronization

/// Cost per frame of making a capture stoppable at any time: reading the word before each wait, and a conditional exchange in the
/// commit instead of an unconditional one. (The reader's wake-up mark needs one of the two in any case.)
struct RevocationBenchmark {
    private let rounds = 20_000_000
    /// Others could see it: what nobody does the compiler would not write at all.
    private static let line = Atomic<UInt64>(0)

    func measure(_ options: Options) -> [Comparison] {
        guard let control = try? LoopControl() else { fail("no descriptors") }
        let word = control.word
        var (looks, exchanges) = ([Double](), [Double]())
        for _ in 0..<options.rounds {
            looks.append(look(word))
            exchanges.append(compareExchange() - exchange())
        }
        let (look, more) = (looks.median, exchanges.median)
        return [
            Comparison(name: "revocation check: the look at the word", unit: "ns a frame", ours: look),
            Comparison(name: "revocation check: the commit on a condition", unit: "ns a frame", ours: more),
            Comparison(
                name: "revocation check, together", unit: "ns a frame", ours: look + max(0, more), goal: .atMost(5)),
        ]
    }

    private func look(_ word: CommitWord) -> Double {
        let began = cm_monotonic()
        var stopped = 0
        for _ in 0..<rounds where word.result() != nil { stopped += 1 }
        guard stopped == 0 else { fail("a word that nobody wrote says stop") }
        return Double(cm_monotonic() - began) / Double(rounds)
    }

    private func compareExchange() -> Double {
        commits { count in
            _ = Self.line.compareExchange(
                expected: count << 2, desired: (count + 1) << 2, ordering: .sequentiallyConsistent)
        }
    }

    private func exchange() -> Double {
        commits { count in Self.line.store((count + 1) << 2, ordering: .sequentiallyConsistent) }
    }

    @inline(__always)
    private func commits(_ commit: (UInt64) -> Void) -> Double {
        Self.line.store(0, ordering: .relaxed)
        let began = cm_monotonic()
        for count in 0..<UInt64(rounds) { commit(count) }
        let ended = cm_monotonic()
        guard Self.line.load(ordering: .relaxed) == UInt64(rounds) << 2 else { fail("a commit was lost") }
        return Double(ended - began) / Double(rounds)
    }
}
