import Gate
import Glibc
import LinuxSystem
import Testing

@testable import GateStore

@Suite("turns of questions")
struct QuestionTurnTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func turns() throws -> StorePromptLock {
        StorePromptLock(of: try SQLiteGrantStore(directory: folder.path))
    }

    @Test("Two ask about one program one after the other", .timeLimit(.minutes(10)))
    func oneAfterTheOther() async throws {
        let (here, there) = (try turns(), try turns())
        var first: (any PromptLockToken)? = try await here.take(for: Samples.subject())
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

    @Test("The holder of a turn is found among those that have its file open, and so is that nobody holds another")
    func holder() async throws {
        let turn = try await turns().take(for: Samples.subject())
        let file = try FileDescriptor(opening: folder.path + "/questions.lock", .readWrite)
        let place = StorePromptLock.place(of: Samples.subject())
        #expect(PromptLockHolder.find(of: file, at: place) == PromptLockHolder(processID: getpid(), isStopped: false))
        let other = StorePromptLock.place(of: Samples.subject(path: "/usr/bin/other"))
        #expect(PromptLockHolder.find(of: file, at: other) == nil)
        withExtendedLifetime(turn) {}
    }

    private static let second: Int64 = 1_000_000_000

    /// Waits with one check per second.
    /// - Returns: the seconds after which the wait ended, and the error; `nil` if it did not end within five minutes.
    private func givenUp(_ holder: (Int64) -> PromptLockHolder?) -> (seconds: Int64, error: CaptureError)? {
        var wait = StorePromptLock.Wait()
        for seconds in 0..<300 as Range<Int64> where wait.isLook(at: 7 + seconds * Self.second) {
            do throws(CaptureError) {
                try wait.note(holder(seconds), at: 7 + seconds * Self.second)
            } catch {
                return (seconds, error)
            }
        }
        return nil
    }

    @Test("A stopped holder is told within ten seconds, with its process and how to have it go on")
    func stopped() throws {
        let end = try #require(givenUp { _ in PromptLockHolder(processID: 4711, isStopped: true) })
        #expect(end.seconds < 10 && end.error.kind == .busy && end.error.message.contains("4711"))
        #expect(end.error.remedies.compactMap(\.command) == ["kill -CONT 4711", "kill -KILL 4711"])
    }

    @Test("One that goes on again is waited for as long as a question stands")
    func goesOn() throws {
        let end = try #require(givenUp { PromptLockHolder(processID: 4711, isStopped: $0 % 3 == 0) })
        #expect(end.seconds > 120 && end.error.message.contains("for minutes"))
    }

    @Test("Others that ask one after another are waited for, and one that can't be seen only for minutes")
    func others() throws {
        #expect(givenUp { PromptLockHolder(processID: Int32($0 / 60), isStopped: false) } == nil)
        let end = try #require(givenUp { _ in nil })
        #expect(end.seconds > 120 && end.error.kind == .busy)
    }
}
