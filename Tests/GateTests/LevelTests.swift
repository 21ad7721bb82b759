import Gate
import GateTestKit
import Testing

@Suite("Levels")
struct LevelTests {
    typealias Microphone = Capability.Microphone

    /// None of the microphone's, each nearly one.
    static let lies = [
        AccessLevel(name: "meter", rank: 2), AccessLevel(name: "record", rank: 1), AccessLevel(name: "meter", rank: 0),
        AccessLevel(name: "meter", rank: .min), AccessLevel(name: "record", rank: .max),
        AccessLevel(name: "Meter", rank: 1), AccessLevel(name: "", rank: 1), AccessLevel(name: "listen", rank: 2),
        .still, .video,
    ]

    @Test("The microphone and the camera have their own levels alone; a capability of a program's own has any")
    func own() {
        #expect(
            CapabilityName.microphone.levels == [.meter, .record] && CapabilityName.camera.levels == [.still, .video])
        for lie in Self.lies {
            #expect(!CapabilityName.microphone.has(lie) && CapabilityName(rawValue: "lamp").has(lie))
        }
        #expect(CapabilityName.microphone.has(AccessLevel(name: "meter", rank: 1)))
    }

    @Test("A level that is none of the capability's is refused, and nobody is asked", arguments: lies)
    func request(_ lie: AccessLevel) async throws {
        let world = World()
        for decided in [false, true] {
            if decided { world.decide(.allow) }
            let capture = Capture(Microphone(lie))
            let error = await world.queue.add(capture).result.error
            #expect(error?.kind == .notAuthorized)
            #expect(error?.captureError.message.contains("\"meter\" and \"record\"") == true)
            #expect(capture.executions.count == 0)
        }
        guard case .restricted(let why) = await world.gatekeeper.requestAccess(for: Microphone(lie)) else {
            Issue.record("it is not restricted")
            return
        }
        #expect(why.cause == .unknownLevel && world.prompter.questions.isEmpty)
        #expect(world.store.events(.start).isEmpty && world.store.events(.decision).count == 1)
    }

    @Test("Nor by a rule that allows it")
    func policy() async {
        let world = World()
        world.policy.set { _ in .allow(PolicyOrigin(file: "a.yaml", line: 1), until: nil) }
        for lie in Self.lies {
            #expect(await world.queue.add(Capture(Microphone(lie))).result.error?.kind == .notAuthorized)
        }
        #expect(await world.queue.add(Capture(Microphone())).result.error == nil)
    }

    @Test("One of two devices at such a level refuses both")
    func together() async {
        let world = World()
        let both = Capability.All(Capability.Camera(), Microphone(AccessLevel(name: "meter", rank: 2)))
        #expect(await world.queue.add(Capture(both)).result.error?.kind == .notAuthorized)
        #expect(world.prompter.questions.isEmpty && world.store.decisions.isEmpty)
    }

    @Test("A stored yes at such a level allows nothing: it is asked for anew", arguments: lies)
    func storedYes(_ lie: AccessLevel) async {
        for asked in [AccessLevel.meter, .record] {
            let world = World(answer: .dismissed)
            world.decide(.allow, .microphone, lie)
            world.decide(.allow, .microphone, lie, device: .id(.mic))
            world.decide(.allow, .microphone, lie, for: .once)
            let capture = Capture(Microphone(asked))
            #expect(await world.queue.add(capture).result.error?.kind == .dismissed)
            #expect(world.prompter.questions.count == 1 && capture.executions.count == 0)
        }
    }

    @Test("A stored no at such a level stays one", arguments: lies)
    func storedNo(_ lie: AccessLevel) async {
        let world = World()
        world.decide(.allow, .microphone, .record)
        world.decide(.deny, .microphone, lie, device: .id(.mic))
        #expect(await world.queue.add(Capture(Microphone(.meter))).result.error?.kind == .notAuthorized)
        #expect(world.prompter.questions.isEmpty)
    }

    @Test("A capability of a program's own is asked for, allowed and raised by its own levels")
    func otherCapability() async {
        struct Scanner: DeviceCapability {
            let requirement: DeviceRequest

            init(_ level: AccessLevel) {
                requirement = DeviceRequest(
                    capability: CapabilityName(rawValue: "scanner"), level: level, device: .any, purpose: "Scan")
            }
        }
        let world = World()
        world.directory.set(CapabilityName(rawValue: "scanner"), [.here("usb-scanner", "Scanner")])
        for (level, questions) in [
            (AccessLevel(name: "glance", rank: 3), 1), (AccessLevel(name: "meter", rank: 2), 1),
            (AccessLevel(name: "scan", rank: 7), 2),
        ] {
            #expect(await world.queue.add(Inspecting(Scanner(level)) { _ in [] }).result.error == nil)
            #expect(world.prompter.questions.count == questions)
        }
    }

    @Test("What needs a higher level than the permit's is not opened; the log says so, and a grant for once stays")
    func permit() async throws {
        let world = World()
        world.decide(.allow, .microphone, .meter, for: .once)
        let operation = Inspecting(Microphone(.meter)) { permit throws(CaptureError) in
            guard let part = permit.take(.mic) else { return [] }
            do throws(CaptureError) {
                _ = try await part.redeem(opening: .mic, as: .microphone, for: .record)
                return ["opened"]
            } catch {
                return ["\(error.kind) \(error.message)"] + error.remedies.map(\.text)
            }
        }
        let words = try await world.queue.run(operation)
        #expect(words.first?.hasPrefix("notAuthorized") == true && words.count == 4)
        #expect(words.first?.contains("the level \"meter\". Opening it this way needs \"record\"") == true)
        #expect(world.store.events(.refusal).count == 1 && world.store.events(.start).isEmpty)
        #expect(world.store.decisions.count == 1)
    }

    @Test("Single pictures of one camera are apart, however often it is opened; those of another are not waited for")
    func pace() {
        let pace = StillRateLimiter()
        let now = ContinuousClock.now
        func due(_ device: DeviceID, _ seconds: Double) -> Duration {
            pace.due(device, at: now.advanced(by: .seconds(seconds)), apart: .seconds(1)) - now
        }
        #expect(due(.cam, 0) == .zero && due(.cam, 0.25) == .seconds(1) && due(.cam, 0.5) == .seconds(2))
        #expect(due(.mic, 0.5) == .milliseconds(500))
        #expect(due(.cam, 10) == .seconds(10) && due(.cam, 10) == .seconds(11))
    }

    @Test("Frames need the highest level of each device")
    func frames() async throws {
        let world = World()
        func refusals(_ capability: Capability.All) async throws -> [String] {
            try await world.queue.run(
                Inspecting(capability) { permit throws(CaptureError) in
                    do throws(CaptureError) {
                        try await permit.requireFrames()
                        return []
                    } catch {
                        return ["\(error.kind)"]
                    }
                })
        }
        #expect(try await refusals(Capability.All(Capability.Camera(), Microphone())) == [])
        #expect(try await refusals(Capability.All(Capability.Camera(), Microphone(.meter))) == ["notAuthorized"])
        #expect(try await refusals(Capability.All(Capability.Camera(.still), Microphone())) == ["notAuthorized"])
    }
}
