import CMedia
import CaptureBase
import CaptureRealtime
import Glibc
import Testing

/// In separate processes: the seam that makes `sched_setscheduler` fail applies to all threads at once.
@Suite("Realtime broker")
struct RealtimeBrokerTests {
    @Test("What a broker gives is reported as what the thread has, and taken back")
    func gives() async {
        await #expect(processExitsWith: .success) {
            let outcome = await Brokered.run(RoundRobinBroker(), refusing: 1)
            #expect(outcome.asked == 1)
            #expect(outcome.during.matches(outcome.reported))
            if outcome.isGiven { #expect(outcome.reported == .roundRobin(5)) }
            #expect(outcome.after.policy == SCHED_OTHER && outcome.after.nice == 0)
        }
    }

    @Test("A broker that says yes and does nothing is not believed")
    func lies() async {
        await #expect(processExitsWith: .success) {
            let outcome = await Brokered.run(LyingBroker(), refusing: 1)
            #expect(outcome.asked == 1)
            #expect(outcome.during.policy == SCHED_OTHER)
            #expect(outcome.during.matches(outcome.reported))
        }
    }

    @Test("Where the system does not refuse, nobody is asked")
    func notNeeded() async {
        await #expect(processExitsWith: .success) {
            let outcome = await Brokered.run(LyingBroker(), refusing: 0)
            // A system that refuses by itself is one to ask a broker on.
            #expect(outcome.asked == (outcome.during.policy == SCHED_FIFO ? 0 : 1))
            #expect(outcome.during.matches(outcome.reported))
        }
    }

    @Test("For a source that may spin nobody is asked either")
    func notAllowed() async {
        await #expect(processExitsWith: .success) {
            let outcome = await Brokered.run(RoundRobinBroker(), refusing: 1, allowed: false)
            #expect(outcome.asked == 0)
            #expect(outcome.reported == .normal(.sourceCallsServer))
            #expect(outcome.during.policy == SCHED_OTHER && outcome.during.nice == 0)
        }
    }

    @Test("A thread that is not put back at the first attempt is at the second")
    func stubborn() async {
        await #expect(processExitsWith: .success) {
            let outcome = await Brokered.run(LyingBroker(), refusing: 2)
            #expect(outcome.during.matches(outcome.reported))
            #expect(outcome.after.policy == SCHED_OTHER && outcome.after.nice == 0)
        }
    }
}

/// A session on a machine that refuses a call.
enum Brokered {
    struct Outcome: Sendable {
        let reported: ThreadPriority?
        let during: ThreadLook
        let after: ThreadLook
        let asked: Int
        let isGiven: Bool
    }

    /// - Parameter refusing: which call of sched_setscheduler fails with EPERM; 0 for none.
    static func run(_ broker: some CountingBroker, refusing nth: Int64, allowed: Bool = true) async -> Outcome {
        cm_faults_plan("sched_setscheduler", nth, EPERM, CM_FAULTS_ONCE)
        let (seen, reported) = (Shared(ThreadLook.now()), Shared<ThreadPriority?>(nil))
        let after = await withCheckedContinuation { continuation in
            RealtimeQueue(label: "capture", broker: broker)
                .run(Looking(seen: seen, allowed: allowed, reported: reported)) { _ in
                    continuation.resume(returning: ThreadLook.now())
                }
        }
        return Outcome(
            reported: reported.value, during: seen.value, after: after, asked: broker.calls.value,
            isGiven: broker.given.value)
    }
}

protocol CountingBroker: RealtimeBroker {
    var calls: Shared<Int> { get }
    /// True if the system granted the request.
    var given: Shared<Bool> { get }
}

/// Says yes.
struct LyingBroker: CountingBroker {
    let calls = Shared(0)
    let given = Shared(false)

    func raise(thread: Int32, to priority: Int32) -> Int32 {
        calls.value += 1
        return 0
    }
}

/// Gives SCHED_RR at 5 with SCHED_RESET_ON_FORK, as rtkit gives it, where the system lets it.
struct RoundRobinBroker: CountingBroker {
    let calls = Shared(0)
    let given = Shared(false)

    func raise(thread: Int32, to priority: Int32) -> Int32 {
        calls.value += 1
        var parameter = sched_param()
        parameter.sched_priority = 5
        given.value = sched_setscheduler(thread, SCHED_RR | 0x4000_0000, &parameter) == 0
        return 0
    }
}
