import Gate
import GateTestKit
import Testing

extension Acceptance {
    @Suite("Status and levels")
    struct Status {
        typealias Microphone = Capability.Microphone

        @Test(
            "1. A status query never asks anybody. Its completion gets availability and status once.",
            arguments: Pace.allCases)
        func statusQuery(_ pace: Pace) async throws {
            let world = World(pace)
            let reports = Record<(Availability, AuthorizationStatus)>()
            let query = GetAuthorizationStatus(Microphone()) { reports.append(($0, $1)) }
            try await world.queue.run(query)
            #expect(await world.gatekeeper.status(of: Microphone()) == .notDetermined())
            #expect(reports.all.count == 1)
            #expect(reports.all.first?.0 == .available && reports.all.first?.1 == .notDetermined())

            let holder = DeviceHolder(processID: 7, command: "obs")
            world.directory.set(.microphone, [.here("usb-mic", "Desk Mic", .busy(holder))])
            world.decide(.allow)
            try await world.queue.run(query)
            #expect(reports.all.count == 2)
            #expect(reports.all.last?.0 == .busy(holder) && reports.all.last?.1.isAuthorized == true)
            #expect(world.prompter.questions.isEmpty)
        }

        @Test(
            "2. Authorize asks, then reports the fresh status from the store, never the answer itself.",
            arguments: Pace.allCases)
        func authorize(_ pace: Pace) async throws {
            let world = World(pace)
            let statuses = Record<AuthorizationStatus>()
            // The person says yes; before the status is read again somebody else has said no.
            world.store.beforeSnapshot { _ in
                let decisions = world.store.decisions
                if !decisions.isEmpty, decisions.allSatisfy({ $0.verdict == .allow }) { world.decide(.deny) }
            }
            try await world.queue.run(Authorize(Microphone()) { statuses.append($1) })
            #expect(world.prompter.questions.count == 1)
            guard case .denied = statuses.all.first else {
                Issue.record("reported \(statuses.all)")
                return
            }
            #expect(statuses.all.count == 1)
        }

        /// Runs a capture twice: how often that asked, and whether both were refused.
        private func questions(_ world: World) async -> (asked: Int, isRefused: Bool) {
            let capture = Capture(Microphone())
            let errors = [await world.queue.add(capture).result.error, await world.queue.add(capture).result.error]
            return (world.prompter.questions.count, errors.allSatisfy { $0 != nil } && capture.frames.count == 0)
        }

        @Test(
            """
            3. AuthorizedFor asks only if the status is notDetermined, or the granted level is too low and may be \
            raised and somebody can be asked. Denied and restricted never ask again.
            """, arguments: Pace.allCases)
        func asksOnlyIfItHelps(_ pace: Pace) async {
            #expect(await questions(World(pace)) == (1, false))

            let low = World(pace)
            low.decide(.allow, .microphone, .meter)
            #expect(await questions(low) == (1, false))
            let nobody = World(pace)
            nobody.decide(.allow, .microphone, .meter)
            nobody.prompter.block(CaptureError(.unavailable, "There is no terminal."))
            #expect(await questions(nobody) == (0, true))
            let final = World(pace)
            final.decide(.allow, .microphone, .meter)
            final.kill(.microphone)
            #expect(await questions(final) == (0, true))

            #expect(await questions(World(pace, answer: .deny)) == (1, true))
            let denied = World(pace)
            denied.decide(.deny)
            #expect(await questions(denied) == (0, true))
            for refusal in Refused.restrictions { #expect(await questions(refusal.world(pace)) == (0, true)) }
        }

        @Test("4. No device: an unavailable error, and no question.", arguments: Pace.allCases)
        func noDevice(_ pace: Pace) async {
            let world = World(pace)
            world.directory.set(.camera, [])
            let operation = Capture(Capability.Camera())
            #expect(await world.queue.add(operation).result.error?.kind == .noDevice)
            #expect(await world.queue.add(Authorize(Capability.Camera())).result.error?.kind == .noDevice)
            // A directory that names another device than the one that was meant has found none.
            world.directory.set(.camera, [.here("usb-other", "Other")])
            world.directory.answersAnything = true
            let other = Capture(Capability.Camera(device: .id(.cam)))
            world.decide(.allow, .camera, .video)
            #expect(await world.queue.add(other).result.error?.kind == .noDevice)
            #expect(world.prompter.questions.isEmpty)
            #expect(operation.executions.count == 0 && other.executions.count == 0)
        }

        @Test(
            "5. A grant of a lower level fails with both levels in the error; a higher one satisfies.",
            arguments: Pace.allCases)
        func levels(_ pace: Pace) async {
            let world = World(pace)
            world.decide(.allow, .microphone, .meter)
            let refusal = await world.refusal(by: SilentCondition(AuthorizedFor(Microphone(.record))))
            #expect(refusal?.message.contains("\"meter\"") == true && refusal?.message.contains("\"record\"") == true)
            world.decide(.allow, .microphone, .record)
            #expect(await world.refusal(by: SilentCondition(AuthorizedFor(Microphone(.meter)))) == nil)
            #expect(await world.gatekeeper.status(of: Microphone(.meter)).meets(.meter))
            #expect(world.prompter.questions.isEmpty)
        }
    }
}
