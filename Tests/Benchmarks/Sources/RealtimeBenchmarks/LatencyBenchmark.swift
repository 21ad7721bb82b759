import CMedia
import CaptureRealtime
import Peers
import Synchronization

/// From a timer's tick to the period in the ring: the realtime queue beside a thread in C of the same priority. Both run at
/// the same time, half a period apart, so that they meet the same machine.
struct LatencyBenchmark {
    private let period: Int64 = 1_000_000
    private let bytes = 192
    private let count = 10_000

    func measure(_ options: Options) -> [Comparison] {
        let rounds = (0..<options.rounds).map { round(peerFirst: $0.isMultiple(of: 2)) }
        // The median of the rounds: one burst of what the machine does besides would decide the worst ticks of all.
        return [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)].map { name, share in
            Comparison(
                name: "wake to commit, \(name)", unit: "µs",
                ours: rounds.map { Self.microseconds($0.ours.sorted(), share) }.median,
                peer: rounds.map { Self.microseconds($0.peer.sorted(), share) }.median, goal: .atMost(1.1))
        }
    }

    private static func microseconds(_ sorted: [Int64], _ share: Double) -> Double {
        Double(sorted[Int(Double(sorted.count - 1) * share)]) / 1_000
    }

    private func round(peerFirst: Bool) -> (ours: [Int64], peer: [Int64]) {
        let first = cm_monotonic() + 50_000_000
        let (oursFirst, peerFirst) = peerFirst ? (first + period / 2, first) : (first, first + period / 2)
        let peers = Numbers(count)
        let (period, bytes, count) = (period, bytes, count)
        let wait = onThread {
            var achieved: Int32 = 0
            let result = peer_ticks(peerFirst, period, Int64(bytes), 20, peers.base, Int64(count), &achieved)
            if result < 0 || achieved == 0 { fail("no SCHED_FIFO here: measure as root, or with RLIMIT_RTPRIO") }
        }
        let ours = ours(from: oursFirst)
        wait()
        return (ours, peers.values)
    }

    private func ours(from first: Int64) -> [Int64] {
        let (numbers, counters) = (Numbers(count), CaptureCounters())
        guard let control = try? LoopControl(),
            let source = try? TickSource(first: first, period: period, bytes: bytes, late: numbers.base, count: count),
            let capture = try? AudioCapture(source, slots: 256, control: control, counters: counters)
        else { fail("no memory for a capture") }
        var consumer = capture.consumer
        RealtimeQueue(label: "latency").run(capture.stream) { _ in }
        var sum = 0
        while true {
            if case .ended = consumer.wait(milliseconds: -1) { break }
            while let bytes = consumer.withNext({ _, bytes in bytes.byteCount }) { sum += bytes }
        }
        guard sum == count * bytes, case .fifo = counters.priority else { fail("no SCHED_FIFO, or periods were lost") }
        return numbers.values
    }
}

/// Room for what a thread notes.
final class Numbers: @unchecked Sendable {
    // `@unchecked Sendable`: read after the thread has ended.
    let base: UnsafeMutablePointer<Int64>
    private let count: Int

    init(_ count: Int) {
        self.count = count
        base = .allocate(capacity: count)
        base.initialize(repeating: 0, count: count)
    }

    deinit { base.deallocate() }

    var values: [Int64] { Array(UnsafeBufferPointer(start: base, count: count)) }
}
