import CaptureBase

/// What a program would like of a camera; what it does not say is the device's choice.
///
/// *thread-safe*
public struct VideoSettings: Hashable, Sendable {
    /// Pixels.
    public var width: Int?
    /// Pixels.
    public var height: Int?
    public var pixelFormat: PixelFormat?
    /// What comes nearest to 30 frames a second where not said.
    public var frameRate: FrameRate?
    /// A capture card's input: its number, its name, or a part of it that no other has. What is chosen of input, standard and
    /// timings stays so on the card afterwards, for any program.
    public var input: String?
    /// Of an analogue input.
    public var standard: VideoStandard?
    /// Of a digital input; those of the signal where not said.
    public var timings: VideoTimings?
    /// Refuse to open where the device would do anything else than what is said, and where its input has no signal.
    public var isStrict: Bool
    /// Of the built-in picture: whether one picture a second is white, the one at each whole second of CLOCK_MONOTONIC, at which
    /// the built-in tone clicks; no other camera does so.
    public var claps = false

    public init(
        width: Int? = nil, height: Int? = nil, pixelFormat: PixelFormat? = nil, frameRate: FrameRate? = nil,
        isStrict: Bool = false
    ) {
        self.width = width
        self.height = height
        self.pixelFormat = pixelFormat
        self.frameRate = frameRate
        self.isStrict = isStrict
    }

    /// What of this the device does otherwise, a sentence each.
    func differences(from format: VideoFormat) -> [String] {
        var differences: [String] = []
        if width.map({ $0 != format.width }) ?? false || height.map({ $0 != format.height }) ?? false {
            let asked = "\(width.map(String.init) ?? "any")x\(height.map(String.init) ?? "any")"
            differences.append("size \(asked) asked, \(format.width)x\(format.height) got")
        }
        if let pixelFormat, pixelFormat != format.pixelFormat {
            differences.append("pixel format \(pixelFormat) asked, \(format.pixelFormat) got")
        }
        if let frameRate, abs(frameRate.framesPerSecond - format.frameRate.framesPerSecond) > 0.01 {
            differences.append("\(frameRate) frames a second asked, \(format.frameRate) got")
        }
        return differences
    }
}
