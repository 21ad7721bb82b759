import LinuxSystem
import Testing

@Suite("Deadlines")
struct DeadlineTests {
    @Test(
        "What is beyond the clock's range never comes",
        arguments: [Duration.seconds(Int64.max), .seconds(9_223_372_036)])
    func never(duration: Duration) {
        #expect(Deadline(after: duration) == .never)
        #expect(!Deadline(after: duration).hasPassed)
    }

    @Test("What is not ahead has passed", arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min)])
    func past(duration: Duration) {
        #expect(Deadline(after: duration).hasPassed)
    }

    @Test("A deadline ahead has not passed, and the earlier of two is the earlier one")
    func ahead() {
        let (soon, late) = (Deadline(after: .seconds(100)), Deadline(after: .seconds(200)))
        #expect(!soon.hasPassed && soon.nanoseconds < late.nanoseconds)
        #expect(
            late.earlier(of: soon) == soon && soon.earlier(of: late) == soon && Deadline.never.earlier(of: soon) == soon
        )
    }
}
