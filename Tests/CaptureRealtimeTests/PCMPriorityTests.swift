import CMedia
import CaptureBase
import CaptureRealtime
import Testing

/// Through the real libasound and the paced PCM of `Tests/PacedPCM`: an ioplug, as PulseAudio's and PipeWire's are.
@Suite("Priority of plugins", .serialized)
struct PCMPriorityTests {
    @Test(
        "A PCM that spins or talks to a server is captured by an ordinary thread",
        arguments: ["default", "paced", "plug:paced", "plug:'plug:paced'"])
    func plugin(name: String) throws {
        let (look, reported) = try capture(name)
        #expect(reported == .normal(.sourceCallsServer))
        #expect(look.policy == SCHED_OTHER)
        #expect(look.nice == 0)
    }

    /// Captures one period.
    private func capture(_ name: String) throws -> (ThreadLook, ThreadPriority?) {
        let (control, counters) = (try LoopControl(), CaptureCounters())
        let capture = try AudioCapture(PCMSource(opening: name), control: control, counters: counters)
        let seen = Shared(ThreadLook.now())
        RealtimeQueue(label: "test", broker: LyingBroker()).run(Watched(run: capture.stream, seen: seen)) { _ in }
        var consumer = capture.consumer
        #expect(consumer.wait(milliseconds: 60_000) == .ready)
        control.request(.stop)
        while true {
            if case .ended = consumer.wait(milliseconds: 60_000) { break }
            while consumer.withNext({ _, _ in true }) != nil {}
        }
        return (seen.value, counters.priority)
    }
}

/// A session that reads its own thread's state before it does the work of another.
private struct Watched<Run: CaptureRun & ~Copyable>: ~Copyable, CaptureRun {
    var run: Run
    let seen: Shared<ThreadLook>

    var allowsRealtimePriority: Bool { run.allowsRealtimePriority }

    func report(_ priority: ThreadPriority) { run.report(priority) }

    mutating func capture() -> LoopResult {
        seen.value = ThreadLook.now()
        return run.capture()
    }

    consuming func finish(_ result: LoopResult) { run.finish(result) }
}
