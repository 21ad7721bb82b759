import CaptureGate
import CaptureGateFoundation
import Foundation
import GateTestKit
import Testing

@Suite("Foundation beside the gate")
struct FoundationOperationTests {
    /// Operation with a result, and a gate that it waits at.
    private final class Sum: Foundation.Operation, @unchecked Sendable {
        let numbers: [Int]
        let begun = Signal()
        private(set) var sum: Int?
        private let waits: Bool
        private let stopped = DispatchSemaphore(value: 0)

        init(_ numbers: [Int], waits: Bool = false) {
            self.numbers = numbers
            self.waits = waits
        }

        override func main() {
            begun.raise()
            if waits { stopped.wait() }
            if !isCancelled { sum = numbers.reduce(0, +) }
        }

        override func cancel() {
            super.cancel()
            stopped.signal()
        }
    }

    private func queue() throws -> GateQueue {
        GateQueue(
            gatekeeper: Gatekeeper(
                subject: .success(try ProcessSubject.current()), store: MemoryStore(), prompter: ScriptedPrompter([]),
                directory: SystemDeviceDirectory(), clock: SystemGateClock()))
    }

    @Test("An operation of Foundation runs in the gate's queue, after what it depends on in both")
    func runs() async throws {
        let queue = try queue()
        let first = Sum([1, 2])
        let work = Sum([3, 4])
        work.addDependency(first)
        let own = OperationQueue()
        let before = queue.add(ClosureOperation { _ in own.addOperation(first) })
        let result = try await queue.run(FoundationOperation(work, on: own), after: [before])
        #expect(result === work && result.sum == 7 && first.sum == 3)
    }

    @Test("A condition that fails keeps it from running")
    func refused() async throws {
        let work = Sum([1])
        var operation = FoundationOperation(work)
        operation.conditions = [BlockCondition("never") { false }]
        let error = await #expect(throws: CaptureError.self) { try await queue().run(operation) }
        #expect(error?.kind == .conditionFailed && work.sum == nil && !work.isFinished)
    }

    @Test("Cancelling it cancels Foundation's, and it ends as cancelled; so it does the other way round")
    func cancelled() async throws {
        let queue = try queue()
        for cancelsFoundations in [false, true] {
            let work = Sum([1], waits: true)
            let handle = queue.add(FoundationOperation(work))
            await work.begun.reached()
            if cancelsFoundations { work.cancel() } else { handle.cancel() }
            let error = await #expect(throws: (any Error).self) { try await handle.result.get() }
            #expect(String(describing: error).contains("cancelled") && work.isCancelled && work.sum == nil)
        }
    }

    @Test("A second run of one is an error in words")
    func twice() async throws {
        let queue = try queue()
        let operation = FoundationOperation(Sum([1]))
        try await queue.run(operation)
        let error = await #expect(throws: CaptureError.self) { try await queue.run(operation) }
        #expect(error?.kind == .usage)
    }

    @Test("Errors are Foundation's localized ones: the sentence, and what to do")
    func localized() {
        let error: any Error = CaptureError(
            .noDevice, "There is no camera.", remedies: [Remedy("Plug one in."), Remedy("Choose another.")])
        #expect(error.localizedDescription == "There is no camera.")
        #expect((error as? any LocalizedError)?.recoverySuggestion == "Plug one in.\nChoose another.")
        #expect("\(error)" == "There is no camera.")
    }

    private struct OwnError: LocalizedError, CustomStringConvertible {
        let errorDescription: String? = "The lens is dirty."
        let recoverySuggestion: String? = "Wipe it."
        let description = "dirty"
    }

    @Test("An operation's error prints and is localized as the reason that it has")
    func operationErrors() {
        let refused = OperationError<OwnError>.refused(
            CaptureError(.noDevice, "There is no camera.", remedies: [Remedy("Plug one in.")]))
        #expect("\(refused)" == "There is no camera." && refused.localizedDescription == "There is no camera.")
        #expect(refused.recoverySuggestion == "Plug one in.")
        let failed = OperationError.failed(OwnError())
        #expect("\(failed)" == "dirty" && failed.localizedDescription == "The lens is dirty.")
        #expect(failed.recoverySuggestion == "Wipe it.")
        let cancelled = OperationError<OwnError>.cancelled
        #expect("\(cancelled)" == "The operation was cancelled.")
        #expect(cancelled.localizedDescription == "\(cancelled)" && cancelled.recoverySuggestion == nil)
    }
}
