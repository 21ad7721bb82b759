import CaptureRealtime
import Gate
import LinuxSystem

/// Wishes of a program about a camera; a property that is `nil` leaves the choice to the device.
///
/// *thread-safe*
public struct VideoSettings: Hashable, Sendable {
    /// Width in pixels.
    public var width: Int?
    /// Height in pixels.
    public var height: Int?
    /// Layout of the pixels.
    ///
    /// If it or the size is `nil`, the camera uses the mode that suits live recording best, whatever the last program left in the
    /// driver: the largest of at most 1920x1080 that is fast enough, raw before JPEG. A camera's own H.264 or H.265 is used if it
    /// is requested here, and by a recorder whose files can hold it.
    public var pixelFormat: PixelFormat?
    /// Frame rate; the nearest to 30 frames a second if `nil`.
    public var frameRate: FrameRate?
    /// Input of a capture card: its number, its name, or a part of a name that no other input has.
    ///
    /// The card keeps a chosen input, standard and timings afterwards, for any program.
    public var input: String?
    /// Standard of an analogue input.
    public var standard: VideoStandard?
    /// Timings of a digital input; those of the signal where `nil`.
    public var timings: VideoTimings?
    /// Refuses to open where the device would do otherwise than asked, and where its input has no signal.
    public var isStrict: Bool
    /// Allows a mode with the camera's own H.264 if it is larger or faster than all others: for a recorder that decodes nothing.
    package var mayBePredicted = false
    /// Claps of the built-in camera: ``testBars(claps:)``.
    package var claps = false

    /// Describes wishes.
    ///
    /// - Parameters:
    ///   - width: pixels.
    ///   - height: pixels.
    ///   - pixelFormat: layout of the pixels.
    ///   - frameRate: frames per second.
    ///   - isStrict: refuses a device that would do otherwise.
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
}

extension CaptureSession where Format == VideoFormat {
    /// Opens the camera that the permit names, and negotiates; nothing is captured before `start()`.
    ///
    /// - Parameters:
    ///   - permit: of one camera, at level `.video`; used up.
    ///   - settings: wishes; ``differences`` says which were not met.
    /// - Throws: `.notAuthorized` if the permission has gone meanwhile or is for less than `.video`, `.busy`,
    ///   `.noDevice`, `.unavailable` if a shutter covers the lens, `.stalled` if the device does not answer
    ///   within 10 s, `.cancelled` if the task is, and `.notAsAsked` if the settings are strict and the device
    ///   would do otherwise. The C calls are `open` and `VIDIOC_S_FMT`.
    public init(
        opening permit: consuming DevicePermit, settings: VideoSettings = VideoSettings()
    ) async throws(CaptureError) {
        try await self.init(opening: permit, settings: settings, for: .video)
    }

    /// Opens the camera for code that gives the program less than video, such as a single still.
    ///
    /// - Parameters:
    ///   - permit: of one camera; used up.
    ///   - settings: wishes.
    ///   - level: least level of the permit that is needed for that.
    ///   - hasThreads: true if the caller has checked that there are threads for it: a check makes as many.
    package init(
        opening permit: consuming DevicePermit, settings: VideoSettings, for level: AccessLevel,
        hasThreads: Bool = false
    ) async throws(CaptureError) {
        try await self.init(try await CaptureCore(permit, as: .camera, for: level, hasThreads: hasThreads), settings)
    }

    /// Opens the camera of a core, whose permission is redeemed.
    init(_ core: CaptureCore, _ settings: VideoSettings) async throws(CaptureError) {
        try await self.init(core, settings, asked: try await core.asked(settings))
    }

    /// Opens the camera by settings in the capture loop's terms.
    init(_ core: CaptureCore, _ settings: VideoSettings, asked: CameraSettings) async throws(CaptureError) {
        try await core.admitProvided()
        let opened = try await core.opening { () throws(CaptureError) in
            try OpenedCamera.opened(core, asked, settings)
        }
        try await self.init(core, opened, settings)
        source = asked
    }

    /// Makes the session, or refuses where the lens is covered, or where the settings are strict and were not met.
    private init(
        _ core: CaptureCore, _ opened: consuming OpenedCamera, _ settings: VideoSettings
    ) async throws(CaptureError) {
        // Known only now: the shutter is a control of the open node.
        if opened.isCovered { throw await core.refused(.privacyShutter(closedOn: core.device.description)) }
        if settings.isStrict, opened.signal != .present {
            throw await core.refused(opened.signal.error(core.device.description, .notAsAsked))
        }
        let format = VideoFormat(opened.format)
        let differences = settings.differences(from: format)
        if settings.isStrict, !differences.isEmpty { throw await core.notAsAsked(differences) }
        self.init(
            core, opened.stream, .video(opened.reader), format: format, frameInterval: opened.format.bufferNanoseconds,
            differences: differences, pictures: FrameAdapter(gathering: format, FieldArrangement(opened.format)))
        native = .video(opened.format)
    }
}

