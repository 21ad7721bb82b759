import Gate
import LinuxSystem

/// Open controls of one device, which are read, set and read back.
///
/// A session takes a permit as a capture does, since it opens the same device: at least of level `.still` for a camera
/// and `.meter` for a microphone. It uses up a grant for once, and its start and end are lines in the audit log. It
/// captures nothing, and may be open while something else captures.
///
/// *session-bound*
public struct ControlSession: ~Copyable {
    /// Device that the permit names.
    public let device: Device
    private let access: ControlAccess
    /// The gate's hold on the session: its end reason, and its line in the audit log.
    private let capture: ActiveCapture

    /// Opens the device that the permit names.
    ///
    /// - Parameter permit: of one device; used up.
    /// - Throws: `.notAuthorized` if the permission has gone meanwhile, `.noDevice`. The C functions are `open` and
    ///   `snd_ctl_open`.
    public init(opening permit: consuming DevicePermit) async throws(CaptureError) {
        let (id, capability) = (permit.device.id, permit.capability)
        let device = try DeviceCatalog.device(id, capability)
        guard let lowest = capability.levels.first else {
            throw CaptureError(.notAuthorized, "\(id) is not a microphone or a camera.")
        }
        let broker = permit.broker
        let capture = try await permit.redeem(opening: id, as: capability, for: lowest)
        do throws(DeviceCallError) {
            access = ControlAccess(device: device, backend: try Self.backend(of: device, by: broker))
        } catch {
            let error = error.error(device)
            await capture.finish(frames: 0, bytes: 0, outcome: error.message)
            throw error
        }
        self.device = device
        self.capture = capture
    }

    /// Opens the controls of a device by its kind.
    private static func backend(
        of device: Device, by broker: BrokerLink?
    ) throws(DeviceCallError) -> any ControlBackend {
        // A name of ALSA's configuration has no mixer: the cards' mixers belong to other devices.
        guard let node = device.nodes.first else { return NoControls() }
        if let broker { return BrokerControls(of: device, by: broker) }
        let backend: any ControlBackend =
            if device.capability == .camera {
                try CameraControls(opening: node)
            } else {
                try MixerControls(opening: device.pcmName ?? "")
            }
        // Another device may have taken the place meanwhile.
        guard DeviceCatalog.isStillAtNode(device) else {
            throw DeviceCallError(call: "open", errno: Errno.noSuchDevice.number)
        }
        return backend
    }

    /// All controls in the device's order, with their present values.
    ///
    /// - Throws: `.revoked` or `.expired` if the permission has gone; what the device answers.
    public func controls() throws(CaptureError) -> [DeviceControl] {
        try checkPermission()
        return try access.controls()
    }

    /// Control of a name among those of ``controls()``.
    ///
    /// - Parameters:
    ///   - name: in any case; spaces and other characters count as underscores.
    ///   - controls: list to choose from.
    /// - Throws: `.usage` with the names that may have been meant.
    public func control(
        named name: String, among controls: [DeviceControl]
    ) throws(CaptureError) -> DeviceControl {
        try access.control(named: name, among: controls)
    }

    /// The same control with its present value.
    public func read(_ control: DeviceControl) throws(CaptureError) -> DeviceControl {
        try checkPermission()
        return try access.read(control)
    }

    /// Sets a control and reads it back.
    ///
    /// - Throws: `.usage` with the range for a value that the control does not take, `.unavailable` with what to set
    ///   first for an inactive one, `.busy` for one that can't be set while the device captures. The C calls are
    ///   `VIDIOC_S_EXT_CTRLS` and `snd_ctl_elem_write`.
    public func set(_ control: DeviceControl, to value: ControlValue) throws(CaptureError) -> ControlChange {
        try checkPermission()
        return try access.set(control, to: value)
    }

    /// Writes a value without checking it, so that the device itself has to answer: for tests of devices.
    ///
    /// - Throws: `.revoked` or `.expired` if the permission has ended; the device's error.
    package func write(_ value: ControlValue, to control: DeviceControl) throws(CaptureError) {
        try checkPermission()
        try access.write(value, to: control)
    }

    /// Sets controls to their defaults and reads them back; those without a default stay unchanged.
    ///
    /// An automatic mode that controls one of them is switched off meanwhile. In the end it has its own default if it is among
    /// them, otherwise its former setting.
    ///
    /// - Throws: if the permission or the device has gone; any other error is among the failures.
    public func reset(_ controls: [DeviceControl]) throws(CaptureError) -> ControlReset {
        try checkPermission()
        return try access.reset(controls)
    }

    /// Closes the device and writes the end to the audit log.
    ///
    /// - Parameter outcome: one short sentence on what was done.
    public consuming func close(_ outcome: String) async {
        await capture.finish(frames: 0, bytes: 0, outcome: outcome)
    }

    /// Refuses each call once the permission is gone: nothing runs here that a revocation could stop.
    private func checkPermission() throws(CaptureError) {
        if let reason = capture.endReason { throw reason.error(device.description, as: device.capability) }
    }
}

/// Outcome of setting a control.
///
/// *thread-safe*
public struct ControlChange: Hashable, Sendable {
    /// Requested value.
    public let asked: ControlValue
    /// Control as it was read back afterwards.
    public let control: DeviceControl
    /// True if the device took the value; also for a button or a write-only control, which have nothing to compare.
    public let isAsAsked: Bool
}

/// Outcome of setting controls to their defaults.
///
/// *thread-safe*
public struct ControlReset: Sendable {
    /// Control that did not get its default, or automatic that did not get its former setting back.
    public struct Failure: Hashable, Sendable {
        /// Control as it was when it was listed.
        public let control: DeviceControl
        /// Reason, with a remedy if one is known.
        public let error: CaptureError
    }

    /// Controls that were set, in the given order.
    public internal(set) var changes: [ControlChange] = []
    /// Controls that could not be set.
    public internal(set) var failures: [Failure] = []
}
