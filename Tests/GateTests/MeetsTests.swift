import Gate
import Testing

@Suite("What a status meets")
struct MeetsTests {
    static func status(_ level: AccessLevel, _ device: DeviceSelector) -> AuthorizationStatus {
        let decision = Decision(
            verdict: .allow, subject: .recorder(), capability: .microphone, level: level, device: device,
            lifetime: .always, decidedBy: .command, decidedAt: SetClock().now)
        return Grant(decision).map { .authorized($0) } ?? .notDetermined()
    }

    @Test(
        "A grant meets its level and those below, on its device",
        arguments: [
            (status(.record, .any), AccessLevel.record, DeviceSelector.any, true),
            (status(.record, .any), .meter, .any, true), (status(.meter, .any), .record, .any, false),
            (status(.record, .any), .record, .id(.mic), true), (status(.record, .id(.mic)), .record, .id(.mic), true),
            (status(.record, .id(.mic)), .record, .any, true),
            (status(.record, .id(.mic)), .record, .id(.otherMic), false), (.notDetermined(), .meter, .any, false),
            (status(.record, .any), AccessLevel(name: "record", rank: 1), .any, false),
            (status(.record, .any), AccessLevel(name: "meter", rank: 0), .any, false),
        ] as [(AuthorizationStatus, AccessLevel, DeviceSelector, Bool)])
    func meets(_ status: AuthorizationStatus, _ level: AccessLevel, _ device: DeviceSelector, _ expected: Bool) {
        #expect(status.meets(level, on: device) == expected)
        func request(_ name: CapabilityName) -> DeviceRequest {
            DeviceRequest(capability: name, level: level, device: device, purpose: "")
        }
        #expect(status.meets(request(.microphone)) == expected)
        #expect(!status.meets(request(.camera)))
    }
}
