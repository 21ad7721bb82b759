import CSystem
import CaptureRealtime
import Gate

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
