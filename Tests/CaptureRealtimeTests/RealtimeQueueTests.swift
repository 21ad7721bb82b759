import CMedia
import CaptureBase
import CaptureRealtime
import Dispatch
import Testing

@Suite("Realtime queue")
struct RealtimeQueueTests {
    /// A session that only reads its own thread's state.
    private struct Look: ~Copyable, CaptureRun {
        let allowsRealtimePriority: Bool
        let seen: Shared<Seen>
        let reported: Shared<ThreadPriority?>

        func report(_ priority: ThreadPriority) { reported.value = priority }

        mutating func capture() -> LoopResult {
            seen.value = Seen.now()
            return LoopResult(.stopped)
        }

        consuming func finish(_ result: LoopResult) {}
    }

    private struct Seen: Sendable, Equatable {
        var policy: Int32 = -1
        var nice: Int32 = 0
        var name = ""

        static func now() -> Seen {
            var (policy, nice) = (cm_policy(), Int32(0))
            _ = cm_policy_get(&policy)
            _ = cm_nice_get(cm_gettid(), &nice)
            var name = [CChar](repeating: 0, count: 16)
            _ = cm_thread_name_get(&name, 16)
            let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            return Seen(policy: policy.policy, nice: nice, name: String(decoding: bytes, as: UTF8.self))
        }
    }

    private func look(allowed: Bool) async -> (during: Seen, after: Seen, reported: ThreadPriority?) {
        let (seen, reported) = (Shared(Seen()), Shared<ThreadPriority?>(nil))
        let queue = RealtimeQueue(label: "test microphone with a long name")
        let after = await withCheckedContinuation { continuation in
            queue.run(Look(allowsRealtimePriority: allowed, seen: seen, reported: reported)) { _ in
                continuation.resume(returning: Seen.now())
            }
        }
        return (seen.value, after, reported.value)
    }

    @Test("What is reported is what the thread has")
    func achieved() async {
        let (during, _, reported) = await look(allowed: true)
        switch reported {
        case .fifo: #expect(during.policy == 1)
        case .nice(let value): #expect(during.policy == 0 && during.nice == Int32(value))
        case .normal(.refused(let errno)): #expect(during.policy == 0 && errno != 0)
        default: Issue.record("nothing was reported")
        }
    }

    @Test("A source that calls a server gets no priority")
    func refused() async {
        let (during, _, reported) = await look(allowed: false)
        #expect(reported == .normal(.sourceCallsServer))
        #expect(during.policy == 0)
        #expect(during.nice == 0)
    }

    @Test("The thread is put back before anything else can run on it", arguments: 1...20)
    func restored(round: Int) async {
        let (during, after, _) = await look(allowed: true)
        #expect(after.policy == 0)
        #expect(after.nice == 0)
        #expect(during.name == "test microphone")
        #expect(after.name != during.name)
    }

    @Test("A session through the queue closes its device before its reader hears of the end")
    func whole() async throws {
        let settings = PCMSettings(rate: 48_000, channels: 1, periodFrames: 480, bufferFrames: 4800)
        let base = cm_monotonic() - 500_000_000
        let script = (0..<5).map { ScriptedAudio.Entry.frames(480, at: base + Int64($0) * 10_000_000) }
        let counters = CaptureCounters()
        let capture = try AudioCapture(
            ScriptedAudio(script, settings: settings), control: LoopControl(), counters: counters)
        let done = Shared<LoopResult?>(nil)
        RealtimeQueue(label: "test").run(capture.stream) { done.value = $0 }
        var consumer = capture.consumer
        var periods = 0
        while case .ready = consumer.wait(milliseconds: -1) {
            while consumer.withNext({ _, _ in periods += 1 }) != nil {}
        }
        let ended = consumer.ended
        #expect(ended == LoopResult(.deviceGone))
        #expect(periods == 5)
        #expect(counters.priority != nil)
    }
}
