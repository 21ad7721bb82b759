import Gate
import GateTestKit
import Testing

@Suite("Status changes")
struct StatusChangeTests {
    typealias Microphone = Capability.Microphone

    @Test("The status is told now and each time it changes, and nobody is asked", arguments: Pace.allCases)
    func changes(_ pace: Pace) async {
        let world = World(pace)
        var changes = world.gatekeeper.statusChanges(of: Microphone()).makeAsyncIterator()
        #expect(await changes.next() == .notDetermined())
        let id = world.decide(.allow)
        #expect(await changes.next()?.isAuthorized == true)
        world.revoke(id)
        #expect(await changes.next() == .notDetermined())
        world.kill(.microphone)
        guard case .restricted = await changes.next() else {
            Issue.record("not restricted")
            return
        }
        world.kill(.microphone, on: false)
        #expect(await changes.next() == .notDetermined())
        let restriction = Restriction(cause: .policyUnreadable(file: "a.yaml"), reason: "torn", remedies: [])
        world.policy.set { _ in .deny(restriction) }
        #expect(await changes.next() == .restricted(restriction))
        #expect(world.prompter.questions.isEmpty)
    }

    @Test("What changes nothing for this capability is not told")
    func unchanged() async {
        let world = World()
        var changes = world.gatekeeper.statusChanges(of: Microphone()).makeAsyncIterator()
        #expect(await changes.next() == .notDetermined())
        world.decide(.allow, .camera, .video)
        world.decide(.allow, about: .recorder(path: "/usr/bin/other"))
        let id = world.decide(.allow)
        #expect(await changes.next()?.grant?.id == id)
    }

    @Test("Whoever stops listening is not listened for any more")
    func ends() async {
        let world = World()
        do {
            var changes = world.gatekeeper.statusChanges(of: Microphone()).makeAsyncIterator()
            #expect(await changes.next() == .notDetermined())
            #expect(world.store.observers == 1)
        }
        while world.store.observers > 0 { await Task.yield() }
        let follower = Task {
            for await _ in world.gatekeeper.statusChanges(of: Microphone()) {}
        }
        while world.store.observers == 0 { await Task.yield() }
        follower.cancel()
        await follower.value
        while world.store.observers > 0 { await Task.yield() }
        #expect(world.store.observers == 0)
    }
}
