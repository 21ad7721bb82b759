import Gate
import GateTestKit
import Testing

@Suite("Capabilities that services give")
struct ServiceCapabilityTests {
    /// A location service whose state and answers a test sets.
    final class Service: LocationService {
        struct State {
            var state = ServiceState.available
            var answer = ServiceAnswer.allowed
            var position: Result<GeographicPosition, CaptureError> = .failure(CaptureError(.unavailable, "unknown"))
        }

        let description = DeviceDescription(id: "location:test", name: "Test service")
        /// Raised each time it is asked for its own permission.
        let asked = Signal()
        /// Rises with each position.
        let used = Signal()
        private let inner = Locked(State())

        init(_ change: (inout State) -> Void = { _ in }) { set(change) }

        func set(_ change: (inout State) -> Void) { inner.withLock { change(&$0) } }

        func state(for accuracy: LocationAccuracy) async -> ServiceState { inner.withLock { $0.state } }

        func ask(for accuracy: LocationAccuracy) async -> ServiceAnswer {
            asked.raise()
            return inner.withLock { $0.answer }
        }

        func position(
            _ accuracy: LocationAccuracy, within limit: Duration
        ) async throws(CaptureError) -> GeographicPosition {
            used.raise()
            return try inner.withLock { $0.position }.get()
        }
    }

    private static let berlin = GeographicPosition(latitude: 52.5, longitude: 13.25, accuracy: 250)
    private static let refusal = CaptureError(.notAuthorized, "The agent says no.")

    private func city(_ service: Service) -> Capability.Location {
        Capability.Location(.city, purpose: "Name the place", by: service)
    }

    @Test("The gate asks first, then the service, and the answer of the person is stored", arguments: Pace.allCases)
    func allowed(_ pace: Pace) async throws {
        let (world, service) = (World(pace), Service())
        #expect(await world.refusal(by: AuthorizedFor(city(service))) == nil)
        #expect(world.prompter.questions.count == 1 && service.asked.count == 1)
        let item = try #require(world.prompter.questions.first?.items.first)
        #expect(item.request.capability == .location && item.request.level == LocationAccuracy.city.level)
        #expect(item.device == service.description)
        let decision = try #require(try world.store.snapshot().decisions.first)
        #expect(decision.capability == .location && decision.verdict == .allow)
        // Both have answered, so neither is asked again.
        #expect(await world.refusal(by: AuthorizedFor(city(service))) == nil)
        #expect(world.prompter.questions.count == 1 && service.asked.count == 1)
    }

    @Test("A status asks neither the person nor the service")
    func status() async {
        let (world, service) = (World(), Service())
        #expect(await world.gatekeeper.status(of: city(service)) == .notDetermined())
        world.decide(.allow, .location, LocationAccuracy.exact.level)
        #expect(await world.gatekeeper.status(of: city(service)).isAuthorized)
        #expect(await world.refusal(by: SilentCondition(AuthorizedFor(city(service)))) == nil)
        #expect(world.prompter.questions.isEmpty && service.asked.count == 0 && service.used.count == 0)
    }

    @Test("A person's no ends it: the service is not asked")
    func denied() async {
        let (world, service) = (World(answer: .deny), Service())
        #expect(await world.refusal(by: AuthorizedFor(city(service)))?.kind == .notAuthorized)
        #expect(service.asked.count == 0)
    }

    @Test("A question that nobody answers grants nothing", arguments: [Answer.dismissed, .timedOut])
    func unanswered(_ answer: Answer) async throws {
        let (world, service) = (World(answer: answer), Service())
        #expect(await world.refusal(by: AuthorizedFor(city(service))) != nil)
        #expect(try world.store.snapshot().decisions.isEmpty && service.asked.count == 0)
    }

    @Test("The service's no is a denial with its reason, which is not stored")
    func refused() async throws {
        let (world, service) = (World(), Service { $0.answer = .refused(Self.refusal) })
        #expect(await world.refusal(by: AuthorizedFor(city(service)))?.message == "The agent says no.")
        guard case .denied(let decision) = await world.gatekeeper.status(of: city(service)) else {
            Issue.record("not denied")
            return
        }
        #expect(decision.decidedBy == .system)
        #expect(try world.store.snapshot().decisions.allSatisfy { $0.verdict == .allow })
        // Neither is asked again; but a caller that asks on purpose may find that the person has changed it there.
        #expect(await world.refusal(by: AuthorizedFor(city(service))) != nil)
        #expect(service.asked.count == 1)
        service.set { $0.answer = .allowed }
        #expect(await world.gatekeeper.requestAccess(for: city(service)).isAuthorized)
        #expect(service.asked.count == 2)
    }

