import Gate
import Testing

@Suite("Authorized instances")
struct ServiceTests {
    /// A microphone that stays open.
    final class Ear: AuthorizedService {
        static let capability = Capability.Microphone()
        let capture: ActiveCapture

        init(opening permit: consuming Permit) async throws(CaptureError) {
            let id = permit.devices[0].device.id
            guard let device = permit.take(id) else { throw CaptureError(.noDevice, "none") }
            capture = try await device.redeem(opening: id, as: .microphone)
        }
    }

    /// A service that opens nothing.
    final class Idle: AuthorizedService {
        static let capability = Capability.Camera()
        init(opening permit: consuming Permit) async throws(CaptureError) {}
    }

    func ears(_ world: World, _ count: Int, _ meanwhile: () async -> Void = {}) async -> [Result<Ear, CaptureError>] {
        await withTaskGroup(of: Result<Ear, CaptureError>.self) { group in
            for _ in 0..<count { group.addTask { await world.ear } }
            await meanwhile()
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("N concurrent requests make one question and N answers, denial included", arguments: Pace.allCases)
    func concurrent(_ pace: Pace) async throws {
        for answer in [Answer.allow(.always), .allow(.once), .deny] {
            let world = World(pace, answer: answer)
            let results = await ears(world, 20)
            #expect(results.count == 20 && world.prompter.questions.count == 1)
            if answer == .deny {
                #expect(results.allSatisfy { $0.error?.kind == .notAuthorized })
            } else {
                let first = try results[0].get()
                #expect(results.allSatisfy { (try? $0.get()) === first })
                #expect(world.store.events(.start).count == 1)
            }
            world.gatekeeper.instance(of: Ear.self).release()
        }
    }

    @Test("At once with the reason where it is denied, and nobody is asked")
    func denied() async {
        let world = World()
        world.decide(.deny)
        #expect(await world.ear.error?.kind == .notAuthorized)
        #expect(world.prompter.questions.isEmpty)
    }

    @Test("A dismissal is an answer for those who waited; the next one asks again")
    func dismissed() async throws {
        let world = World(answer: .dismissed)
        #expect(await world.ear.error?.kind == .dismissed)
        world.prompter.reply(.allow(.always))
        _ = try await world.ear.get()
        #expect(world.prompter.questions.count == 2)
        world.gatekeeper.instance(of: Ear.self).release()
    }

    @Test("What the gate has ended is not handed out again")
    func revoked() async throws {
        let world = World(answer: .dismissed)
        let id = world.decide(.allow)
        let first = try await world.ear.get()
        #expect(try await world.ear.get() === first)
        let ended = Signal()
        first.capture.onEnd { _ in ended.raise() }
        world.revoke(id)
        await ended.reached()
        #expect(await world.ear.error?.kind == .dismissed)
        world.decide(.allow)
        let second = try await world.ear.get()
        #expect(second !== first)
        world.gatekeeper.instance(of: Ear.self).release()
    }

    @Test("A service without a device is handed out only while its authorization holds")
    func idle() async throws {
        let world = World(answer: .dismissed)
        let id = world.decide(.allow, .camera, .video)
        let instance = world.gatekeeper.instance(of: Idle.self)
        let first = try await instance.service
        #expect(try await instance.service === first)
        world.revoke(id)
        await #expect(throws: CaptureError.self) { try await instance.service }
        instance.release()
    }

    @Test("Whoever stops waiting takes nobody's service away")
    func cancelledWait() async throws {
        let world = World()
        let gate = Signal()
        world.prompter.reply { _ in
            await gate.reached()
            return .allow(.always)
        }
        let impatient = Task { await world.ear }
        await world.prompter.asked.reached()
        impatient.cancel()
        #expect(await impatient.value.error?.kind == .cancelled)
        gate.raise()
        _ = try await world.ear.get()
        #expect(world.prompter.questions.count == 1)
        world.gatekeeper.instance(of: Ear.self).release()
    }

    @Test("The callback style hands out the same service")
    func callback() async throws {
        let world = World()
        let service = try await world.ear.get()
        let other = await withCheckedContinuation { continuation in
            world.gatekeeper.instance(of: Ear.self).service { continuation.resume(returning: $0) }
        }
        #expect(try other.get() === service)
        world.gatekeeper.instance(of: Ear.self).release()
    }
}

extension World {
    /// The shared ear, with its error as a value.
    var ear: Result<ServiceTests.Ear, CaptureError> {
        get async {
            do throws(CaptureError) {
                return .success(try await gatekeeper.instance(of: ServiceTests.Ear.self).service)
            } catch {
                return .failure(error)
            }
        }
    }
}
