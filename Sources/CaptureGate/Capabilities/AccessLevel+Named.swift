import Gate

extension CapabilityName {
    /// The levels of a capability of this library, lowest first; empty for others.
    public var levels: [AccessLevel] {
        switch self {
        case .microphone: [.meter, .record]
        case .camera: [.still, .video]
        default: []
        }
    }
}
