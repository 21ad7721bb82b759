/// What a walk through udev's devices found.
struct EnumerationResult: Sendable {
    var records: [DeviceRecord] = []
    /// Why there may be more than it found.
    var faults: [EnumerationError] = []
}
