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
