import CMedia
import CaptureBase
import CaptureRealtime
import Dispatch
import Testing

/// Dispatch hands a thread on to the next block as the last one left it.
@Suite("Threads given back")
struct ThreadReturnTests {
    @Test("No block on another queue runs with a realtime policy, whatever thread it gets", arguments: 1...10)
    func laterBlocks(round: Int) async {
        let captures = await withTaskGroup(of: ThreadLook.self) { group in
            for number in 0..<4 { group.addTask { await capture("capture \(round).\(number)") } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let others = await withTaskGroup(of: ThreadLook.self) { group in
            for number in 0..<32 { group.addTask { await block("other \(round).\(number)") } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(captures.count == 4)
        #expect(others.map(\.policy) == Array(repeating: SCHED_OTHER, count: 32))
        #expect(others.map(\.nice) == Array(repeating: 0, count: 32))
    }

    @Test("A block behind the capture on its own thread finds it as any other's")
    func sameThread() async {
        // The completion is the last thing on the thread: what runs after it finds no more than this does.
        let during = Shared(ThreadLook.now())
        let after = await withCheckedContinuation { continuation in
            RealtimeQueue(label: "capture").run(Looking(seen: during)) { _ in
                continuation.resume(returning: ThreadLook.now())
            }
        }
        #expect(after.thread == during.value.thread)
        #expect(after.policy == SCHED_OTHER)
        #expect(after.nice == 0)
    }

    private func capture(_ label: String) async -> ThreadLook {
        let seen = Shared(ThreadLook.now())
        await withCheckedContinuation { continuation in
            RealtimeQueue(label: label).run(Looking(seen: seen)) { _ in continuation.resume() }
        }
        return seen.value
    }

    private func block(_ label: String) async -> ThreadLook {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: label).async { continuation.resume(returning: ThreadLook.now()) }
        }
    }
}

/// A session that only reads its own thread's state.
struct Looking: ~Copyable, CaptureRun {
    let seen: Shared<ThreadLook>
    var allowed = true
    var reported: Shared<ThreadPriority?> = Shared(nil)

    var allowsRealtimePriority: Bool { allowed }

    func report(_ priority: ThreadPriority) { reported.value = priority }

    mutating func capture() -> LoopResult {
        seen.value = ThreadLook.now()
        return LoopResult(.stopped)
    }

    consuming func finish(_ result: LoopResult) {}
}

/// How the calling thread is scheduled, as the kernel says.
struct ThreadLook: Sendable, Equatable {
    let thread: Int32
    let policy: Int32
    let priority: Int32
    let nice: Int32

    static func now() -> ThreadLook {
        var (policy, nice) = (cm_policy(), Int32(0))
        _ = cm_policy_get(&policy)
        _ = cm_nice_get(cm_gettid(), &nice)
        return ThreadLook(thread: cm_gettid(), policy: policy.policy, priority: policy.priority, nice: nice)
    }

    /// True if that is what was reported.
    func matches(_ reported: ThreadPriority?) -> Bool {
        switch reported {
        case .fifo(let level): policy == SCHED_FIFO && Int(priority) == level
        case .roundRobin(let level): policy == SCHED_RR && Int(priority) == level
        case .nice(let value): policy == SCHED_OTHER && Int(nice) == value
        case .normal: policy == SCHED_OTHER && nice == 0
        case .notRunning, .other, nil: false
        }
    }
}
