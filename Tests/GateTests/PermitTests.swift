import Gate
import GateTestKit
import Testing

@Suite("Permits")
struct PermitTests {
    typealias Microphone = Capability.Microphone

    @Test("A permit names its devices and hands each out once")
    func take() async throws {
        let world = World()
        let operation = Inspecting(Capability.All(Capability.Camera(), Microphone())) { permit in
            var seen = permit.devices.map { "\($0.capability) \($0.level) \($0.device.id)" }
            for name in ["usb-cam", "usb-cam", "usb-mic", "other"] {
                seen.append(permit.take(DeviceID(rawValue: name)) == nil ? "nil" : name)
            }
            return seen
        }
        let seen = try await world.queue.run(operation)
        #expect(seen == ["camera video usb-cam", "microphone record usb-mic", "usb-cam", "nil", "usb-mic", "nil"])
    }

    @Test("Two captures that share one `once` grant: one opens its device", arguments: Pace.allCases)
    func onceForTwo(_ pace: Pace) async {
        let world = World(pace, answer: .dismissed)
        world.decide(.allow, for: .once)
        let together = Signal()
        let openings = Signal()
        let operation = Inspecting(Microphone()) { permit throws(CaptureError) in
            together.raise()
            await together.reached(2)
            if let permit = permit.take(DeviceID(rawValue: "usb-mic")) {
                _ = try await permit.redeem(opening: DeviceID(rawValue: "usb-mic"), as: .microphone)
                openings.raise()
            }
            return []
        }
        let handles = [world.queue.add(operation), world.queue.add(operation)]
        var errors = 0
        for handle in handles where await handle.result.error != nil { errors += 1 }
        #expect(errors == 1 && openings.count == 1)
        #expect(world.store.events(.start).count == 1)
    }

    @Test("Once that is not used stays: a permit that was never redeemed uses nothing up")
    func onceUnused() async throws {
        let world = World()
        world.decide(.allow, for: .once)
        try await world.queue.run(Inspecting(Microphone()) { _ in [] })
        #expect(world.store.decisions.count == 1)
    }
}