extension CaptureCore {
    /// Settings in the capture loop's terms, with the input by its number.
    ///
    /// - Throws: `.notAsAsked` if there is no such input.
    func asked(_ settings: VideoSettings) async throws(CaptureError) -> CameraSettings {
        var asked = settings.camera
        if device.isBuiltIn || device.provided != nil, settings.isOfCard {
            throw await refused(
                CaptureError(
                    .notAsAsked, "\(device.id) is not a capture card: it has no inputs, standards or timings.",
                    remedies: [Remedy("Remove these options, or choose another device.", .listDevices)]))
        }
        // Which number a name is, the broker finds out.
        guard let input = settings.input, lent == nil else { return asked }
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

/// Camera after negotiation.
package struct OpenedCamera: ~Copyable, Sendable {
    let core: CaptureCore
    /// Format that the driver has taken.
    let format: CameraFormat
    /// True if a shutter covers the lens.
    var isCovered = false
    /// State of the signal at the input.
    var signal = SignalState.present
    var stream: CaptureStream
    var reader: VideoRing.Consumer

    /// Opens a camera, or has the broker open it; called on a separate thread, unless it is built in.
    ///
    /// - Parameters:
    ///   - asked: settings in the capture loop's terms.
    ///   - settings: the program's own settings, with the name of an input.
    static func opened(
        _ core: CaptureCore, _ asked: CameraSettings, _ settings: VideoSettings = VideoSettings()
    ) throws(CaptureError) -> OpenedCamera {
        if let lent = core.lent {
            let opening = try lent.open(.video(asked, input: settings.input ?? ""))
            guard case .video(let format) = opening.device.format else { throw BrokerFault.value.error }
            let carried = Handoff(opening)
            return try core.calling { () throws(RealtimeFault) in try Self.lent(core, carried, format) }
        }
        if core.device.provided != nil {
            let stream = try core.openProvided(.video(asked, input: ""))
            guard case .video(let format) = stream.format else { throw BrokerFault.value.error }
            let carried = Handoff(stream)
            return try core.calling { () throws(RealtimeFault) in try Self.provided(core, carried, format) }
        }
        return try core.calling { () throws(RealtimeFault) in
            core.device.isBuiltIn ? try bars(core, settings) : try camera(core, asked)
        }
    }

    /// Reads a camera that the broker has opened.
    private static func lent(
        _ core: CaptureCore, _ carried: Handoff<LentHold.Opening>, _ format: CameraFormat
    ) throws(RealtimeFault) -> OpenedCamera {
        guard let opening = carried.take() else { throw RealtimeFault(.openCamera, result: -Errno.noSuchDevice.number) }
        let signal = opening.device.signal
        core.counters.begin(with: signal)
        let source = try SharedCamera(opening.reader, format: format)
        let capture = try VideoCapture(source, control: core.control, counters: core.counters)
        return OpenedCamera(
            core: core, format: format, isCovered: signal == .covered,
            signal: signal == .covered ? .present : signal, stream: .lentCamera(capture.stream),
            reader: capture.consumer)
    }

    /// Reads a camera that a provider has opened.
    private static func provided(
        _ core: CaptureCore, _ carried: Handoff<ProvidedStream>, _ format: CameraFormat
    ) throws(RealtimeFault) -> OpenedCamera {
        guard let stream = carried.take() else { throw RealtimeFault(.openCamera, result: -Errno.noSuchDevice.number) }
        let lender = stream.lender
        let source = try SharedCamera(stream.reader, format: format, of: lender)
        let capture = try VideoCapture(source, control: core.control, counters: core.counters)
        return OpenedCamera(core: core, format: format, stream: .lentCamera(capture.stream), reader: capture.consumer)
    }

    /// Opens a V4L2 node.
    private static func camera(_ core: CaptureCore, _ asked: CameraSettings) throws(RealtimeFault) -> OpenedCamera {
        let node = core.device.nodes.first ?? ""
        let source = try CameraSource(opening: node, asked: CameraFormats.complete(asked, of: node))
        guard DeviceCatalog.isStillAtNode(core.device) else {
            throw RealtimeFault(.openCamera, result: -Errno.noSuchDevice.number)
        }
        let got = source.format
        let (isCovered, signal) = (source.isCovered, source.signal)
        core.counters.begin(with: signal)
        let capture = try VideoCapture(source, control: core.control, counters: core.counters)
        return OpenedCamera(
            core: core, format: got, isCovered: isCovered, signal: signal, stream: .camera(capture.stream),
            reader: capture.consumer)
    }

    /// Opens the built-in camera.
    private static func bars(_ core: CaptureCore, _ settings: VideoSettings) throws(RealtimeFault) -> OpenedCamera {
        let source = try TestBars(settings)
        let got = source.format
        let capture = try VideoCapture(source, control: core.control, counters: core.counters)
        return OpenedCamera(core: core, format: got, stream: .bars(capture.stream), reader: capture.consumer)
    }
}
