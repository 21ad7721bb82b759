import Gate
import GateTestKit
import Testing

@Suite("Audit lines")
struct AuditTests {
    typealias Microphone = Capability.Microphone

    @Test("Every start and stop is one line of the audit log, with what was delivered")
    func audit() async throws {
        let world = World()
        try await world.queue.run(Capture(Microphone()))
        #expect(world.store.events.map(\.kind) == [.decision, .start, .stop])
        let stop = world.store.events.last
        #expect(stop?.frames == 48 && stop?.bytes == 96 && stop?.devices == [DeviceID(rawValue: "usb-mic")])
        #expect(stop?.decision == world.store.decisions.first?.id)
    }

    @Test("A capture that is let go without a word still has its line")
    func releasedCapture() async throws {
        let world = World()
        try await world.queue.run(
            Inspecting(Microphone()) { permit throws(CaptureError) in
                if let permit = permit.take(DeviceID(rawValue: "usb-mic")) {
                    _ = try await permit.redeem(opening: DeviceID(rawValue: "usb-mic"), as: .microphone)
                }
                return []
            })
        while world.store.events(.stop).isEmpty { await Task.yield() }
        #expect(world.store.events(.stop).count == 1)
    }

    @Test("An end that the store does not take at once is tried again, and is one line")
    func lockedStore() async throws {
        let world = World()
        world.store.refuse(.stop, times: 2)
        try await world.queue.run(Capture(Microphone()))
        #expect(world.store.events(.stop).count == 1)
        #expect(world.gatekeeper.unloggedEnds.isEmpty)
    }

    @Test("An end that the store never takes is told, with the device, the cause and what to do")
    func lostEnd() async throws {
        let world = World()
        world.store.refuse(.stop, times: .max)
        try await world.queue.run(Capture(Microphone()))
        #expect(world.store.events(.stop).isEmpty)
        let error = try #require(world.gatekeeper.unloggedEnds.first)
        #expect(error.kind == .store)
        #expect(error.message.contains("Desk Mic (usb-mic), but not its end: It is locked."))
        #expect(error.remedies.map(\.action) == [nil, .verifyLog])
    }

    @Test("A capture that was refused is one line of the audit log")
    func refusalLine() async {
        let world = World()
        world.decide(.deny)
        _ = await world.queue.add(ComposedOperation(Capture(Capability.Microphone()))).result
        #expect(world.store.events(.refusal).map(\.capability) == [.microphone])
        #expect(
            world.store.events(.refusal).first?.detail.contains("denied on 2023-11-14 22:13 UTC by a command") == true)
    }
}
