import Gate
import GateTestKit
import Testing

extension Acceptance {
    /// What a capability or a service of somebody else's says of itself makes no permit.
    @Suite("Bypasses by capabilities")
    struct CapabilityBypassTests {
        typealias Microphone = Capability.Microphone

        /// Says yes to everything.
        struct Liar: DeviceCapability {
            let requirement = DeviceRequest(capability: .microphone, level: .record, device: .any, purpose: "lie")

            func authorizationStatus(in gatekeeper: Gatekeeper) async -> AuthorizationStatus {
                await report(in: gatekeeper).status
            }

            func requestAuthorization(in gatekeeper: Gatekeeper) async throws(CaptureError) {}

            func report(in gatekeeper: Gatekeeper) async -> AuthorizationReport {
                let decision = Decision(
                    verdict: .allow, subject: .recorder(), capability: .microphone, level: .record, device: .any,
                    lifetime: .always, decidedBy: .command, decidedAt: SetClock().now)
                let status = Grant(decision).map { AuthorizationStatus.authorized($0) } ?? .notDetermined()
                return AuthorizationReport(availability: .available, status: status, refusal: nil, isAskable: false)
            }
        }

        @Test("A capability that says it is authorized gets no permit from what it says", arguments: Pace.allCases)
        func liar(_ pace: Pace) async {
            for refused in Refused.allCases {
                let world = refused.world(pace)
                let capture = Capture(Liar())
                #expect(await world.queue.add(capture).result.error != nil)
                world.store.fail(with: nil)
                #expect(capture.executions.count == 0 && world.store.events(.start).isEmpty)
            }
        }

        /// Returns another requirement each time.
        struct Shifting: DeviceCapability {
            let asked = Signal()
            let requirement = 0
            let wishes: [DeviceRequest]
            let name = CapabilityName.microphone
            var requests: [DeviceRequest] {
                asked.raise()
                return [wishes[min(asked.count, wishes.count) - 1]]
            }
        }

        @Test("A capability that wants more later gets a permit for what is allowed then", arguments: Pace.allCases)
        func shifting(_ pace: Pace) async {
            let camera = Capability.Camera().requirement
            let sound = Microphone().requirement
            for after in 1...6 {
                let world = World(pace, answer: .dismissed)
                world.decide(.allow)
                let wishes = Array(repeating: sound, count: after) + [camera]
                let capture = Capture(Shifting(wishes: wishes))
                await world.queue.add(capture).result.ignore()
                // Whatever it got was the microphone, which is allowed.
                #expect(world.store.events(.start).allSatisfy { $0.devices == [.mic] && $0.capability == .microphone })
            }
        }

        @Test("An operation that names no device gets no permit", arguments: Pace.allCases)
        func noDevices(_ pace: Pace) async {
            let world = World(pace)
            let capture = Capture(Capability.All([]))
            #expect(await world.queue.add(capture).result.error?.kind == .usage)
            #expect(capture.executions.count == 0)
        }

        /// A service that keeps its permit for later.
        final class Hoarder: AuthorizedService {
            static let capability = Microphone()
            private let keeper = PermitBypassTests.Keeper()

            init(opening permit: consuming Permit) async throws(CaptureError) {
                keeper.keep(permit.take(.mic))
            }

            func listen(_ frames: Signal) async throws(CaptureError) { _ = try await keeper.redeem(into: frames) }
        }

        @Test("An authorized instance gives no service to whom is refused", arguments: Pace.allCases)
        func instance(_ pace: Pace) async {
            for refused in Refused.allCases {
                let world = refused.world(pace)
                await #expect(throws: CaptureError.self) {
                    try await world.gatekeeper.instance(of: Hoarder.self).service
                }
                world.store.fail(with: nil)
                #expect(world.store.events(.start).isEmpty)
            }
        }

        @Test("An authorized instance that keeps its permit opens nothing with it later", arguments: Pace.allCases)
        func hoarder(_ pace: Pace) async throws {
            let world = World(pace)
            world.decide(.allow)
            let frames = Signal()
            let instance = world.gatekeeper.instance(of: Hoarder.self)
            let service = try await instance.service
            let error = await #expect(throws: CaptureError.self) { try await service.listen(frames) }
            #expect(error?.kind == .notAuthorized && frames.count == 0)
            #expect(world.store.events(.start).isEmpty)
            instance.release()
        }
    }
}
