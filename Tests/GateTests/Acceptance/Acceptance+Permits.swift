import Gate
import GateTestKit
import Testing

extension Acceptance {
    @Suite("Permits and lifetimes")
    struct Permits {
        typealias Microphone = Capability.Microphone
        enum Lock {}

        /// What can happen to a grant while its operation waits.
        static let losses: [@Sendable (World, Int64) -> Void] = [
            { world, id in world.revoke(id) }, { world, _ in world.decide(.deny) },
            { world, _ in world.clock.pass(seconds: 3600) }, { world, _ in world.kill(.microphone) },
            { world, _ in world.store.fail(with: CaptureError(.store, "It is gone.")) },
        ]

        @Test(
            "15. Revoked or expired while waiting for a lock: not one frame is captured.", arguments: Pace.allCases)
        func lostWhileWaiting(_ pace: Pace) async {
            for loss in Self.losses {
                let world = World(pace)
                let (gate, began, evaluated) = (Signal(), Signal(), Signal())
                let holding = world.queue.add(
                    ClosureOperation { _ in
                        began.raise()
                        await gate.reached()
                    }.adding(MutuallyExclusive<Lock>()))
                await began.reached()
                let id = world.decide(.allow, for: .until(world.clock.now.later(seconds: 60)))
                let last = BlockCondition {
                    evaluated.raise()
                    return true
                }
                let capture = Capture(Microphone(), conditions: [MutuallyExclusive<Lock>(), last])
                let handle = world.queue.add(capture)
                await evaluated.reached()
                // Evaluation has read the grant, or will read the loss: neither lets it through.
                world.prompter.reply(.dismissed)
                loss(world, id)
                gate.raise()
                #expect(await handle.result.error != nil)
                #expect(capture.executions.count == 0 && capture.frames.count == 0)
                await holding.result.ignore()
            }
        }

        @Test(
            "24. once is used up by one capture, also when that capture crashes at once.", arguments: Pace.allCases)
        func once(_ pace: Pace) async {
            let world = World(pace, answer: .dismissed)
            world.decide(.allow, for: .once)
            // It opens its device and lets go of everything without a word, as a process does that is killed.
            let crashing = Inspecting(Microphone()) { permit throws(CaptureError) in
                if let permit = permit.take(.mic) { _ = try await permit.redeem(opening: .mic, as: .microphone) }
                throw CaptureError(.deviceGone, "It is gone.")
            }
            #expect(
                await world.queue.add(crashing).result.error == .failed(CaptureError(.deviceGone, "It is gone.")))
            #expect(world.store.decisions.isEmpty)
            let next = Capture(Microphone())
            #expect(await world.queue.add(next).result.error?.kind == .dismissed)
            #expect(next.executions.count == 0 && next.frames.count == 0)
        }

        /// Whether a capture is allowed without asking.
        private func isAllowed(_ world: World) async -> Bool {
            let capture = Capture(Microphone())
            let bonus = ComposedOperation(capture).adding(SilentCondition(AuthorizedFor(Microphone())))
            let error = await world.queue.add(bonus).result.error
            #expect((error == nil) == (capture.frames.count == 3))
            return error == nil
        }

        @Test(
            """
            25. Grants past their date are refused by CLOCK_BOOTTIME with the boot id and by the latest wall time \
            seen; setting the clock back does not bring one back to life.
            """, arguments: Pace.allCases)
        func dates(_ pace: Pace) async {
            let changes: [(Bool, @Sendable (World, GateInstant) -> Void)] = [
                (true, { _, _ in }),
                (true, { $0.clock.set(wall: $1.wallNanoseconds - 1, boot: $1.bootNanoseconds - 1) }),
                (false, { $0.clock.set(boot: $1.bootNanoseconds) }),
                (false, { $0.clock.set(wall: $1.wallNanoseconds) }),
                // The clock is set back after the store has seen a later one, in this boot or the next.
                (false, { $0.store.see(sinceEpoch: $1.sinceEpoch) }),
                (
                    false,
                    { world, limit in
                        world.store.see(sinceEpoch: limit.sinceEpoch)
                        world.clock.set(wall: 1, boot: 1, bootID: "boot-2")
                    }
                ),
                // Another boot's clock says nothing; it only can't have run for longer than the whole grant.
                (true, { world, _ in world.clock.set(boot: 59_999_999_999, bootID: "boot-2") }),
                (false, { world, _ in world.clock.set(boot: 60_000_000_000, bootID: "boot-2") }),
            ]
            for (isAlive, change) in changes {
                let world = World(pace)
                let limit = world.clock.now.later(seconds: 60)
                world.decide(.allow, for: .until(limit))
                change(world, limit)
                #expect(await isAllowed(world) == isAlive)
            }
        }

        @Test("25. session is the session leader, its start time and the boot id.", arguments: Pace.allCases)
        func session(_ pace: Pace) async {
            let granted = LoginSession(leader: 100, startTicks: 1, bootID: "boot-1")
            let sessions = [
                (granted, true), (LoginSession(leader: 101, startTicks: 1, bootID: "boot-1"), false),
                (LoginSession(leader: 100, startTicks: 2, bootID: "boot-1"), false),
                (LoginSession(leader: 100, startTicks: 1, bootID: "boot-2"), false),
            ]
            for (session, isAlive) in sessions {
                let world = World(pace, subject: .success(.recorder(in: session)))
                world.decide(.allow, for: .session(granted))
                #expect(await isAllowed(world) == isAlive)
            }
        }

        @Test(
            """
            27. Node permissions that refuse this user are restricted (exit 77) with the remedy; absent and busy are \
            availability.
            """, arguments: Pace.allCases)
        func node(_ pace: Pace) async {
            let world = World(pace)
            let remedy = Remedy("Join the group video.", command: "sudo usermod -aG video ada")
            let cause = Restriction(
                cause: .nodePermissions(node: "/dev/video0"), reason: "You are not in the group video.",
                remedies: [remedy])
            let camera = DeviceDescription(id: .cam, name: "HD Webcam")
            world.directory.set(
                .camera, [DeviceResolution(device: camera, availability: .available, restriction: cause)])
            #expect(await world.gatekeeper.status(of: Capability.Camera()) == .restricted(cause))
            let refused = Capture(Capability.Camera())
            let refusal = await world.queue.add(refused).result.error?.captureError
            #expect(refusal?.message == "You are not in the group video." && refusal?.kind == .notAuthorized)
            #expect(refusal?.remedies == [remedy])

            let holder = DeviceHolder(processID: 7, command: "obs")
            world.directory.set(.camera, [DeviceResolution(device: camera, availability: .busy(holder))])
            world.decide(.allow, .camera, .video)
            #expect(await world.gatekeeper.status(of: Capability.Camera()).isAuthorized)
            #expect(await world.gatekeeper.availability(of: Capability.Camera()) == .busy(holder))
            let busy = await world.queue.add(refused).result.error?.captureError
            #expect(busy?.kind == .busy && busy?.message.contains("obs (process 7)") == true)

            world.directory.set(.camera, [])
            #expect(await world.gatekeeper.status(of: Capability.Camera()).isAuthorized)
            #expect(await world.gatekeeper.availability(of: Capability.Camera()) == .absent("any"))
            #expect(await world.queue.add(refused).result.error?.kind == .noDevice)
            #expect(refused.executions.count == 0)
        }
    }
}
