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

    static func decision(_ verdict: Decision.Verdict, _ level: AccessLevel, by decider: Decider = .command) -> Decision
    {
        Decision(
            id: 1, verdict: verdict, subject: .recorder(), capability: .microphone, level: level, device: .any,
            lifetime: .always, decidedBy: decider,
            decidedAt: GateInstant(wallNanoseconds: 1_700_000_000_000_000_000, bootNanoseconds: 0, bootID: ""))
    }

    @Test(
        "The command is exact: program, device and level as they were refused, quoted for a shell",
        arguments: [
            (notice(), "capturegate grant microphone --to /usr/bin/recorder"),
            (notice(path: "/usr/bin/capturegate"), "capturegate grant microphone"),
            (notice(path: "capturegate"), "capturegate grant microphone"),
            (notice(path: "/opt/my app/rec"), "capturegate grant microphone --to '/opt/my app/rec'"),
            (notice(.meter), "capturegate grant microphone --to /usr/bin/recorder --level meter"),
            (notice(.still), "capturegate grant camera --to /usr/bin/recorder --level still"),
            (notice(.video), "capturegate grant camera --to /usr/bin/recorder"),
            (
                notice(device: .id(mic.id)),
                "capturegate grant microphone --to /usr/bin/recorder --device 'usb mic'\\''s'"
            ),
        ])
    func command(_ notice: RefusalNotice, _ expected: String) {
        #expect(notice.command("grant") == expected)
        #expect(notice.grantRemedies.map(\.command) == [expected + " --once", expected + " --always"])
    }

    @Test("Each refusal has its kind, its reason and its remedy")
    func table() {
        let notice = Self.notice()
        let origin = PolicyOrigin(file: "/etc/capturegate/policy.d/a.yaml", line: 7)
        func restricted(_ cause: Restriction.Cause) -> AuthorizationStatus {
            let remedy = Remedy("Do it.", command: "do it")
            return .restricted(Restriction(cause: cause, reason: "Because.", remedies: [remedy]))
        }
        let rows: [(AuthorizationStatus, CaptureError.Kind, Int32, String, String)] = [
            (restricted(.policy(origin)), .notAuthorized, 77, "Because.", "do it"),
            (restricted(.policyUnreadable(file: "a")), .configuration, 78, "Because.", "do it"),
            (restricted(.killSwitch), .notAuthorized, 77, "Because.", "do it"),
            (restricted(.nodePermissions(node: "/dev/snd")), .notAuthorized, 77, "Because.", "do it"),
            (restricted(.store), .store, 78, "Because.", "do it"),
            (restricted(.unknownSubject), .notAuthorized, 77, "Because.", "do it"),
            (
                .denied(Self.decision(.deny, .record, by: .person(prompter: "terminal"))), .notAuthorized, 77,
                "/usr/bin/recorder may not use the microphone Desk Mic (usb mic's): denied on 2023-11-14 22:13 UTC by "
                    + "a person (terminal).", "capturegate grant microphone --to /usr/bin/recorder --always"
            ),
            (
                .notDetermined(), .notAuthorized, 77,
                "Nobody has allowed /usr/bin/recorder to use the microphone Desk Mic (usb mic's) yet.",
                "capturegate grant microphone --to /usr/bin/recorder --once"
            ),
            (
                .notDetermined(previous: Grant(Self.decision(.allow, .record))), .notAuthorized, 77,
                "/usr/bin/recorder is not the program that was allowed to use the microphone Desk Mic (usb mic's) on "
                    + "2023-11-14 22:13 UTC: its file has changed since.",
                "capturegate grant microphone --to /usr/bin/recorder --once"
            ),
        ]
        for (status, kind, exit, message, command) in rows {
            let error = notice.refusal(of: status)
            #expect(error?.kind == kind && error?.exitCode == exit)
            #expect(error?.message == message)
            #expect(error?.remedies.first?.command == command)
        }
        // A yes to any device would not lift a no that names one.
        let exact = Decision(
            id: 2, verdict: .deny, subject: .recorder(), capability: .microphone, level: .record,
            device: .id(DeviceID(rawValue: "usb-mic")), lifetime: .always, decidedBy: .command,
            decidedAt: Self.decision(.deny, .record).decidedAt)
        #expect(
            notice.refusal(of: .denied(exact))?.remedies.first?.command
                == "capturegate grant microphone --to /usr/bin/recorder --device usb-mic --always")
        let low = Grant(Self.decision(.allow, .meter)).map { AuthorizationStatus.authorized($0) }
        #expect(low.flatMap(notice.refusal)?.message.contains("for \"meter\" only, and \"record\" is needed") == true)
        #expect(Grant(Self.decision(.allow, .record)).map { notice.refusal(of: .authorized($0)) } == .some(nil))
    }

    @Test("Absent and busy say what is missing and who holds it")
    func availability() {
        let notice = Self.notice()
        #expect(notice.absence(.available) == nil && notice.busyError(.available) == nil)
        #expect(notice.absence(.absent("usb-1"))?.exitCode == 66)
        #expect(notice.absence(.absent("usb-1"))?.remedies.first?.command == "capturegate devices")
        let busy = notice.busyError(.busy(DeviceHolder(processID: 42, command: "ffmpeg")))
        #expect(busy?.exitCode == 75)
        #expect(busy?.message == "The microphone Desk Mic (usb mic's) is in use by ffmpeg (process 42).")
        #expect(notice.busyError(.busy(nil))?.message.contains("can't be seen") == true)
        #expect(notice.absence(.busy(nil)) == nil)
    }
}
