import Gate

/// Subjects, decisions and events for tests.
enum Samples {
    static let bootID = "6f0e1f3e-0000-4000-8000-000000000001"

    static func instant(_ seconds: Int64 = 1_800_000_000, boot: String = bootID) -> GateInstant {
        GateInstant(wallNanoseconds: seconds * 1_000_000_000, bootNanoseconds: 5_000_000_000, bootID: boot)
    }

    static let session = LoginSession(leader: 4711, startTicks: .max, bootID: bootID)

    static func subject(
        path: String = "/usr/bin/memo", uid: UInt32 = 1000, groups: [UInt32] = [1000, 44],
        application: ApplicationID? = nil, stamp: String? = nil
    ) -> Subject {
        Subject(
            userID: uid, groupIDs: groups,
            executable: Executable(
                path: path, inode: .max - 1, sha256: String(repeating: "ab", count: 32), stamp: stamp),
            application: application, session: session)
    }

    static func decision(
        _ verdict: Decision.Verdict = .allow, subject: Subject = subject(), _ capability: CapabilityName = .microphone,
        level: AccessLevel = .record, device: DeviceSelector = .any, lifetime: Lifetime = .always,
        by decider: Decider = .command
    ) -> Decision {
        Decision(
            verdict: verdict, subject: subject, capability: capability, level: level, device: device,
            lifetime: lifetime, decidedBy: decider, decidedAt: instant())
    }

    static func event(
        _ kind: AuditEvent.Kind = .decision, at instant: GateInstant = instant(), _ detail: String = "for a test"
    ) -> AuditEvent {
        AuditEvent(kind, at: instant, subject: subject(), capability: .microphone, level: .record, detail: detail)
    }
}
