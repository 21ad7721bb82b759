import Testing

@testable import Gate

@Suite("Refusals")
struct RefusalTests {
    static let mic = DeviceDescription(id: DeviceID(rawValue: "usb mic's"), name: "Desk Mic")

    static func notice(
        _ level: AccessLevel = .record, device: DeviceSelector = .any, path: String = "/usr/bin/recorder"
    ) -> RefusalNotice {
        let name: CapabilityName = [.still, .video].contains(level) ? .camera : .microphone
        return RefusalNotice(
            subject: .success(.recorder(path: path)), capability: name,
            request: DeviceRequest(capability: name, level: level, device: device, purpose: "memo"), device: mic)
    }

    static func permission(device: String? = nil, isOnce: Bool = false) -> Remedy.Permission {
        Remedy.Permission("microphone", to: "/usr/bin/recorder", device: device, level: "record", isOnce: isOnce)
    }

    static func decision(_ verdict: Decision.Verdict, _ level: AccessLevel, by decider: Decider = .command) -> Decision
    {
        Decision(
            id: 1, verdict: verdict, subject: .recorder(), capability: .microphone, level: level, device: .any,
            lifetime: .always, decidedBy: decider,
            decidedAt: GateInstant(wallNanoseconds: 1_700_000_000_000_000_000, bootNanoseconds: 0, bootID: ""))
    }

    @Test(
        "The permission to give is exact: program, device and level as they were refused",
        arguments: [
            (notice(), "microphone", "/usr/bin/recorder", nil, "record"),
            (notice(path: "/opt/my app/rec"), "microphone", "/opt/my app/rec", nil, "record"),
            (notice(.meter), "microphone", "/usr/bin/recorder", nil, "meter"),
            (notice(.still), "camera", "/usr/bin/recorder", nil, "still"),
            (notice(device: .id(mic.id)), "microphone", "/usr/bin/recorder", "usb mic's", "record"),
        ] as [(RefusalNotice, String, String, String?, String)])
    func permission(
        _ notice: RefusalNotice, _ capability: String, _ program: String, _ device: String?, _ level: String
    ) {
        let permissions = [true, false].map {
            Remedy.Permission(capability, to: program, device: device, level: level, isOnce: $0)
        }
        #expect(notice.grantRemedies.map(\.action) == permissions.map { .grant($0) })
    }

    @Test("Each refusal has its kind, its reason and its remedy")
    func table() {
        let notice = Self.notice()
        let origin = PolicyOrigin(file: "/etc/capturegate/policy.d/a.yaml", line: 7)
        func restricted(_ cause: Restriction.Cause) -> AuthorizationStatus {
            let remedy = Remedy("Do it.", .showStatus)
            return .restricted(Restriction(cause: cause, reason: "Because.", remedies: [remedy]))
        }
        let rows: [(AuthorizationStatus, CaptureError.Kind, String, Remedy.Action)] = [
            (restricted(.policy(origin)), .notAuthorized, "Because.", .showStatus),
            (restricted(.policyUnreadable(file: "a")), .configuration, "Because.", .showStatus),
            (restricted(.killSwitch), .notAuthorized, "Because.", .showStatus),
            (restricted(.nodePermissions(node: "/dev/snd")), .notAuthorized, "Because.", .showStatus),
            (restricted(.store), .store, "Because.", .showStatus),
            (restricted(.unknownSubject), .notAuthorized, "Because.", .showStatus),
            (
                .denied(Self.decision(.deny, .record, by: .person(prompter: "terminal"))), .notAuthorized,
                "/usr/bin/recorder may not use the microphone \"Desk Mic\" (usb mic's): denied on 2023-11-14 22:13 UTC by "
                    + "a person (terminal).", .grant(Self.permission())
            ),
            (
                .notDetermined(), .notAuthorized,
                "/usr/bin/recorder needs permission to use the microphone \"Desk Mic\" (usb mic's).",
                .grant(Self.permission(isOnce: true))
            ),
            (
                .notDetermined(previous: Grant(Self.decision(.allow, .record))), .notAuthorized,
                "/usr/bin/recorder has changed since it was allowed to use the microphone \"Desk Mic\" (usb mic's) on "
                    + "2023-11-14 22:13 UTC. It needs a new permission.",
                .grant(Self.permission(isOnce: true))
            ),
        ]
        for (status, kind, message, action) in rows {
            let error = notice.refusal(of: status)
            #expect(error?.kind == kind)
            #expect(error?.message == message)
            #expect(error?.remedies.first?.action == action)
        }
        // A yes to any device would not lift a no that names one.
        let exact = Decision(
            id: 2, verdict: .deny, subject: .recorder(), capability: .microphone, level: .record,
            device: .id(DeviceID(rawValue: "usb-mic")), lifetime: .always, decidedBy: .command,
            decidedAt: Self.decision(.deny, .record).decidedAt)
        #expect(
            notice.refusal(of: .denied(exact))?.remedies.first?.action == .grant(Self.permission(device: "usb-mic")))
        let low = Grant(Self.decision(.allow, .meter)).map { AuthorizationStatus.authorized($0) }
        #expect(
            low.flatMap(notice.refusal)?.message.contains("only at the level \"meter\". It needs \"record\"") == true)
        #expect(Grant(Self.decision(.allow, .record)).map { notice.refusal(of: .authorized($0)) } == .some(nil))
    }

    @Test("Absent and busy say what is missing and who holds it")
    func availability() {
        let notice = Self.notice()
        #expect(notice.absence(.available) == nil && notice.busyError(.available) == nil)
        #expect(notice.absence(.absent("usb-1"))?.kind == .noDevice)
        #expect(notice.absence(.absent("usb-1"))?.remedies.first?.action == .listDevices)
        let busy = notice.busyError(.busy(DeviceHolder(processID: 42, command: "ffmpeg")))
        #expect(busy?.kind == .busy)
        #expect(busy?.message == "The microphone \"Desk Mic\" (usb mic's) is in use by ffmpeg (process 42).")
        #expect(notice.busyError(.busy(nil))?.message.contains("can't see") == true)
        #expect(notice.absence(.busy(nil)) == nil)
    }
}
