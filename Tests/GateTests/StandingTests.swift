import Gate
import GateTestKit
import Testing

@Suite("Gatekeepers of a program's own")
struct StandingTests {
    /// A prompter of the library, as far as the gate knows.
    private struct Person: PersonPrompter {
        let script: ScriptedPrompter
        let name = "person"
        let asksPerson: Bool

        func obstacle() async -> CaptureError? { nil }
        func ask(_ question: Question) async -> Answer { await script.ask(question) }
    }

    private func gatekeeper(
        _ world: World, as standing: GateStanding?, prompter: (any Prompter)? = nil
    ) -> Gatekeeper {
        let prompter = prompter ?? world.prompter
        guard let standing else {
            return Gatekeeper(
                subject: .success(world.subject), store: world.store, policy: world.policy, prompter: prompter,
                directory: world.directory, clock: world.clock)
        }
        return Gatekeeper(
            as: standing, subject: .success(world.subject), store: world.store, policy: world.policy,
            prompter: prompter,
            directory: world.directory, clock: world.clock)
    }

    /// How it ends to open the microphone there is.
    private func opening(_ id: DeviceID, by gatekeeper: Gatekeeper) async -> CaptureError? {
        let operation = Inspecting(Capability.Microphone(device: .id(id))) { permit throws(CaptureError) in
            guard let part = permit.take(id) else { return [] }
            await (try part.redeem(opening: id, as: .microphone)).finish(frames: 0, bytes: 0, outcome: "done")
            return []
        }
        return await GateQueue(gatekeeper: gatekeeper).add(operation).result.error?.captureError
    }

    @Test("One that is made by hand opens the built-in test devices alone, whatever its store and rules say")
    func byHand() async {
        for standing in [nil, GateStanding.own, .kit] {
            let world = World()
            world.directory.set(
                .microphone, [.here("usb-mic", "Mic"), .here("test:tone", "Tone"), .here("test:x", "X")])
            world.decide(.allow)
            world.policy.set { _ in .allow(PolicyOrigin(file: "a.yaml", line: 1), until: nil) }
            let gatekeeper = gatekeeper(world, as: standing)
            for id in [DeviceID.mic, DeviceID(rawValue: "test:x")] {
                let error = await opening(id, by: gatekeeper)
                #expect(error?.kind == .notAuthorized && error?.message.contains("made its own gatekeeper") == true)
            }
            #expect(world.store.events(.start).isEmpty && world.store.events(.refusal).count == 2)
            #expect(await opening(.testTone, by: gatekeeper) == nil)
            #expect(world.store.events(.start).count == 1)
        }
    }

    @Test("The machine's gate opens real ones")
    func system() async {
        let world = World()
        world.decide(.allow)
        #expect(await opening(.mic, by: gatekeeper(world, as: .system)) == nil)
    }

    @Test("A prompter of a program's own answers for test devices alone, where real ones may open by the answer")
    func ownPrompter() async {
        for standing in [GateStanding.system, .kit] {
            let world = World()
            world.directory.set(.microphone, [.here("usb-mic", "Mic"), .here("test:tone", "Tone")])
            let gatekeeper = gatekeeper(world, as: standing)
            let error = await opening(.mic, by: gatekeeper)
            #expect(error?.kind == .notAuthorized && error?.message.contains("custom prompter") == true)
            let anyOfThem = await gatekeeper.requestAccess(for: Capability.Microphone())
            #expect(!anyOfThem.isAuthorized && world.prompter.questions.isEmpty && world.store.decisions.isEmpty)
            #expect(await opening(.testTone, by: gatekeeper) == nil)
            #expect(world.prompter.questions.count == 1)
            #expect(world.store.decisions.map(\.device) == [.id(.testTone)])
        }
    }

    @Test("A prompter that asks a person is asked about real ones, too")
    func person() async {
        for asksPerson in [true, false] {
            let world = World()
            let person = Person(script: world.prompter, asksPerson: asksPerson)
            let error = await opening(.mic, by: gatekeeper(world, as: .system, prompter: person))
            #expect((error == nil) == asksPerson)
            #expect(world.prompter.questions.count == (asksPerson ? 1 : 0))
        }
    }
}
