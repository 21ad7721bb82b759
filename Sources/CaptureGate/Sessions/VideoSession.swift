import CSystem
import CaptureBase
import CaptureRealtime
import Gate

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

extension CaptureSession where Reader == VideoRing.Consumer, Format == VideoFormat {
    /// Opens the camera the permit names and negotiates; nothing is captured before `start()`.
    ///
    /// - Throws: `.notAuthorized` where the permission has gone meanwhile or is for less than `.video`, `.busy`, `.noDevice`, `.unavailable` where a
    ///   shutter covers the lens, `.stalled` where it does not answer within 10 s, `.cancelled` where the task is, and
    ///   `.notAsAsked` where the settings are strict and the device would do otherwise. The C calls are `open` and
    ///   `VIDIOC_S_FMT`.
    public init(
        opening permit: consuming DevicePermit, settings: VideoSettings = VideoSettings()
    ) async throws(CaptureError) {
        try await self.init(opening: permit, settings: settings, for: .video)
    }

    /// The same for who lends less than moving pictures to the program.
    ///
    /// - Parameter level: the least that is needed for that.
    package init(
        opening permit: consuming DevicePermit, settings: VideoSettings, for level: AccessLevel
    ) async throws(CaptureError) {
        let core = try await CaptureCore(permit, as: .camera, for: level)
        let asked = try await core.asked(settings)
        let opened = try await core.opening { () throws(RealtimeFault) in
            core.device.isBuiltIn ? try OpenedCamera.bars(core, settings) : try OpenedCamera.camera(core, asked)
        }
        try await self.init(core, opened, settings)
        source = asked
    }

    private init(
        _ core: CaptureCore, _ opened: consuming OpenedCamera, _ settings: VideoSettings
    ) async throws(CaptureError) {
        if opened.isCovered { throw await core.refused(.privacyShutter(closedOn: core.device.description)) }
        if settings.isStrict, opened.signal != .present {
            throw await core.refused(opened.signal.error(core.device.description, .notAsAsked))
        }
        let format = VideoFormat(opened.format)
        let differences = settings.differences(from: format)
        if settings.isStrict, !differences.isEmpty { throw await core.notAsAsked(differences) }
        self.init(
            core, opened.stream, opened.reader, format: format, frameInterval: opened.format.bufferNanoseconds,
            differences: differences, pictures: FrameAdapter(gathering: format, FieldArrangement(opened.format)))
    }
}

extension CaptureCore {
    /// The settings as the capture loop calls them: an input by its number.
    ///
    /// - Throws: `.notAsAsked` where there is no such input.
    fileprivate func asked(_ settings: VideoSettings) async throws(CaptureError) -> CameraSettings {
        var asked = settings.camera
        if device.isBuiltIn, settings.isOfCard {
            throw await refused(
                CaptureError(
                    .notAsAsked, "\(device.id) is no capture card: it has no inputs, standards or timings.",
                    remedies: [Remedy("Leave these out, or choose another.", command: "capturegate devices")]))
        }
        guard let input = settings.input else { return asked }
        let node = device.nodes.first ?? ""
        let reading = try await opening { CameraInputs.read(node) }
        do throws(CaptureError) {
            asked.input = try reading.inputs.named(input, of: device).index
        } catch {
            throw await refused(reading.fault.map { $0.error(device) } ?? error)
        }
        return asked
    }
}

/// A camera after negotiation.
package struct OpenedCamera: ~Copyable, Sendable {
    let core: CaptureCore
    let format: CameraFormat
    var isCovered = false
    var signal = SignalState.present
    var stream: CaptureStream
    var reader: VideoRing.Consumer

    static func camera(_ core: CaptureCore, _ asked: CameraSettings) throws(RealtimeFault) -> OpenedCamera {
        let source = try CameraSource(opening: core.device.nodes.first ?? "", asked: asked)
        guard DeviceCatalog.isStillAtNode(core.device) else { throw RealtimeFault(.openCamera, result: -ENODEV) }
        let got = source.format
        let (isCovered, signal) = (source.isCovered, source.signal)
        core.counters.begin(with: signal)
        let capture = try VideoCapture(source, control: core.control, counters: core.counters)
        return OpenedCamera(
            core: core, format: got, isCovered: isCovered, signal: signal, stream: .camera(capture.stream),
            reader: capture.consumer)
    }

    static func bars(_ core: CaptureCore, _ settings: VideoSettings) throws(RealtimeFault) -> OpenedCamera {
        let source = try TestBars(settings)
        let got = source.format
        let capture = try VideoCapture(source, control: core.control, counters: core.counters)
        return OpenedCamera(core: core, format: got, stream: .bars(capture.stream), reader: capture.consumer)
    }
}
