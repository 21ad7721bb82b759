import Gate

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
