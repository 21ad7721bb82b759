import CSystem
import Gate

/// The controls of one device, open: read, set and read back.
///
/// It takes a permit as a capture does, since it opens the same device: of level `.still` for a camera and `.meter` for
/// a microphone at least. A grant for once is used up by it, and the audit log has a line at its start and its end. It
/// captures nothing and may be open while something else captures.
///
/// *session-bound*
public struct ControlSession: ~Copyable {
    public let device: Device
    private let access: ControlAccess
    private let capture: ActiveCapture

    /// Opens the device the permit names.
    ///
    /// - Throws: `.notAuthorized` where the permission has gone meanwhile, `.noDevice`. The C functions are `open` and
    ///   `snd_ctl_open`.
    public init(opening permit: consuming DevicePermit) async throws(CaptureError) {
        let (id, capability) = (permit.device.id, permit.capability)
        let device = try DeviceCatalog.device(id, capability)
        guard let lowest = capability.levels.first else {
            throw CaptureError(.notAuthorized, "\(id) is neither a microphone nor a camera.")
        }
        let capture = try await permit.redeem(opening: id, as: capability, for: lowest)
        do throws(DeviceCallError) {
            access = ControlAccess(device: device, backend: try Self.backend(of: device))
        } catch {
            let error = error.error(device)
            await capture.finish(frames: 0, bytes: 0, outcome: error.message)
            throw error
        }
        self.device = device
        self.capture = capture
    }

    private static func backend(of device: Device) throws(DeviceCallError) -> any ControlBackend {
        // A name of ALSA's configuration has no mixer: the cards' are those of other devices.
        guard let node = device.nodes.first else { return NoControls() }
        let backend: any ControlBackend =
            if device.capability == .camera {
                try CameraControls(opening: node)
            } else {
                try MixerControls(opening: device.pcmName ?? "")
            }
        // Another device may have taken the place meanwhile.
        guard DeviceCatalog.isStillAtNode(device) else { throw DeviceCallError(call: "open", errno: ENODEV) }
        return backend
    }

    /// All there are, in the device's order, with their values now.
    public func controls() throws(CaptureError) -> [DeviceControl] {
        try checkPermission()
        return try access.controls()
    }

    /// The control of that name among those of ``controls()``.
    ///
    /// - Throws: `.usage` with the names that may have been meant.
    public func control(
        named name: String, among controls: [DeviceControl]
    ) throws(CaptureError) -> DeviceControl {
        try access.control(named: name, among: controls)
    }

    /// The same control as it is now.
    public func read(_ control: DeviceControl) throws(CaptureError) -> DeviceControl {
        try checkPermission()
        return try access.read(control)
    }

    /// Sets a control and reads it back.
    ///
    /// - Throws: `.usage` with the range for a value the control does not take, `.unavailable` with what to set first for
    ///   one that is inactive, `.busy` for one that can't be set while the device captures. The C calls are
    ///   `VIDIOC_S_EXT_CTRLS` and `snd_ctl_elem_write`.
    public func set(_ control: DeviceControl, to value: ControlValue) throws(CaptureError) -> ControlChange {
        try checkPermission()
        return try access.set(control, to: value)
    }

    /// Sets controls to their defaults, and reads them back; what has none stays as it is.
    ///
    /// An automatic that holds one of them is switched off for the while, and has its own default at last where it is
    /// among them, else what it was.
    ///
    /// - Throws: where the permission or the device has gone; what can't be set is among the failures.
    public func reset(_ controls: [DeviceControl]) throws(CaptureError) -> ControlReset {
        try checkPermission()
        return try access.reset(controls)
    }

    /// Closes the device and writes the end into the audit log.
    ///
    /// - Parameter outcome: what was done, one short sentence.
    public consuming func close(_ outcome: String) async {
        await capture.finish(frames: 0, bytes: 0, outcome: outcome)
    }

    /// What was taken back meanwhile counts at once.
    private func checkPermission() throws(CaptureError) {
        if let reason = capture.endReason { throw reason.error(device.description, as: device.capability) }
    }
}

/// What became of setting a control.
///
/// *thread-safe*
public struct ControlChange: Hashable, Sendable {
    public let asked: ControlValue
    /// The control, read again afterwards.
    public let control: DeviceControl
    /// Whether the device did what it was asked for; a button has nothing to compare.
    public let isAsAsked: Bool
}

/// What became of setting controls to their defaults.
///
/// *thread-safe*
public struct ControlReset: Sendable {
    /// A control that did not get its default, or an automatic that did not become again what it was.
    public struct Failure: Hashable, Sendable {
        /// As it was when it was listed.
        public let control: DeviceControl
        public let error: CaptureError
    }

    /// Those that were set, in the order in which they were named.
    public internal(set) var changes: [ControlChange] = []
    /// Those that could not be set.
    public internal(set) var failures: [Failure] = []
}
