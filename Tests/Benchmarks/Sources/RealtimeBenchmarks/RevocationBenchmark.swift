import CMedia
import CaptureRealtime
import Synchronization

/// What it costs a frame that a capture can be ended at any time: the look at the word before each wait, and in the commit
/// an exchange on a condition instead of one without. (The reader's wake-up mark needs one of the two in any case.)
struct RevocationBenchmark {
    private let rounds = 20_000_000

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
        let line = Atomic<UInt64>(0)
        let began = cm_monotonic()
        for count in 0..<UInt64(rounds) {
            _ = line.compareExchange(
                expected: count << 2, desired: (count + 1) << 2, ordering: .sequentiallyConsistent)
        }
        return Double(cm_monotonic() - began) / Double(rounds)
    }

    private func exchange() -> Double {
        let line = Atomic<UInt64>(0)
        let began = cm_monotonic()
        for count in 0..<UInt64(rounds) { line.store((count + 1) << 2, ordering: .sequentiallyConsistent) }
        return Double(cm_monotonic() - began) / Double(rounds)
    }
}
