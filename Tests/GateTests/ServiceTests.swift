import Gate
import GateTestKit
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
        world.prompter.reply(.allow(.always), after: gate)
        let impatient = Task { await world.ear }
        await world.prompter.asked.reached()
        impatient.cancel()
        #expect(await impatient.value.error?.kind == .cancelled)
        gate.raise()
        _ = try await world.ear.get()
        #expect(world.prompter.questions.count == 1)
        world.gatekeeper.instance(of: Ear.self).release()
    }

    @Test("One for each device: each has its own question and its own state")
    func devices() async throws {
        let world = World()
        let (desk, line) = (world.ear(on: "usb-mic"), world.ear(on: "pci-mic"))
        #expect(desk.state.isAbsent)
        let first = try await desk.service
        #expect(first.capture.device.id == DeviceID(rawValue: "usb-mic"))
        #expect(desk.state.service === first && line.state.isAbsent)
        let second = try await line.service
        #expect(second !== first && second.capture.device.id == DeviceID(rawValue: "pci-mic"))
        #expect(world.prompter.questions.count == 2)
        // The purpose makes no other instance; the level and the device do.
        #expect(try await world.ear(on: "usb-mic", purpose: "Another").service === first)
        world.revoke(world.store.decisions.first?.id ?? -1)
        while first.capture.endReason == nil { await Task.yield() }
        #expect(second.capture.endReason == nil)
        #expect(try await line.service === second)
        for instance in [desk, line] { instance.release() }
        #expect(line.state.isAbsent)
    }

    @Test("A request is granted at once, denied at once, or waiting", arguments: Pace.allCases)
    func request(_ pace: Pace) async throws {
        let world = World(pace)
        let gate = Signal()
        world.prompter.reply(.allow(.always), after: gate)
        world.decide(.deny, device: .id(DeviceID(rawValue: "pci-mic")))
        // Denied: no question.
        let refusal = await world.ear(on: "pci-mic").request().refusal
        #expect(refusal?.kind == .notAuthorized && world.prompter.questions.isEmpty)
        // Waiting: the question is put, and one is enough for all.
        let instance = world.ear(on: "usb-mic")
        let pending = try #require(await instance.request().pending)
        let other = try #require(await instance.request().pending)
        await world.prompter.asked.reached()
        #expect(pending.isWaiting && other.isWaiting)
        #expect(instance.state.waiting == 2)
        gate.raise()
        let service = try await pending.service
        #expect(try await other.service === service && !pending.isWaiting)
        // Granted at once; and it is built at once if it is allowed already.
        for _ in 0..<2 {
            #expect(await instance.request().service != nil)
            instance.release()
        }
        #expect(world.prompter.questions.count == 1)
        instance.release()
    }

    @Test("Cancelling a task that waits by a pending service ends that wait alone")
    func cancelledPending() async throws {
        let world = World()
        let gate = Signal()
        world.prompter.reply(.allow(.always), after: gate)
        let instance = world.ear(on: "usb-mic")
        let pending = try #require(await instance.request().pending)
        let copy = pending
        let impatient = Task { try await copy.service }
        let patient = Task { try await copy.service }
        await world.prompter.asked.reached()
        impatient.cancel()
        let error = await #expect(throws: CaptureError.self) { try await impatient.value }
        #expect(error?.kind == .cancelled && pending.isWaiting)
        gate.raise()
        let service = try await pending.service
        #expect(try await patient.value === service && instance.state.service === service)
        instance.release()
    }

    @Test("Whoever has given up is not counted among those who wait")
    func givenUp() async throws {
        let world = World()
        let gate = Signal()
        world.prompter.reply(.allow(.always), after: gate)
        let instance = world.ear(on: "usb-mic")
        let (impatient, patient) = (Task { try await instance.service }, Task { try await instance.service })
        await instance.waits(for: 2)
        impatient.cancel()
        await #expect(throws: CaptureError.self) { try await impatient.value }
        #expect(instance.state.waiting == 1)
        // Requested, but nobody waits for it any more.
        #expect(await instance.request().pending != nil)
        #expect(instance.state.waiting == 1)
        gate.raise()
        _ = try await patient.value
        #expect(world.prompter.questions.count == 1)
        instance.release()
    }

    @Test(
        "A request does not wait for a person, also where the permission goes while it is built",
        .timeLimit(.minutes(1)))
    func revokedMeanwhile() async throws {
        // After the first reading, which allows it; and before the last, for the permit.
        for reading in 2...3 {
            let world = World()
            let gate = Signal()
            world.prompter.reply(.allow(.always), after: gate)
            let id = world.decide(.allow)
            world.store.beforeSnapshot { if $0 == reading { world.revoke(id) } }
            let instance = world.ear(on: "usb-mic")
            let pending = try #require(await instance.request().pending)
            // Then the question is asked, as if it was open from the start.
            await world.prompter.asked.reached()
            #expect(pending.isWaiting)
            gate.raise()
            #expect(try await pending.service === instance.state.service)
            instance.release()
        }
    }

    @Test("What is waited for can be denied, or dismissed")
    func waitedInVain() async throws {
        for (answer, kind) in [(Answer.deny, CaptureError.Kind.notAuthorized), (.dismissed, .dismissed)] {
            let world = World(answer: answer)
            let pending = try #require(await world.ear(on: "usb-mic").request().pending)
            let error = await #expect(throws: CaptureError.self) { try await pending.service }
            #expect(error?.kind == kind)
            #expect(world.ear(on: "usb-mic").state.isAbsent)
        }
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
    /// The instance of the ear on one microphone.
    func ear(on id: String, purpose: String = "Listen") -> AuthorizedInstance<ServiceTests.Ear> {
        gatekeeper.instance(for: Capability.Microphone(device: .id(DeviceID(rawValue: id)), purpose: purpose))
    }

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

extension AuthorizedInstance.Access {
    var service: Service? { if case .granted(let service) = self { service } else { nil } }
    var refusal: CaptureError? { if case .denied(let refusal) = self { refusal } else { nil } }
    var pending: PendingService<Service>? { if case .waiting(let pending) = self { pending } else { nil } }
}

extension AuthorizedInstance.State {
    var service: Service? { if case .present(let service) = self { service } else { nil } }
    var waiting: Int? { if case .waiting(let callers) = self { callers } else { nil } }
    var isAbsent: Bool { if case .absent = self { true } else { false } }
}

extension ScriptedPrompter {
    /// Answers every question alike, once a gate is open.
    fileprivate func reply(_ answer: Answer, after gate: Signal) {
        reply { _ in
            await gate.reached()
            return answer
        }
    }
}
