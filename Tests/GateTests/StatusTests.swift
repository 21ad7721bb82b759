import Gate
import Testing

@Suite("Status queries")
struct StatusTests {
    @Test(
        "A status query never asks anybody; its completion gets availability and status once", arguments: Pace.allCases)
    func statusQuery(_ pace: Pace) async throws {
        let world = World(pace)
        let reports = Record<(Availability, AuthorizationStatus)>()
        let query = GetAuthorizationStatus(Capability.Microphone()) { reports.append(($0, $1)) }
        try await world.queue.run(query)
        #expect(await world.gatekeeper.status(of: Capability.Microphone()) == .notDetermined())
        #expect(reports.all.count == 1)
        #expect(reports.all.first?.0 == .available)
        #expect(reports.all.first?.1 == .notDetermined())
        #expect(world.prompter.questions.isEmpty)
    }

    @Test(
        "Authorize asks, then reports the fresh status from the store, never the answer itself",
        arguments: Pace.allCases)
    func authorize(_ pace: Pace) async throws {
        let world = World(pace)
        let statuses = Record<AuthorizationStatus>()
        // The person says yes; before the status is read again somebody else has said no.
        world.store.beforeSnapshot { _ in
            guard !world.store.decisions.isEmpty, world.store.decisions.allSatisfy({ $0.verdict == .allow }) else {
                return
            }
            world.decide(.deny)
        }
        try await world.queue.run(Authorize(Capability.Microphone()) { statuses.append($1) })
        #expect(world.prompter.questions.count == 1)
        guard case .denied = statuses.all.first else {
            Issue.record("reported \(statuses.all)")
            return
        }
        #expect(statuses.all.count == 1)
    }

    @Test("AuthorizedFor asks only where nothing is decided or the level can be raised", arguments: Pace.allCases)
    func asksOnlyIfItHelps(_ pace: Pace) async {
        let open = World(pace)
        _ = await open.queue.add(Capture(Capability.Microphone())).result
        #expect(open.prompter.questions.count == 1)

        let low = World(pace)
        low.decide(.allow, .microphone, .meter)
        #expect(await low.queue.add(Capture(Capability.Microphone())).result.error == nil)
        #expect(low.prompter.questions.count == 1)

        let denied = World(pace)
        denied.decide(.deny)
        #expect(await denied.queue.add(Capture(Capability.Microphone())).result.error?.kind == .notAuthorized)
        #expect(denied.prompter.questions.isEmpty)

        let restricted = World(pace)
        restricted.kill(.microphone)
        #expect(await restricted.queue.add(Capture(Capability.Microphone())).result.error?.kind == .notAuthorized)
        #expect(restricted.prompter.questions.isEmpty)
    }

    @Test("Where nobody can be asked it says so, with the command that helps")
    func nobodyToAsk() async {
        let world = World()
        world.prompter.block(CaptureError(.unavailable, "There is no terminal."))
        let error = await world.queue.add(Capture(Capability.Camera())).result.error?.captureError
        #expect(error?.kind == .notAuthorized)
        #expect(error?.message.contains("There is no terminal.") == true)
        #expect(error?.remedies.first?.command == "capturegate grant camera --to /usr/bin/recorder --once")
        #expect(world.prompter.questions.isEmpty)
    }

    @Test("No device is an unavailable error, and no question", arguments: Pace.allCases)
    func noDevice(_ pace: Pace) async {
        let world = World(pace)
        world.directory.set(.camera, [])
        let operation = Capture(Capability.Camera())
        #expect(await world.queue.add(operation).result.error?.kind == .noDevice)
        #expect(await world.queue.add(Authorize(Capability.Camera())).result.error?.kind == .noDevice)
        // A directory that names another device than the one that was meant has found none.
        world.directory.set(.camera, [.here("usb-other", "Other")])
        world.directory.answersAnything = true
        let other = Capture(Capability.Camera(device: .id(DeviceID(rawValue: "usb-cam"))))
        world.decide(.allow, .camera, .video)
        #expect(await world.queue.add(other).result.error?.kind == .noDevice)
        #expect(world.prompter.questions.isEmpty)
        #expect(operation.executions.count == 0 && other.executions.count == 0)
    }

    @Test("A capture that was refused is one line of the audit log")
    func refusalLine() async {
        let world = World()
        world.decide(.deny)
        _ = await world.queue.add(ComposedOperation(Capture(Capability.Microphone()))).result
        #expect(world.store.events(.refusal).map(\.capability) == [.microphone])
        #expect(
            world.store.events(.refusal).first?.detail.contains("denied on 2023-11-14 22:13 UTC by command") == true)
    }

    @Test(
        "A grant of a lower level fails with both levels in the error; a higher one satisfies", arguments: Pace.allCases
    )
    func levels(_ pace: Pace) async {
        let world = World(pace)
        world.decide(.allow, .microphone, .meter)
        let silent = BlockOperation { _ in }.adding(SilentCondition(AuthorizedFor(Capability.Microphone(.record))))
        let error = await world.queue.add(silent).result.error
        guard case .refused(let refusal) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.message.contains("\"meter\"") && refusal.message.contains("\"record\""))
        world.decide(.allow, .microphone, .record)
        let lower = BlockOperation { _ in }.adding(SilentCondition(AuthorizedFor(Capability.Microphone(.meter))))
        #expect(await world.queue.add(lower).result.error == nil)
        #expect(await world.gatekeeper.status(of: Capability.Microphone(.meter)).meets(.meter))
        #expect(world.prompter.questions.isEmpty)
    }

    @Test("Node permissions that refuse this user are restricted; absent and busy are availability")
    func availabilityIsNotAuthorization() async {
        let world = World()
        let cause = Restriction(
            cause: .nodePermissions(node: "/dev/video0"), reason: "You are not in the group video.", remedies: [])
        let camera = DeviceDescription(id: DeviceID(rawValue: "usb-cam"), name: "HD Webcam")
        world.directory.set(.camera, [DeviceResolution(device: camera, availability: .available, restriction: cause)])
        #expect(await world.gatekeeper.status(of: Capability.Camera()) == .restricted(cause))
        let refusal = await world.queue.add(Capture(Capability.Camera())).result.error?.captureError
        #expect(refusal?.message == "You are not in the group video." && refusal?.exitCode == 77)

        let holder = DeviceHolder(processID: 7, command: "obs")
        world.directory.set(.camera, [DeviceResolution(device: camera, availability: .busy(holder))])
        world.decide(.allow, .camera, .video)
        #expect(await world.gatekeeper.status(of: Capability.Camera()).isAuthorized)
        #expect(await world.gatekeeper.availability(of: Capability.Camera()) == .busy(holder))
        let busy = Capture(Capability.Camera())
        let error = await world.queue.add(busy).result.error?.captureError
        #expect(error?.kind == .busy && error?.message.contains("obs (process 7)") == true)
        #expect(busy.executions.count == 0)

        world.directory.set(.camera, [])
        #expect(await world.gatekeeper.status(of: Capability.Camera()).isAuthorized)
        guard case .absent = await world.gatekeeper.availability(of: Capability.Camera()) else {
            Issue.record("not absent")
            return
        }
    }
}

extension ConditionedOperation {
    func adding(_ condition: some OperationCondition) -> Self {
        var copy = self
        copy.addCondition(condition)
        return copy
    }
}
