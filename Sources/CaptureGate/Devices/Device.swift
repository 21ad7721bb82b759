import Gate

/// A microphone or a camera: one value for one physical device.
///
/// *thread-safe*
public struct Device: Hashable, Sendable {
    /// Outlives replugging and renumbering.
    public let id: DeviceID
    /// What a person calls it, such as "HD Pro Webcam C920".
    public let name: String
    /// `.microphone` or `.camera`.
    public let capability: CapabilityName
    /// Whether it is there and free, as far as that shows without opening it.
    public let availability: Availability
    /// Why the id may not hold, such as two devices with equal serials; `nil` where it holds.
    public let ambiguity: String?
    /// Device files, the one that captures first; empty for built-in devices.
    public let nodes: [String]
    /// The name libasound opens it by, for microphones.
    public let pcmName: String?
    /// What it can deliver. Empty where it was busy, or not asked for (`DeviceCatalog.Detail`).
    public let formats: Formats
    /// What else it is called, or would be beside other devices: a denial of one of these is one of it.
    package var aliases: [DeviceID] = []
    /// A camera's inputs with their signals; empty where they were not asked for, as `formats`.
    public internal(set) var inputs: [VideoInput] = []
    /// What the samples of a camera's pictures mean, as it is set up now; `nil` where it does not say.
    public internal(set) var colorimetry: Colorimetry?

    /// Whether it is one of `test:bars` and `test:tone`, which show no real picture and no real sound.
    public var isBuiltIn: Bool { id.isBuiltIn }

    public var description: DeviceDescription { DeviceDescription(id: id, name: name) }
}

extension Device {
    /// What a device can deliver.
    public enum Formats: Hashable, Sendable {
        case unknown
        case audio(AudioRanges)
        case video([VideoMode])
    }
}
