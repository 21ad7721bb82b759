import CaptureGate
import GateStore
import GateTestKit
import LinuxSystem
import Synchronization

/// Who opens the devices of a test.
enum Opener: CaseIterable, Sendable {
    /// The program itself.
    case program
    /// A broker, which lends it their frames.
    case broker
}

/// A gate over the built-in devices and a store in a separate directory, with a person whose answers are scripted.
struct GateFixture {
    /// Directory of the decisions.
    let folder: String
    let prompter: ScriptedPrompter
    let gatekeeper: Gatekeeper
    let queue: GateQueue
    private let broker: BrokerProcess?
    /// This program, read once: its file is large.
    private static let program = (try? ProcessSubject.current().executable).map { [$0] } ?? []

    init(answers: [Answer] = [], _ opener: Opener = .program) throws {
        let own = try TemporaryFolder.make()
        prompter = ScriptedPrompter(answers)
        switch opener {
        case .program:
            (folder, broker) = (own, nil)
            gatekeeper = try Gatekeeper.system(storeIn: own, prompter: prompter, as: .rig, known: Self.program)
        case .broker:
            folder = "\(own)/\(Users.effectiveID)"
            broker = try BrokerProcess(in: own)
            gatekeeper = Gatekeeper.system(
                by: BrokerLink(at: own + "/broker", of: Users.effectiveID, lendsBuiltIn: true), prompter: prompter)
        }
        queue = GateQueue(gatekeeper: gatekeeper)
    }

    /// What another process would have.
    func otherStore() throws -> SQLiteGrantStore { try SQLiteGrantStore(directory: folder) }

    /// Takes every decision back, as `capturegate revoke` does.
    func revokeFromOutside() throws {
        let store = try otherStore()
        let snapshot = try store.snapshot()
        let ids = (snapshot.decisions + (snapshot.consumed ?? [])).compactMap(\.id)
        _ = try store.remove(
            ids, audit: AuditEvent(.removal, at: SystemGateClock().now, subject: nil, detail: "revoked by a test"))
    }
}

/// Captures from a device with a closure that gets the permit.
struct Capture<Output: Sendable>: CaptureOperation {
    let authorization: AuthorizedFor<Capability.All>
    let body: @Sendable (consuming Permit) async throws(CaptureError) -> Output

    init(
        microphone: String? = nil, at levels: (sound: AccessLevel, picture: AccessLevel) = (.record, .video),
        camera: String? = nil,
        _ body: @escaping @Sendable (consuming Permit) async throws(CaptureError) -> Output
    ) {
        var requests: [DeviceRequest] = []
        if let microphone {
            requests.append(
                DeviceRequest(
                    capability: .microphone, level: levels.sound, device: .id(DeviceID(rawValue: microphone)),
                    purpose: "Test"))
        }
        if let camera {
            requests.append(
                DeviceRequest(
                    capability: .camera, level: levels.picture, device: .id(DeviceID(rawValue: camera)), purpose: "Test"
                ))
        }
        authorization = AuthorizedFor(Capability.All(requests))
        self.body = body
    }

    func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) -> Output {
        try await body(permit)
    }
}

extension Permit {
    /// The permit of the one device there is.
    mutating func takeOnly() throws(CaptureError) -> DevicePermit {
        guard let id = devices.first?.device.id, let part = take(id) else {
            throw CaptureError(.notAuthorized, "The permit is empty.")
        }
        return part
    }
}
