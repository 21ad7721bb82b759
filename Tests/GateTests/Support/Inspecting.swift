import Gate

/// Does something with its permit.
struct Inspecting<Capable: DeviceCapability>: CaptureOperation {
    let authorization: AuthorizedFor<Capable>
    let look: @Sendable (inout Permit) async throws(CaptureError) -> [String]

    init(_ capability: Capable, _ look: @escaping @Sendable (inout Permit) async throws(CaptureError) -> [String]) {
        authorization = AuthorizedFor(capability)
        self.look = look
    }

    func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) -> [String] {
        try await look(&permit)
    }
}

extension DeviceID {
    static let mic = DeviceID(rawValue: "usb-mic")
    static let otherMic = DeviceID(rawValue: "pci-mic")
    static let cam = DeviceID(rawValue: "usb-cam")
}