    @Test("No answer of the service is no permission, and it is asked again")
    func failed() async {
        let silence = CaptureError(.timedOut, "It does not answer.")
        let (world, service) = (World(), Service { $0.answer = .failed(silence) })
        #expect(await world.refusal(by: AuthorizedFor(city(service)))?.message == "It does not answer.")
        #expect(await world.gatekeeper.status(of: city(service)) == .notDetermined())
        service.set { $0.answer = .allowed }
        #expect(await world.refusal(by: AuthorizedFor(city(service))) == nil)
        #expect(world.prompter.questions.count == 1 && service.asked.count == 2)
    }

    @Test("Nobody is asked for a service that is not there, or is closed to this user")
    func absent() async {
        let error = CaptureError(.unavailable, "There is no such service.")
        let (world, service) = (World(), Service { $0.state = .absent(error) })
        #expect(await world.refusal(by: AuthorizedFor(city(service))) == error)
        #expect(await world.gatekeeper.availability(of: city(service)) == .absent("Test service"))
        let restriction = Restriction(cause: .nodePermissions(node: "bus"), reason: "Closed.", remedies: [])
        service.set { $0.state = .restricted(restriction) }
        #expect(await world.gatekeeper.status(of: city(service)) == .restricted(restriction))
        #expect(await world.refusal(by: AuthorizedFor(city(service)))?.message == "Closed.")
        #expect(world.prompter.questions.isEmpty && service.asked.count == 0)
    }

    @Test("Only who is allowed gets the position, and the log has each use")
    func position() async throws {
        let berlin = try #require(Self.berlin)
        let (world, service) = (World(), Service { $0.position = .success(berlin) })
        await #expect(throws: CaptureError.self) { try await city(service).position(in: world.gatekeeper) }
        #expect(service.used.count == 0)
        world.decide(.allow, .location, LocationAccuracy.city.level)
        #expect(try await city(service).position(in: world.gatekeeper) == berlin)
        #expect(world.store.events.map(\.kind).suffix(2) == [.start, .stop])
        let street = Capability.Location(.street, purpose: "Test", by: service)
        await #expect(throws: CaptureError.self) { try await street.position(in: world.gatekeeper) }
        #expect(service.used.count == 1)
    }

    @Test("A grant for once gives one position")
    func once() async throws {
        let berlin = try #require(Self.berlin)
        let (world, service) = (World(answer: .allow(.once)), Service { $0.position = .success(berlin) })
        #expect(await world.refusal(by: AuthorizedFor(city(service))) == nil)
        #expect(try await city(service).position(in: world.gatekeeper) == berlin)
        await #expect(throws: CaptureError.self) { try await city(service).position(in: world.gatekeeper) }
        #expect(service.used.count == 1)
    }

    @Test("Nothing is given that the store can't take")
    func fullStore() async throws {
        let berlin = try #require(Self.berlin)
        let (world, service) = (World(), Service { $0.position = .success(berlin) })
        world.decide(.allow, .location, LocationAccuracy.city.level)
        world.store.fail(with: CaptureError(.store, "The disk is full."))
        await #expect(throws: CaptureError.self) { try await city(service).position(in: world.gatekeeper) }
        #expect(service.used.count == 0)
    }

    @Test("A no of the service at the use is one from then on")
    func refusedInUse() async throws {
        let (world, service) = (World(), Service { $0.position = .failure(Self.refusal) })
        world.decide(.allow, .location, LocationAccuracy.city.level)
        await #expect(throws: CaptureError.self) { try await city(service).position(in: world.gatekeeper) }
        #expect(await world.gatekeeper.report(on: city(service)).refusal?.message == "The agent says no.")
    }

    @Test("Kill switch and policy go before a grant")
    func switchedOff() async {
        let (world, service) = (World(), Service())
        world.decide(.allow, .location, LocationAccuracy.city.level)
        world.kill(.location)
        guard case .restricted = await world.gatekeeper.status(of: city(service)) else {
            Issue.record("not restricted")
            return
        }
        world.kill(.location, on: false)
        let deny = Restriction(cause: .policy(PolicyOrigin(file: "x", line: 1)), reason: "No.", remedies: [])
        world.policy.set { $0.capability == .location ? .deny(deny) : .ask }
        #expect(await world.gatekeeper.status(of: city(service)) == .restricted(deny))
    }

    @Test("A level of a false rank is none")
    func falseLevel() async {
        let (world, service) = (World(), Service())
        world.decide(.allow, .location, AccessLevel(name: "country", rank: 9))
        #expect(await world.gatekeeper.status(of: city(service)) == .notDetermined())
    }

