import Gate
import GateStore
import Testing

@Suite("turns of questions")
struct QuestionTurnTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func turns() throws -> StoreQuestionTurns {
        StoreQuestionTurns(of: try SQLiteGrantStore(directory: folder.path))
    }

    @Test("Two ask about one program one after the other", .timeLimit(.minutes(10)))
    func oneAfterTheOther() async throws {
        let (here, there) = (try turns(), try turns())
        var first: (any QuestionTurn)? = try await here.take(for: Samples.subject())
        let taken = Signal()
        // Runs here until it waits: it has tried by then.
        let second = Task.immediate {
            let turn = try await there.take(for: Samples.subject())
            taken.send()
            withExtendedLifetime(turn) {}
        }
        #expect(taken.isSilent)
        #expect(first != nil)
        first = nil
        await taken.wait()
        try await second.value
    }

    @Test("Questions about different programs or users do not wait for each other", .timeLimit(.minutes(10)))
    func different() async throws {
        let first = try await turns().take(for: Samples.subject())
        let second = try await turns().take(for: Samples.subject(path: "/usr/bin/other"))
        let third = try await turns().take(for: Samples.subject(uid: 1001))
        withExtendedLifetime((first, second, third)) {}
    }

    @Test("Cancelling ends the wait and leaves the turn where it is", .timeLimit(.minutes(10)))
    func cancelled() async throws {
        let here = try turns()
        let first = try await here.take(for: Samples.subject())
        let second = Task { try await here.take(for: Samples.subject()) }
        second.cancel()
        let error = await #expect(throws: CaptureError.self) { try await second.value }
        #expect(error?.kind == .cancelled)
        withExtendedLifetime(first) {}
    }
}
