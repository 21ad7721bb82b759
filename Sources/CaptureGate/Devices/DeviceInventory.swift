import Gate

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
