import CaptureBase
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

/// One size of one pixel format, or a range of sizes, with the frame rates it comes at.
///
/// *thread-safe*
public struct VideoMode: Hashable, Sendable, Codable {
    public let pixelFormat: PixelFormat
    /// Pixels; the largest, where the device takes a range of sizes.
    public let width: Int
    /// Pixels; the largest, where the device takes a range of sizes.
    public let height: Int
    /// The sizes below, where the device takes a range of them.
    public let smaller: SizeSteps?
    /// Fastest first; empty where the device does not say.
    public let frameRates: [FrameRate]
    /// Whether the device takes what lies between the first and the last of `frameRates`, too.
    public let takesRatesBetween: Bool

    public init(
        pixelFormat: PixelFormat, width: Int, height: Int, smaller: SizeSteps? = nil, frameRates: [FrameRate],
        takesRatesBetween: Bool = false
    ) {
        self.pixelFormat = pixelFormat
        self.width = width
        self.height = height
        self.smaller = smaller
        self.frameRates = frameRates
        self.takesRatesBetween = takesRatesBetween
    }
}

/// The sizes that a device takes below its largest one, pixels. The C struct is `v4l2_frmsize_stepwise`.
///
/// *thread-safe*
public struct SizeSteps: Hashable, Sendable, Codable {
    /// The smallest.
    public let width: Int
    /// The smallest.
    public let height: Int
    /// From one width to the next, 1 upwards.
    public let widthStep: Int
    /// From one height to the next, 1 upwards.
    public let heightStep: Int

    public init(width: Int, height: Int, widthStep: Int, heightStep: Int) {
        self.width = width
        self.height = height
        self.widthStep = widthStep
        self.heightStep = heightStep
    }
}

/// What a microphone can deliver, as libasound tells before anything is fixed.
///
/// *thread-safe*
public struct AudioRanges: Hashable, Sendable, Codable {
    /// Hz.
    public let sampleRates: ClosedRange<Int>
    public let channels: ClosedRange<Int>
    public let sampleFormats: [SampleFormat]

    public init(sampleRates: ClosedRange<Int>, channels: ClosedRange<Int>, sampleFormats: [SampleFormat]) {
        self.sampleRates = sampleRates
        self.channels = channels
        self.sampleFormats = sampleFormats
    }
}

/// The devices of a machine, and what could not be found out about them.
///
/// *thread-safe*
public struct DeviceInventory: Sendable {
    /// Something that could not be found out.
    public struct Fault: Hashable, Sendable {
        /// Of what kind of device.
        public let capability: CapabilityName
        /// The one that is listed without its formats, or without all of them; `nil` where some may be missing from the
        /// list.
        public let device: DeviceID?
        /// Which call failed on what, and what to do.
        public let error: CaptureError
    }

    /// Cameras, then microphones, then the built-in devices, each sorted by id.
    public let devices: [Device]
    /// Empty where all went well. A device that is busy or closed to this user is not asked, which is no fault.
    public let faults: [Fault]
}