    @Test(
        "Numbers that are no place on the earth are no position",
        arguments: [(91, 0, 1), (0, 181, 1), (.nan, 0, 1), (0, 0, -1), (0, 0, .infinity)])
    func nowhere(latitude: Double, longitude: Double, accuracy: Double) {
        #expect(GeographicPosition(latitude: latitude, longitude: longitude, accuracy: accuracy) == nil)
    }
}

@Suite("Pictures")
struct PhotosCapabilityTests {
    /// A library with the test's directory; for `nil`, one has to be chosen.
    final class Library: PicturesLibrary {
        private let path = Locked<String?>(nil)
        let asked = Signal()

        init(_ path: String?) { set(path) }

        func set(_ new: String?) { path.withLock { $0 = new } }

        func find(for access: PhotosAccess) async -> PicturesFinding {
            let path = path.withLock { $0 }
            let id = DeviceID(rawValue: "photos:\(path ?? "chosen")")
            return PicturesFinding(DeviceDescription(id: id, name: path ?? "to be chosen"), .available, path: path)
        }

        func ask(for access: PhotosAccess) async -> ServiceAnswer {
            asked.raise()
            return .allowed
        }

        func chosenFolder(for access: PhotosAccess) async throws(CaptureError) -> String {
            guard asked.count > 0 else { throw CaptureError(.unavailable, "Nobody has chosen one.") }
            return "/chosen"
        }
    }

    private func photos(_ access: PhotosAccess, _ library: Library) -> Capability.Photos {
        Capability.Photos(access, purpose: "Keep a still", in: library)
    }

    @Test("Only who is allowed gets the folder's path")
    func folder() async throws {
        let (world, library) = (World(), Library("/pictures"))
        await #expect(throws: CaptureError.self) { try await photos(.read, library).folder(in: world.gatekeeper) }
        #expect(await world.refusal(by: AuthorizedFor(photos(.read, library))) == nil)
        #expect(try await photos(.read, library).folder(in: world.gatekeeper) == "/pictures")
        await #expect(throws: CaptureError.self) { try await photos(.write, library).folder(in: world.gatekeeper) }
        #expect(library.asked.count == 0)
    }

    @Test("A permission to write is one to read, and asks for more where it is less")
    func levels() async {
        let (world, library) = (World(), Library("/pictures"))
        #expect(await world.refusal(by: AuthorizedFor(photos(.read, library))) == nil)
        #expect(await world.refusal(by: AuthorizedFor(photos(.write, library))) == nil)
        #expect(await world.refusal(by: AuthorizedFor(photos(.read, library))) == nil)
        #expect(world.prompter.questions.count == 2)
    }

    @Test("A folder that the settings name later is asked for anew")
    func renamed() async {
        let (world, library) = (World(), Library("/pictures"))
        #expect(await world.refusal(by: AuthorizedFor(photos(.read, library))) == nil)
        library.set("/home")
        #expect(await world.gatekeeper.status(of: photos(.read, library)) == .notDetermined())
        await #expect(throws: CaptureError.self) { try await photos(.read, library).folder(in: world.gatekeeper) }
    }

    @Test("A folder that has to be chosen is chosen after the person's yes")
    func chosen() async throws {
        let (world, library) = (World(), Library(nil))
        #expect(await world.refusal(by: AuthorizedFor(photos(.write, library))) == nil)
        #expect(world.prompter.questions.count == 1 && library.asked.count == 1)
        #expect(try await photos(.write, library).folder(in: world.gatekeeper) == "/chosen")
        let other = Library(nil)
        world.decide(.allow, .photos, PhotosAccess.write.level)
        await #expect(throws: CaptureError.self) { try await photos(.write, other).folder(in: world.gatekeeper) }
    }
}

@Suite("Remote notifications")
struct RemoteNotificationTests {
    struct Registrar: PushRegistrar {
        let result: Result<PushEndpoint, CaptureError>
        func register() async -> Result<PushEndpoint, CaptureError> { result }
    }

    @Test("An endpoint satisfies, and is told before the operation executes")
    func endpoint() async {
        let (world, endpoints) = (World(), Record<PushEndpoint>())
        let endpoint = PushEndpoint(url: "https://push.example.org/1", distributor: "test")
        let condition = RemoteNotificationCondition(by: Registrar(result: .success(endpoint))) { endpoints.append($0) }
        #expect(await world.refusal(by: condition) == nil)
        #expect(endpoints.all == [endpoint])
    }

    @Test("Without one it fails with the registrar's reason")
    func none() async {
        let (world, endpoints) = (World(), Record<PushEndpoint>())
        let error = CaptureError(.unavailable, "There is no distributor.")
        let condition = RemoteNotificationCondition(by: Registrar(result: .failure(error))) { endpoints.append($0) }
        #expect(await world.refusal(by: condition) == error)
        #expect(endpoints.all.isEmpty)
    }
}
