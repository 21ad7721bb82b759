import Gate
import GateTestKit
import Testing

extension Acceptance {
    /// A reading is never trusted later: the store is read again at each step.
    @Suite("Bypasses by stores")
    struct StoreBypassTests {
        typealias Microphone = Capability.Microphone
        enum Lock {}

        /// A world whose store allows everything, and can be replaced.
        private func world(_ pace: Pace) -> (World, SwappedStore, GateQueue) {
            let world = World(pace, answer: .dismissed)
            world.decide(.allow)
            let store = SwappedStore(world.store)
            let gatekeeper = Gatekeeper(
                as: .rig, subject: .success(world.subject), store: store, prompter: world.prompter,
                directory: world.directory, clock: world.clock)
            return (world, store, GateQueue(gatekeeper: gatekeeper))
        }

        /// A store that says nothing, one that says no, and one that can't be read.
        private func others(than world: World) -> [MemoryStore] {
            let refusing = World()
            refusing.decide(.deny)
            let broken = World()
            broken.decide(.allow)
            broken.store.fail(with: CaptureError(.store, "It is another file."))
            return [MemoryStore(), refusing.store, broken.store]
        }

        @Test(
            "A store swapped while waiting for a lock allows nothing that the new one does not",
            arguments: Pace.allCases)
        func whileWaiting(_ pace: Pace) async {
            for number in 0..<3 {
                let (world, store, queue) = world(pace)
                let other = others(than: world)[number]
                let (gate, began, evaluated) = (Signal(), Signal(), Signal())
                let holding = queue.add(
                    ClosureOperation { _ in
                        began.raise()
                        await gate.reached()
                    }.adding(MutuallyExclusive<Lock>()))
                await began.reached()
                let last = Producing(ClosureOperation { _ in }) { evaluated.raise() }
                let capture = Capture(Microphone(), conditions: [MutuallyExclusive<Lock>(), last])
                let handle = queue.add(capture)
                // Produced dependencies run after the authorization was found to hold.
                await evaluated.reached()
                store.swap(for: other)
                gate.raise()
                #expect(await handle.result.error != nil)
                #expect(capture.executions.count == 0 && capture.frames.count == 0)
                await holding.result.ignore()
                #expect(world.store.events(.start).isEmpty && other.events(.start).isEmpty)
            }
        }

        @Test(
            "A store swapped between permit and opening allows nothing that the new one does not",
            arguments: Pace.allCases)
        func beforeOpening(_ pace: Pace) async {
            for number in 0..<3 {
                let (world, store, queue) = world(pace)
                let other = others(than: world)[number]
                let operation = Inspecting(Microphone()) { permit throws(CaptureError) in
                    store.swap(for: other)
                    guard let permit = permit.take(.mic) else { return [] }
                    _ = try await permit.redeem(opening: .mic, as: .microphone)
                    return ["opened"]
                }
                #expect(await queue.add(operation).result.error != nil)
                #expect(world.store.events(.start).isEmpty && other.events(.start).isEmpty)
            }
        }

        /// A store that says it has kept what it has not.
        struct Forgetful: GrantStore {
            let inner: MemoryStore
            func snapshot() throws(CaptureError) -> StoreSnapshot { try inner.snapshot() }
            func record(_ decisions: [Decision], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
                StoreCommit(decisions: decisions, committed: .zero)
            }
            func remove(_ ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
                try inner.remove(ids, audit: audit)
            }
            func consume(once ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
                try inner.consume(once: ids, audit: audit)
            }
            func setKillSwitch(
                _ capability: CapabilityName, on: Bool, audit: AuditEvent
            ) throws(CaptureError) -> StoreCommit { try inner.setKillSwitch(capability, on: on, audit: audit) }
            func append(_ event: AuditEvent) throws(CaptureError) { try inner.append(event) }
            func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation {
                inner.observeChanges(handler)
            }
        }

        @Test("An answer that the store has not kept is nobody's", arguments: Pace.allCases)
        func forgetful(_ pace: Pace) async {
            let world = World(pace)
            let store = Forgetful(inner: world.store)
            let queue = GateQueue(
                gatekeeper: Gatekeeper(
                    as: .rig, subject: .success(world.subject), store: store, prompter: world.prompter,
                    directory: world.directory, clock: world.clock))
            let capture = Capture(Microphone())
            #expect(await queue.add(capture).result.error?.kind == .notAuthorized)
            #expect(world.prompter.questions.count == 1)
            #expect(capture.executions.count == 0 && capture.frames.count == 0)
        }
    }
}
