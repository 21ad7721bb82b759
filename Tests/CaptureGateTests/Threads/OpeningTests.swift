import Dispatch
import Testing

@testable import CaptureGate

@Suite("Opening a device")
struct OpeningTests {
    /// Blocks everybody who opens it until it is released, like a sound server that was stopped.
    private final class Server: Sendable {
        private let begun = AsyncStream<Void>.makeStream()
        private let answer = DispatchSemaphore(value: 0)

        func open() -> Int {
            begun.continuation.yield()
            answer.wait()
            return 1
        }

        func waitForCall() async {
            for await _ in begun.stream { return }
        }

        func letGo() { answer.signal() }
    }

    private func outcome<Value: ~Copyable & Sendable>(_ opening: OpenResult<Value>) -> String {
        switch opening {
        case .opened: "opened"
        case .failed(let fault): "failed \(fault.errno)"
        case .late: "late"
        case .cancelled: "cancelled"
        }
    }

    @Test("gives what was opened, or the call that failed")
    func answers() async {
        let opened = await OpenResult.of({ () throws(CaptureError) in 7 }, on: "test")
        guard case .opened(let box) = opened else {
            Issue.record("\(outcome(opened))")
            return
        }
        #expect(box.take() == 7)
        let failed = await OpenResult<Int>.of(
            { () throws(CaptureError) in throw CaptureError(.busy, "It is busy.", errno: 16) }, on: "test")
        #expect(outcome(failed) == "failed 16")
    }

    @Test("is not waited for any more where the task is cancelled")
    func cancelled() async {
        let server = Server()
        // A limit that no busy machine reaches.
        let opening = Task {
            await OpenResult.of({ () throws(CaptureError) in server.open() }, on: "test", within: .seconds(3600))
        }
        await server.waitForCall()
        opening.cancel()
        #expect(outcome(await opening.value) == "cancelled")
        server.letGo()
    }

    @Test("is not begun where it is already")
    func neverBegun() async {
        let isBegun = Locked(false)
        let opening = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await OpenResult.of(
                { () throws(CaptureError) -> Int in
                    isBegun.withLock { $0 = true }
                    return 1
                }, on: "test")
        }
        #expect(outcome(await opening.value) == "cancelled")
        #expect(!isBegun.withLock { $0 })
    }

    @Test("is over after its patience, and the device that is open after all is closed", .timeLimit(.minutes(1)))
    func late() async {
        let (server, closed) = (Server(), AsyncStream<Void>.makeStream())
        let opening = await OpenResult.of(
            { () throws(CaptureError) in
                _ = server.open()
                return OpenedDevice { closed.continuation.yield() }
            }, on: "test", within: .milliseconds(1))
        #expect(outcome(opening) == "late")
        server.letGo()
        for await _ in closed.stream { return }
    }
}

/// Tells when it is closed.
private struct OpenedDevice: ~Copyable, Sendable {
    let onClose: @Sendable () -> Void

    deinit { onClose() }
}
