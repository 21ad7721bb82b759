import Gate
import GateTestKit
import Testing

/// A device has other ids than its main one: that of its port, or, for a name of ALSA's configuration, that of the hardware
/// itself.
@Suite("Other ids of a device")
struct AliasTests {
    static let alias = DeviceID(rawValue: "usb-mic@port")
    let world = World()

    init() {
        let device = DeviceDescription(id: .mic, name: "Desk Mic")
        world.directory.set(
            .microphone, [DeviceResolution(device: device, availability: .available, aliases: [Self.alias])])
    }

    private var status: AuthorizationStatus {
        get async { await world.gatekeeper.status(of: Capability.Microphone()) }
    }

    private func capture() async -> CaptureError? {
        await world.queue.add(Gated()).result.error?.captureError
    }

    @Test("A denial of another id holds, though any device is allowed, and nobody is asked")
    func denied() async {
        world.decide(.deny, device: .id(Self.alias))
        world.decide(.allow)
        let refusal = await capture()
        #expect(refusal?.kind == .notAuthorized)
        guard case .grant(let permission) = refusal?.remedies.first?.action else { return #expect(Bool(false)) }
        #expect(permission.device == Self.alias.rawValue)
        #expect(world.prompter.questions.isEmpty)
    }

    @Test("Nobody is asked about a device that is denied by another id") func unasked() async {
        world.decide(.deny, device: .id(Self.alias))
        #expect(await capture()?.kind == .notAuthorized)
        #expect(world.prompter.questions.isEmpty)
    }

    @Test("A newer yes to that id lifts the denial") func lifted() async {
        world.decide(.allow)
        world.decide(.deny, device: .id(Self.alias))
        world.decide(.allow, device: .id(Self.alias))
        #expect(await capture() == nil)
    }

    @Test("A yes for once to that id does not lift it: that is for what captures under that name") func once() async {
        world.decide(.allow)
        world.decide(.deny, device: .id(Self.alias))
        world.decide(.allow, device: .id(Self.alias), for: .once)
        #expect(await capture()?.kind == .notAuthorized)
    }

    @Test("A device that is back under another id as well is judged by that too") func back() async throws {
        let (world, ended) = (world, Signal())
        world.decide(.allow)
        world.decide(.deny, device: .id(DeviceID(rawValue: "usb-mic@other")))
        var capture = Gated()
        capture.during = { captures in
            captures[0].onEnd { _ in ended.raise() }
            captures[0].isBack(with: [Self.alias])
            captures[0].isBack(with: [DeviceID(rawValue: "usb-mic@other")])
            await ended.reached()
            #expect(captures[0].endReason == .revoked)
        }
        _ = try await world.queue.add(capture).value()
    }

    @Test("A yes to another id allows nothing") func granted() async {
        world.decide(.allow, device: .id(Self.alias))
        #expect(await status == .notDetermined())
    }

    @Test("A denial of any device does not outweigh a newer yes to this one") func general() async {
        world.decide(.deny)
        world.decide(.allow, device: .id(.mic))
        #expect(await capture() == nil)
    }

    @Test("A policy is told of the other ids") func policy() async {
        let rule = Restriction(
            cause: .policy(PolicyOrigin(file: "a.yaml", line: 3)), reason: "Not this one.", remedies: [])
        world.policy.set { $0.aliases == [Self.alias] ? .deny(rule) : .ask }
        world.decide(.allow)
        #expect(await status == .restricted(rule))
    }

    @Test("A denial of another id ends what is running") func running() async throws {
        let reason = try await RevocationTests().end(.always, world) { world, _ in
            world.decide(.deny, device: .id(Self.alias))
        }
        #expect(reason == .revoked)
    }

    @Test("What the opening shows to be captured is asked about too, now and later") func admitted() async throws {
        let hardware = DeviceDescription(id: DeviceID(rawValue: "pci-mic"), name: "Line In")
        let (world, ended) = (world, Signal())
        world.decide(.allow, device: .id(.mic))
        var capture = Gated()
        capture.during = { captures in
            captures[0].onEnd { _ in ended.raise() }
            #expect(await Self.refusal(of: hardware, captures[0]) == nil)
            world.decide(.deny, device: .id(hardware.id))
            await ended.reached()
            #expect(captures[0].endReason == .revoked)
        }
        _ = try await world.queue.add(capture).value()
        capture.during = { captures in
            let refusal = await Self.refusal(of: hardware, captures[0])
            #expect(refusal?.kind == .notAuthorized && refusal?.message.contains("\"Line In\" (pci-mic)") == true)
        }
        _ = try await world.queue.add(capture).value()
        #expect(world.store.events(.refusal).count == 1)
    }

    @Test("What may be any microphone is refused where one is denied, also one that comes to be while it runs")
    func anyDevice() async throws {
        let (world, ended) = (world, Signal())
        let unknown = DeviceDescription(id: .mic, name: "ALSA pulse")
        world.decide(.allow)
        world.decide(.deny, device: .id(DeviceID(rawValue: "test:tone")))
        var capture = Gated()
        capture.during = { captures in
            captures[0].onEnd { _ in ended.raise() }
            #expect(await Self.refusal(of: unknown, captures[0], mayBeAny: true) == nil)
            world.decide(.deny, device: .id(DeviceID(rawValue: "some-mic-elsewhere")))
            await ended.reached()
            #expect(captures[0].endReason == .revoked)
        }
        _ = try await world.queue.add(capture).value()
        capture.during = { captures in
            #expect(await Self.refusal(of: unknown, captures[0], mayBeAny: false) == nil)
            #expect(await Self.refusal(of: unknown, captures[0], mayBeAny: true)?.kind == .notAuthorized)
        }
        _ = try await world.queue.add(capture).value()
    }

    private static func refusal(
        of hardware: DeviceDescription, _ capture: ActiveCapture, mayBeAny: Bool = false
    ) async -> CaptureError? {
        do throws(CaptureError) {
            try await capture.admit(hardware, aliases: [], mayBeAny: mayBeAny)
            return nil
        } catch {
            return error
        }
    }
}

extension AliasTests {
    fileprivate typealias Gated = Capture<Capability.Microphone>
}

extension Capture where Capable == Capability.Microphone {
    fileprivate init() { self.init(Capability.Microphone()) }
}
