/// Whether there is such a device and whether it is free. Never says whether it is allowed: that is
/// `AuthorizationStatus`.
///
/// *thread-safe*
public enum Availability: Hashable, Sendable {
    case available
    /// No such device; the text says what was looked for.
    case absent(String)
    /// Another process holds it; `nil` where /proc hides the holder.
    case busy(DeviceHolder?)

    public var isAvailable: Bool { self == .available }
}

/// The process that holds a device.
public struct DeviceHolder: Hashable, Sendable {
    public let processID: Int32
    public let command: String

    public init(processID: Int32, command: String) {
        self.processID = processID
        self.command = command
    }
}
