import CaptureGate
import Gate
import GateTestKit
import Testing

@Suite("Services beside a broker")
struct BrokerServiceTests {
    /// Always at the same place.
    private struct Service: LocationService {
        let description = DeviceDescription(id: "location:test", name: "Test service")

        func state(for accuracy: LocationAccuracy) async -> ServiceState { .available }
        func ask(for accuracy: LocationAccuracy) async -> ServiceAnswer { .allowed }

        func position(
            _ accuracy: LocationAccuracy, within limit: Duration
        ) async throws(CaptureError) -> GeographicPosition {
            guard let position = GeographicPosition(latitude: 1, longitude: 2, accuracy: 3) else {
                throw CaptureError(.unavailable, "nowhere")
            }
            return position
        }
    }

    @Test("A person is asked about a service, also where the broker decides", arguments: Opener.allCases)
    func asked(_ opener: Opener) async throws {
        let gate = try GateFixture(answers: [.allow(.always), .deny], opener)
        let location = Capability.Location(.city, purpose: "Find the weather", by: Service())
        try await gate.queue.run(Authorize(location))
        #expect(try await location.position(in: gate.gatekeeper).latitude == 1)
        let item = try #require(gate.prompter.questions.first?.items.first)
        #expect(item.request.purpose == "Find the weather" && item.request.level == LocationAccuracy.city.level)
        #expect(item.device.id == "location:test")
        // For a higher level the person is asked again; a denial counts.
        let exact = Capability.Location(.exact, purpose: "Find the way", by: Service())
        try await gate.queue.run(Authorize(exact))
        #expect(gate.prompter.questions.count == 2)
        guard case .denied = await exact.authorizationStatus(in: gate.gatekeeper) else {
            Issue.record("The no was not stored.")
            return
        }
        await #expect(throws: CaptureError.self) { try await exact.position(in: gate.gatekeeper) }
    }

    @Test("A grant for once of a service is used up by its first use", arguments: Opener.allCases)
    func once(_ opener: Opener) async throws {
        let gate = try GateFixture(opener)
        let location = Capability.Location(.city, purpose: "Test", by: Service())
        let now = SystemGateClock().now
        let decision = Decision(
            verdict: .allow, subject: try gate.gatekeeper.subject.get(), capability: .location,
            level: LocationAccuracy.city.level, device: .any, lifetime: .once, decidedBy: .command, decidedAt: now)
        _ = try gate.otherStore().record(
            [decision], audit: AuditEvent(.decision, at: now, subject: nil, detail: "by a test"))
        #expect(try await location.position(in: gate.gatekeeper).latitude == 1)
        await #expect(throws: CaptureError.self) { try await location.position(in: gate.gatekeeper) }
    }
}
