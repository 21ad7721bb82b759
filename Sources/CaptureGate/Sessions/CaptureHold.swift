import CaptureRealtime
import Gate

/// The gate's hold on an open device: it ends the capture, and keeps its account in the audit log.
///
/// One permission, or those of all for whom a device is shared. Each is redeemed before the device is opened: to hold one is
/// the proof.
///
/// *thread-safe*
package protocol CaptureHold: AnyObject, Sendable {
    /// Decision that allows the capture; `nil` for an administrator's rule, and if there are several.
    var decision: Int64? { get }

    /// Set when the gate has ended the capture.
    var endReason: CaptureEndReason? { get }

    /// Calls `handler` when the gate ends the capture: at most once, and at once if it has already. It must not block; a
    /// second call replaces the first.
    func onEnd(_ handler: @escaping @Sendable (CaptureEndReason) -> Void)

    /// Checks further devices that only the opening has shown to be captured.
    ///
    /// - Parameters:
    ///   - other: named by the refusal.
    ///   - aliases: ids of all these devices.
    ///   - mayBeAny: true if not all of them are known.
    /// - Throws: `.notAuthorized` if one is denied.
    func admit(_ other: DeviceDescription, aliases: [DeviceID], mayBeAny: Bool) async throws(CaptureError)

    /// Adds the ids of a device that came back.
    func isBack(with aliases: [DeviceID])

    /// Writes the end into the audit log, with the frames and bytes that were delivered.
    func finish(frames: UInt64?, bytes: UInt64?, outcome: String) async
}

extension ActiveCapture: CaptureHold {}

extension CaptureSession where Format == AudioFormat {
    /// Opens a microphone that several programs share, each with its own permission; nothing is captured before `start()`.
    ///
    /// - Parameters:
    ///   - hold: all their permissions.
    ///   - device: the microphone.
    ///   - wish: format that the first of them requests.
    /// - Throws: the errors of opening, and `.usage` for a camera's format.
    package init(
        sharing hold: any CaptureHold, of device: DeviceID, wish: StreamWish
    ) async throws(CaptureError) {
        guard case .audio(let asked) = wish else { throw .otherKind(device) }
        try await self.init(try CaptureCore(sharing: hold, of: device, as: .microphone), AudioSettings(), asked: asked)
    }
}

extension CaptureSession where Format == VideoFormat {
    /// Opens a camera that several programs share, each with its own permission; nothing is captured before `start()`.
    ///
    /// - Parameters:
    ///   - hold: all their permissions.
    ///   - device: the camera.
    ///   - wish: format that the first of them requests.
    /// - Throws: the errors of opening, and `.usage` for a microphone's format.
    package init(
        sharing hold: any CaptureHold, of device: DeviceID, wish: StreamWish
    ) async throws(CaptureError) {
        guard case .video(var asked, let input) = wish else { throw .otherKind(device) }
        let core = try CaptureCore(sharing: hold, of: device, as: .camera)
        var settings = VideoSettings(asked)
        if !input.isEmpty {
            settings.input = input
            // Its name is the card's to know.
            asked.input = try await core.asked(settings).input
        }
        try await self.init(core, settings, asked: asked)
    }
}

extension VideoSettings {
    /// Only the requested frame format, with which the built-in camera is opened.
    fileprivate init(_ asked: CameraSettings) {
        self.init(
            width: asked.width > 0 ? asked.width : nil, height: asked.height > 0 ? asked.height : nil,
            pixelFormat: asked.fourcc > 0 ? PixelFormat(rawValue: asked.fourcc) : nil,
            frameRate: FrameRate(asked.fpsNumerator, asked.fpsDenominator))
    }
}

extension CaptureError {
    /// Refusal of a format for another kind of device.
    fileprivate static func otherKind(_ device: DeviceID) -> CaptureError {
        CaptureError(
            .usage, "\(device) can't be opened with a format for another kind of device.",
            remedies: [Remedy("Name a camera or a microphone.", .listDevices)])
    }
}
