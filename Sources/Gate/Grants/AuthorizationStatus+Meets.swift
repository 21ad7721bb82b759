extension AuthorizationStatus {
    /// Whether something is granted, at whatever level.
    public var isAuthorized: Bool { grant != nil }

    /// The grant, where there is one.
    public var grant: Grant? {
        if case .authorized(let grant) = self { grant } else { nil }
    }

    /// Whether the grant is of at least this level and speaks of this device; `.any` is met by a grant for whichever.
    public func meets(_ level: AccessLevel, on device: DeviceSelector = .any) -> Bool {
        guard let grant, grant.capability.has(level), grant.level >= level else { return false }
        return switch device {
        case .any: true
        case .id(let id): grant.device.covers(id)
        }
    }

    /// Whether the grant is of the request's capability, of at least its level, and speaks of its device.
    public func meets(_ request: DeviceRequest) -> Bool {
        grant?.capability == request.capability && meets(request.level, on: request.device)
    }

    /// Several statuses as one: restricted before denied before not determined before authorized.
    var severity: Int {
        switch self {
        case .restricted: 3
        case .denied: 2
        case .notDetermined: 1
        case .authorized: 0
        }
    }
}
