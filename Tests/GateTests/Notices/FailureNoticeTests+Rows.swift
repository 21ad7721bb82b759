import Gate
import GateTestKit

extension FailureNoticeTests {
    static func restricted(_ cause: Restriction.Cause, _ reason: String, _ remedy: Remedy) -> Restriction {
        Restriction(cause: cause, reason: reason, remedies: [remedy])
    }

    /// What the administrator, the person and the machine can have against it.
    static let rows: [Row] = restrictions + answers + availabilities

    static let restrictions: [Row] = [
        Row(
            "policy and its file", .notAuthorized,
            "Not here (/etc/a.yaml, line 3).\n  Ask the administrator to change the rule at line 3 of /etc/a.yaml."
        ) { world in
            let origin = PolicyOrigin(file: "/etc/a.yaml", line: 3)
            let remedy = Remedy("Ask the administrator to change the rule at line 3 of /etc/a.yaml.")
            world.policy.set { _ in .deny(restricted(.policy(origin), "Not here (/etc/a.yaml, line 3).", remedy)) }
        },
        Row(
            "a policy that can't be read", .configuration, "Line 3 is torn.\n  Correct it."
        ) {
            let remedy = Remedy("Correct it.", .checkPolicy)
            $0.policy.set { _ in .deny(restricted(.policyUnreadable(file: "/etc/a.yaml"), "Line 3 is torn.", remedy)) }
        },
        Row(
            "kill switch", .notAuthorized,
            "All microphone capture is switched off for this user.\n  Switch it on again."
        ) { $0.kill(.microphone) },
        Row(
            "node permission: which group", .notAuthorized,
            "/dev/snd refuses this user.\n  Join the group audio: sudo usermod -aG audio ada"
        ) {
            let remedy = Remedy("Join the group audio.", command: "sudo usermod -aG audio ada")
            let cause = Restriction.Cause.nodePermissions(node: "/dev/snd")
            $0.directory.set(
                .microphone, [.restricted("usb-mic", restricted(cause, "/dev/snd refuses this user.", remedy))])
        },
        Row(
            "node permission: log in at the seat", .notAuthorized,
            "/dev/snd refuses this user.\n  Log in at the machine's own seat."
        ) {
            let remedy = Remedy("Log in at the machine's own seat.")
            let cause = Restriction.Cause.nodePermissions(node: "/dev/snd")
            $0.directory.set(
                .microphone, [.restricted("usb-mic", restricted(cause, "/dev/snd refuses this user.", remedy))])
        },
        Row(
            "a store that can't be read", .store,
            "The permissions can't be read, so nothing is allowed: It is torn.\n  Check the permission database."
        ) { $0.store.fail(with: CaptureError(.store, "It is torn.")) },
        Row(
            "a store that knows what to do", .store,
            "The permissions can't be read, so nothing is allowed: It is open to all.\n  Close it: chmod 600 x"
        ) {
            let remedy = Remedy("Close it.", command: "chmod 600 x")
            $0.store.fail(with: CaptureError(.store, "It is open to all.", remedies: [remedy]))
        },
    ]

    static let answers: [Row] = [
        Row(
            "denied on a date", .notAuthorized,
            "\(thing): denied on 2023-11-14 22:13 UTC by a command.\n  Allow it."
        ) { $0.decide(.deny) },
        Row(
            "denied for this device", .notAuthorized,
            "\(thing): denied on 2023-11-14 22:13 UTC by a command.\n  Allow it."
        ) { $0.decide(.deny, device: .id(.mic)) },
        Row(
            "nobody can be asked", .notAuthorized,
            "/usr/bin/recorder needs permission to use the microphone \"Desk Mic\" (usb-mic). There is no terminal.\(ways)"
                + "\n  Open one."
        ) { $0.prompter.block(CaptureError(.unavailable, "There is no terminal.", remedies: [Remedy("Open one.")])) },
        Row(
            "too low, and nobody can be asked", .notAuthorized,
            "/usr/bin/recorder may use the microphone \"Desk Mic\" (usb-mic) only at the level \"meter\". It needs \"record\". "
                + "There is no terminal.\(ways)"
        ) {
            $0.decide(.allow, .microphone, .meter)
            $0.prompter.block(CaptureError(.unavailable, "There is no terminal."))
        },
        Row(
            "an executable that changed, and nobody can be asked", .notAuthorized,
            "/usr/bin/recorder has changed since it was allowed to use the microphone \"Desk Mic\" (usb-mic) on "
                + "2023-11-14 22:13 UTC. It needs a new permission. There is no terminal.\(ways)"
        ) {
            $0.decide(.allow, about: .recorder(sha256: "before"))
            $0.prompter.block(CaptureError(.unavailable, "There is no terminal."))
        },
        Row(
            "dismissed", .dismissed,
            "The question was dismissed. Nothing was stored or captured.\(ways)"
        ) { $0.prompter.reply(.dismissed) },
        Row(
            "not answered in time", .dismissed,
            "Nobody answered the question in time. Nothing was stored or captured.\(ways)"
        ) { $0.prompter.reply(.timedOut) },
        Row(
            "a prompter that failed", .dismissed,
            "The question could not be asked: It hung up. Nothing was stored or captured.\(ways)\n  "
                + "Call again."
        ) { $0.prompter.reply(.failed(CaptureError(.unavailable, "It hung up.", remedies: [Remedy("Call again.")]))) },
    ]

    static let availabilities: [Row] = [
        Row(
            "no device", .noDevice,
            "No microphone was found: any\n  List the devices."
        ) { $0.directory.set(.microphone, []) },
        Row(
            "busy: pid and command of the holder", .busy,
            "The microphone \"Desk Mic\" (usb-mic) is in use by obs (process 7).\n  Close obs, then try again: kill 7"
        ) {
            $0.decide(.allow)
            let holder = DeviceHolder(processID: 7, command: "obs")
            $0.directory.set(.microphone, [.here("usb-mic", "Desk Mic", .busy(holder))])
        },
        Row(
            "busy, and the holder is hidden", .busy,
            "The microphone \"Desk Mic\" (usb-mic) is in use by a process that you can't see, such as another user's.\n  "
                + "Let root find the process, then close it."
        ) {
            $0.decide(.allow)
            $0.directory.set(.microphone, [.here("usb-mic", "Desk Mic", .busy(nil))])
        },
    ]
}
