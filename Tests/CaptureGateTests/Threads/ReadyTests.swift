import CaptureGate
import GateTestKit
import Testing

/// Each runs twice: the program opens the device itself, and a broker does.
@Suite("Waiting for frames by tasks")
struct ReadyTests {
    @Test("A task takes the frames in order, and is told of those that it was too late for", arguments: Opener.allCases)
    func frames(opener: Opener) async throws {
        let gate = try GateFixture(answers: [.allow(.once)], opener)
        let count = try await gate.queue.run(
            Capture<Int>(camera: "test:bars") { permit throws(CaptureError) -> Int in
                var permit = permit
                var session = try await VideoSession(opening: permit.takeOnly())
                var (count, next) = (0, UInt64(0))
                while count < 10, try await session.ready() {
                    _ = session.withNext { header, bytes in
                        #expect(bytes.byteCount == header.byteCount)
                        #expect(header.sequence == next + header.lost.total)
                        (count, next) = (count + 1, header.sequence + 1)
                    }
                }
                await session.close()
                return count
            })
        #expect(count == 10)
    }

    @Test(
        "Tasks that wait leave threads to others, and a cancellation stops the captures",
        arguments: Opener.allCases, [false, true])
    func cancelled(opener: Opener, isOnPool: Bool) async throws {
        let gate = try GateFixture(answers: [.allow(.always)], opener)
        // More of them than threads of captures and of the language's pool, in a client of a broker as many: did all of the first
        // ones block theirs, the last ones would never see a frame.
        let count = opener == .program ? 20 : 16
        let (arrived, ended) = (Signal(), Signal())
        let tasks = (0..<count).map { _ in
            Task {
                try await gate.queue.run(
                    Capture(camera: "test:bars") { permit throws(CaptureError) in
                        var permit = permit
                        let slow = VideoSettings(width: 64, height: 48, frameRate: FrameRate(1))
                        var session = try await VideoSession(opening: permit.takeOnly(), settings: slow)
                        if isOnPool {
                            try await withTaskExecutorPreference(globalConcurrentExecutor) { () throws(CaptureError) in
                                try await watch(&session) { arrived.raise() }
                            }
                        } else {
                            try await watch(&session) { arrived.raise() }
                        }
                        await session.close()
                        ended.raise()
                    })
            }
        }
        await arrived.reached(count)
        for task in tasks { task.cancel() }
        await ended.reached(count)
        // What the queue says of an operation that was cancelled is its own.
        for task in tasks { await _ = task.result }
    }

    /// Takes frames until the capture ends, and reports the second.
    private nonisolated(nonsending) func watch(
        _ session: inout VideoSession, onSecond: () -> Void
    ) async throws(CaptureError) {
        while try await session.ready() {
            if session.withNext({ header, _ in header.sequence }) == 1 { onSecond() }
        }
    }

    @Test("An actor that waits for frames is there for others meanwhile")
    func actor() async throws {
        let gate = try GateFixture(answers: [.allow(.once)])
        let analysis = Analysis()
        let started = Signal()
        async let end: Void = {
            await started.reached()
            await analysis.end()
        }()
        try await gate.queue.run(
            Capture(camera: "test:bars") { permit throws(CaptureError) in
                var permit = permit
                try await analysis.run(try await VideoSession(opening: permit.takeOnly())) { started.raise() }
            })
        await end
    }

    @Test("A revocation is thrown, after what was captured ahead of it", arguments: Opener.allCases)
    func revoked(opener: Opener) async throws {
        let gate = try GateFixture(answers: [.allow(.always)], opener)
        let error = await #expect(throws: CaptureError.self) {
            try await gate.queue.run(
                Capture(camera: "test:bars") { permit throws(CaptureError) in
                    var permit = permit
                    var session = try await VideoSession(opening: permit.takeOnly())
                    guard try await session.ready() else { return }
                    do { try gate.revokeFromOutside() } catch { throw CaptureError(.store, "\(error)") }
                    while try await session.ready() { _ = session.withNext { _, _ in } }
                })
        }
        #expect(error?.kind == .revoked)
        #expect(try gate.otherStore().audit.last(1).map { $0.event?.kind } == [.revocation])
    }
}

/// Processes frames until somebody ends it.
private actor Analysis {
    private var isOver = false

    func end() { isOver = true }

    func run(_ session: consuming VideoSession, onFrame: () -> Void) async throws(CaptureError) {
        while !isOver, try await session.ready() {
            session.withNext { _, _ in onFrame() }
        }
        await session.close()
    }
}
