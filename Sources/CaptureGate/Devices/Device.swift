import CaptureBase
import Gate

/// Microphone or camera: one value for one physical device.
///
/// *thread-safe*
public struct Device: Hashable, Sendable {
    /// Id that outlives replugging and renumbering.
    public let id: DeviceID
    /// Human name, such as "HD Pro Webcam C920".
    public let name: String
    /// `.microphone` or `.camera`.
    public let capability: CapabilityName
    /// Presence and holder, as far as they show without opening the device.
    public let availability: Availability
    /// Reason why the id may not hold, such as two devices with equal serial numbers; `nil` if it holds.
    public let ambiguity: String?
    /// Paths of the device files, the one that captures first; empty for built-in devices.
    public let nodes: [String]
    /// ALSA name of the device for libasound; `nil` for cameras.
    public let pcmName: String?
    /// Capabilities; `.unknown` if the device was busy, or was not asked (`DeviceCatalog.Detail`).
    public let formats: Formats
    /// Other ids of the same hardware. A denial of any alias denies this device.
    package var aliases: [DeviceID] = []
    /// Set for a device that a ``DeviceProvider`` has.
    package var provided: ProvidedFacts?
    /// Inputs of a camera with their signals; empty if they were not queried, as with `formats`.
    public internal(set) var inputs: [VideoInput] = []
    /// Meaning of a camera's samples, as it is set up now; `nil` if it does not report it.
    public internal(set) var colorimetry: Colorimetry?

    /// True for `test:bars` and `test:tone`, which show and record nothing real.
    public var isBuiltIn: Bool { id.isBuiltIn }

    /// Id and name, as questions and refusals show them.
    public var description: DeviceDescription { DeviceDescription(id: id, name: name) }
}

extension Device {
    /// A device that no gate can open, since there is no hardware: for doubles.
    package init(withoutHardware id: DeviceID, name: String, capability: CapabilityName) {
        self.init(
            id: id, name: name, capability: capability, availability: .available, ambiguity: nil, nodes: [],
            pcmName: nil, formats: .unknown)
    }

    /// Capabilities of a device.
    public enum Formats: Hashable, Sendable {
        /// Not asked, or not answered.
        case unknown
        case audio(AudioRanges)
        case video([VideoMode])
    }
}

/// Size of a pixel format, or range of sizes, with its frame rates.
///
/// *thread-safe*
public struct VideoMode: Hashable, Sendable, Codable {
    /// Layout of the pixels.
    public let pixelFormat: PixelFormat
    /// Width in pixels; the largest, where the device takes a range of sizes.
    public let width: Int
    /// Height in pixels; the largest, where the device takes a range of sizes.
    public let height: Int
    /// Range of smaller sizes; `nil` if the mode has only this size.
    public let smaller: SizeSteps?
    /// Frame rates, fastest first; empty if the device does not report any.
    public let frameRates: [FrameRate]
    /// True if the device takes any rate between the first and the last of `frameRates`, too.
    public let takesRatesBetween: Bool

    /// Describes a mode.
    ///
    /// - Parameters:
    ///   - pixelFormat: layout of the pixels.
    ///   - width: pixels, the largest of a range.
    ///   - height: pixels, the largest of a range.
    ///   - smaller: range of smaller sizes.
    ///   - frameRates: fastest first.
    ///   - takesRatesBetween: true for a continuous or stepwise range of rates.
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

/// Sizes below a device's largest one, in pixels. The C struct is `v4l2_frmsize_stepwise`.
///
/// *thread-safe*
public struct SizeSteps: Hashable, Sendable, Codable {
    /// Smallest width.
    public let width: Int
    /// Smallest height.
    public let height: Int
    /// Distance between two widths, 1 upwards.
    public let widthStep: Int
    /// Distance between two heights, 1 upwards.
    public let heightStep: Int

    /// Describes a range of sizes in pixels.
    public init(width: Int, height: Int, widthStep: Int, heightStep: Int) {
        self.width = width
        self.height = height
        self.widthStep = widthStep
        self.heightStep = heightStep
    }
}

/// Capabilities of a microphone, as libasound reports them before anything is fixed.
///
/// The ranges are independent of each other; a device may refuse some combinations.
///
/// *thread-safe*
public struct AudioRanges: Hashable, Sendable, Codable {
    /// Sample rates in Hz.
    public let sampleRates: ClosedRange<Int>
    /// Numbers of channels.
    public let channels: ClosedRange<Int>
    /// Sample formats among those that are recorded.
    public let sampleFormats: [SampleFormat]

    /// Describes capabilities.
    ///
    /// - Parameters:
    ///   - sampleRates: Hz.
    ///   - channels: numbers of channels, 1 upwards.
    ///   - sampleFormats: in any order.
    public init(sampleRates: ClosedRange<Int>, channels: ClosedRange<Int>, sampleFormats: [SampleFormat]) {
        self.sampleRates = sampleRates
        self.channels = channels
        self.sampleFormats = sampleFormats
    }
}

/// Devices of a machine, and the faults of the scan that found them.
///
/// *thread-safe*
public struct DeviceInventory: Sendable {
    /// Failed call of a scan.
    public struct Fault: Hashable, Sendable {
        /// Kind of device that was looked for.
        public let capability: CapabilityName
        /// Device that is listed without some or all of its formats; `nil` if devices may be missing from the list.
        public let device: DeviceID?
        /// The call that failed, and a remedy.
        public let error: CaptureError
    }

    /// Cameras, then microphones, then the built-in devices, each sorted by id.
    public let devices: [Device]
    /// Empty if the scan had no errors. A device that is busy or not permitted is not queried, which is not an error.
    public let faults: [Fault]
}
