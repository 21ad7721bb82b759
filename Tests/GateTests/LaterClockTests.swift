import GateTestKit
import Testing

@testable import Gate

/// The store has seen a later wall time than the clock now has: a yes counts by the later one, a no by the clock as it is.
@Suite("A clock that was ahead")
struct LaterClockTests {
    private func until(_ seconds: Int64, in world: World) -> Lifetime {
        .until(world.clock.now.later(seconds: seconds))
    }

    private func see(seconds: Int64, in world: World) {
        world.store.see(sinceEpoch: world.clock.now.later(seconds: seconds).sinceEpoch)
    }

    @Test("A permission that is over by that clock alone is refused with the reason, both dates and the cure")
    func refusal() async {
        let world = World(answer: .dismissed)
        see(seconds: 1_000_000, in: world)
        world.decide(.allow, for: until(3600, in: world))
        let report = await world.gatekeeper.report(on: Capability.Microphone())
        #expect(report.status == .notDetermined())
        #expect(report.refusal?.kind == .notAuthorized)
        let message = report.refusal?.message ?? ""
        #expect(message.contains("Its permission until 2023-11-14 23:13 UTC counts as expired"), "\(message)")
        #expect(message.contains("the clock once showed 2023-11-26 12:00 UTC"), "\(message)")
        #expect(report.refusal?.remedies.first?.action == .forgetLaterClock)
    }

    @Test("An answer for an hour, given under that clock, is refused for that reason, too")
    func answer() async {
        let world = World()
        see(seconds: 1_000_000, in: world)
        world.prompter.reply { _ in .allow(.until(world.clock.now.later(seconds: 3600))) }
        let result = await world.queue.add(Capture(Capability.Microphone())).result
        guard case .failure(let error) = result else {
            Issue.record("it captured")
            return
        }
        #expect("\(error)".contains("the clock once showed"), "\(error)")
    }

    @Test("Where nothing rests on it the refusal says nothing of it")
    func silent() async {
        let world = World(answer: .dismissed)
        see(seconds: 1_000_000, in: world)
        world.decide(.allow, .camera, .video, for: until(3600, in: world))
        #expect(await world.gatekeeper.report(on: Capability.Microphone()).refusal?.message.contains("clock") == false)
        world.decide(.allow, for: until(-5, in: world))
        #expect(await world.gatekeeper.report(on: Capability.Microphone()).refusal?.message.contains("clock") == false)
        world.decide(.allow, for: until(2_000_000, in: world))
        #expect(await world.gatekeeper.status(of: Capability.Microphone()).isAuthorized)
    }

    @Test("A no for a time holds until the clock as it is has come to its end, whatever was seen")
    func denial() async {
        let world = World()
        see(seconds: 1_000_000, in: world)
        world.decide(.deny, for: until(3600, in: world))
        guard case .denied = await world.gatekeeper.status(of: Capability.Microphone()) else {
            Issue.record("the no was shortened")
            return
        }
        world.clock.pass(seconds: 3600)
        #expect(await world.gatekeeper.status(of: Capability.Microphone()) == .notDetermined())
    }

    @Test("A no for a time is not shortened by a wall clock that is set, in the same boot")
    func denialAndBoot() async {
        let world = World()
        world.decide(.deny, for: until(3600, in: world))
        world.clock.set(wall: world.clock.now.later(seconds: 4000).wallNanoseconds)
        guard case .denied = await world.gatekeeper.status(of: Capability.Microphone()) else {
            Issue.record("the no was shortened")
            return
        }
        world.clock.set(boot: 1, bootID: "boot-2")
        #expect(await world.gatekeeper.status(of: Capability.Microphone()) == .notDetermined())
    }

    @Test("What rests on a later clock: yeses for a time that are over by it, or were given under it")
    func resting() {
        let now = GateInstant(wallNanoseconds: 1_000, bootNanoseconds: 10, bootID: "a")
        func decision(_ verdict: Decision.Verdict, _ lifetime: Lifetime, at wall: Int64 = 900) -> Decision {
            Decision(
                verdict: verdict, subject: .recorder(), capability: .microphone, level: .record, device: .any,
                lifetime: lifetime, decidedBy: .command,
                decidedAt: GateInstant(wallNanoseconds: wall, bootNanoseconds: 1, bootID: "a"))
        }
        func end(_ wall: Int64) -> Lifetime {
            .until(GateInstant(wallNanoseconds: wall, bootNanoseconds: 100, bootID: "a"))
        }
        #expect(decision(.allow, end(2_000)).restsOnLaterClock(5_000, at: now))
        #expect(decision(.allow, end(9_000), at: 4_000).restsOnLaterClock(5_000, at: now))
        #expect(!decision(.allow, end(9_000)).restsOnLaterClock(5_000, at: now))
        #expect(!decision(.deny, end(2_000)).restsOnLaterClock(5_000, at: now))
        for lasting in [Lifetime.always, .once, .session(.first)] {
            #expect(!decision(.allow, lasting, at: 4_000).restsOnLaterClock(5_000, at: now))
        }
    }
}
