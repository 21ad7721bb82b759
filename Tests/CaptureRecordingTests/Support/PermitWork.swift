import CaptureGate
import ClipScenery
import GateTestKit

/// Does something with a permit of the built-in devices.
struct PermitWork<Output: Sendable>: CaptureOperation {
    let authorization: AuthorizedFor<Capability.All>
    let body: @Sendable (consuming Permit) async throws(CaptureError) -> Output

    func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) -> Output {
        try await body(permit)
    }
}

/// This program, read once: its file is large.
private let ownProgram = (try? ProcessSubject.current().executable).map { [$0] } ?? []

/// Runs something with a permit that somebody has said yes to.
func withPermit<Output: Sendable>(
    for parts: [any DeviceCapability], in scratch: Scratch,
    _ body: @escaping @Sendable (consuming Permit) async throws(CaptureError) -> Output
) async throws -> Output {
    let gatekeeper = try Gatekeeper.system(
        storeIn: scratch.path("store"), prompter: ScriptedPrompter([.allow(.always)]), as: .kit, known: ownProgram)
    let authorization = AuthorizedFor(Capability.All(parts.flatMap(\.requests)))
    return try await GateQueue(gatekeeper: gatekeeper).run(PermitWork(authorization: authorization, body: body))
}

/// Runs something with the permit for one device, with a permission in a separate store.
func withPermit<Output: Sendable>(
    for part: any DeviceCapability,
    _ body: @escaping @Sendable (consuming DevicePermit) async throws(CaptureError) -> Output
) async throws -> Output {
    try await withPermit(for: [part], in: Scratch()) { permit async throws(CaptureError) in
        var permit = permit
        return try await body(try permit.takeFirst())
    }
}

extension Capability {
    /// The built-in microphone.
    static func tone(_ level: AccessLevel = .record) -> Microphone {
        Microphone(level, device: .id("test:tone"), purpose: "Test")
    }

    /// The built-in camera.
    static func bars(_ level: AccessLevel = .video) -> Camera {
        Camera(level, device: .id("test:bars"), purpose: "Test")
    }
}

extension Permit {
    /// The permit of the first device.
    mutating func takeFirst() throws(CaptureError) -> DevicePermit {
        guard let id = devices.first?.device.id, let part = take(id) else {
            throw CaptureError(.notAuthorized, "The permit is empty.")
        }
        return part
    }
}
