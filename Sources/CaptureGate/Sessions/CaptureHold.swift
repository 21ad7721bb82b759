import Gate

/// The gate's hold on an open device: it ends the capture, and keeps its account in the audit log.
///
/// One permission, or those of all for whom a device is shared. Each is redeemed before the device is opened: to hold one is
/// the proof.
///
/// *thread-safe*
package protocol CaptureHold: AnyObject, Sendable {
    /// Decision that the capture rests on; `nil` for a rule of the administrator's, and where there are several.
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
    /// Opens a microphone that several programs share, each with a permission of its own; nothing is captured before
    /// `start()`.
    ///
    /// - Parameters:
    ///   - hold: all their permissions, at level `.record` or for less than the frames.
    ///   - device: microphone that they are for.
    ///   - settings: wishes of the first of them.
    /// - Throws: the errors of opening.
    package init(
        sharing hold: any CaptureHold, of device: DeviceID, settings: AudioSettings
    ) async throws(CaptureError) {
        try await self.init(
            try CaptureCore(sharing: hold, of: device, as: .microphone), settings)
    }
}

extension CaptureSession where Format == VideoFormat {
    /// Opens a camera that several programs share, each with a permission of its own; nothing is captured before `start()`.
    ///
    /// - Parameters:
    ///   - hold: all their permissions, at level `.video` or for less than the frames.
    ///   - device: camera that they are for.
    ///   - settings: wishes of the first of them.
    /// - Throws: the errors of opening.
    package init(
        sharing hold: any CaptureHold, of device: DeviceID, settings: VideoSettings
    ) async throws(CaptureError) {
        try await self.init(try CaptureCore(sharing: hold, of: device, as: .camera), settings)
    }
}
