import GateTestKit
import Testing

@testable import Gate

/// The pattern of authorized singletons: many ask for one service at one time.
@Suite("Concurrent requests for an authorized instance")
struct SharedRequestTests {
    typealias Ear = ServiceTests.Ear
    static let count = 20

    /// Asks for the service many times at once; the question stays open until all of them wait.
    private func ears(_ world: World, _ answer: Answer) async -> [Result<Ear, CaptureError>] {
        let gate = Signal()
        world.prompter.reply { _ in
            await gate.reached()
            return answer
        }
        return await withTaskGroup(of: Result<Ear, CaptureError>.self) { group in
            for _ in 0..<Self.count { group.addTask { await world.ear } }
            await world.gatekeeper.instance(of: Ear.self).waits(for: Self.count)
            gate.raise()
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("N concurrent requests make one question and N services that are one", arguments: Pace.allCases)
    func granted(_ pace: Pace) async throws {
        for lifetime in [Lifetime.always, .once] {
            let world = World(pace)
            let results = await ears(world, .allow(lifetime))
            #expect(results.count == Self.count && world.prompter.questions.count == 1)
            let first = try results[0].get()
            #expect(results.allSatisfy { (try? $0.get()) === first })
            #expect(world.store.events(.start).count == 1)
            world.gatekeeper.instance(of: Ear.self).release()
        }
    }

    @Test("N concurrent requests make one question and N answers, denial included", arguments: Pace.allCases)
    func denied(_ pace: Pace) async {
        let world = World(pace)
        let results = await ears(world, .deny)
        #expect(results.count == Self.count && world.prompter.questions.count == 1)
        #expect(results.allSatisfy { $0.error?.kind == .notAuthorized })
        #expect(results.allSatisfy { $0.error?.message.contains("denied on 2023-11-14") == true })
        // It is remembered: nobody is asked again.
        #expect(await world.ear.error?.kind == .notAuthorized)
        #expect(world.prompter.questions.count == 1 && world.store.events(.start).isEmpty)
    }

    @Test("A dismissal is an answer for all who waited; the next one asks again", arguments: Pace.allCases)
    func dismissed(_ pace: Pace) async throws {
        let world = World(pace)
        let results = await ears(world, .dismissed)
        #expect(results.count == Self.count && world.prompter.questions.count == 1)
        #expect(results.allSatisfy { $0.error?.kind == .dismissed })
        #expect(world.store.decisions.isEmpty)
        world.prompter.reply(.allow(.always))
        _ = try await world.ear.get()
        #expect(world.prompter.questions.count == 2)
        world.gatekeeper.instance(of: Ear.self).release()
    }

    @Test("At once where it is granted: nobody is asked, and all get the same", arguments: Pace.allCases)
    func atOnce(_ pace: Pace) async throws {
        let world = World(pace)
        world.prompter.reply { _ in
            await untilCancelled()
            return .dismissed
        }
        world.decide(.allow)
        let results = await withTaskGroup(of: Result<Ear, CaptureError>.self) { group in
            for _ in 0..<Self.count { group.addTask { await world.ear } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let first = try results[0].get()
        #expect(results.count == Self.count && results.allSatisfy { (try? $0.get()) === first })
        #expect(world.prompter.questions.isEmpty && world.store.events(.start).count == 1)
        world.gatekeeper.instance(of: Ear.self).release()
    }

    @Test("At once with the reason where it is refused, and nobody is asked", arguments: Pace.allCases)
    func refusedAtOnce(_ pace: Pace) async {
        let denied = World(pace)
        denied.decide(.deny)
        let error = await denied.ear.error
        #expect(error?.kind == .notAuthorized && error?.message.contains("denied on 2023-11-14") == true)
        let permission = Remedy.Permission("microphone", to: "/usr/bin/recorder", level: "record")
        #expect(error?.remedies.first?.action == .grant(permission))
        #expect(denied.prompter.questions.isEmpty)
        for refused in Refused.restrictions {
            let world = refused.world(pace)
            #expect(await world.ear.error != nil)
            #expect(world.prompter.questions.isEmpty)
        }
    }

    @Test("What the service's own initializer throws reaches all who wait", arguments: Pace.allCases)
    func broken(_ pace: Pace) async {
        final class Broken: AuthorizedService {
            static let capability = Capability.Microphone()
            init(opening permit: consuming Permit) async throws(CaptureError) {
                throw CaptureError(.stalled, "Nothing comes.")
            }
        }
        let world = World(pace)
        let instance = world.gatekeeper.instance(of: Broken.self)
        for _ in 0..<2 {
            let error = await #expect(throws: CaptureError.self) { try await instance.service }
            #expect(error?.kind == .stalled)
        }
        #expect(world.prompter.questions.count == 1)
    }
}

extension AuthorizedInstance {
    /// Waits until this number of callers wait.
    func waits(for callers: Int) async {
        while (state.waiting ?? 0) < callers { await Task.yield() }
    }
}
