/// Where capabilities have their names: `Capability.Microphone`, `Capability.Camera`, `Capability.All`.
public enum Capability {}

extension Capability {
    /// Several devices in one question: all are allowed, or none.
    ///
    /// *thread-safe*
    public struct All: DeviceCapability {
        public let requirement: [DeviceRequest]

        /// - Parameter requests: one a device, in the order in which they are shown.
        public init(_ requests: [DeviceRequest]) {
            requirement = requests
        }

        public init(_ parts: any DeviceCapability...) {
            requirement = parts.flatMap { $0.requests }
        }

        public var requests: [DeviceRequest] { requirement }

        /// The name of the only capability, else all names with `+` between.
        public var name: CapabilityName {
            var names: [String] = []
            for request in requirement where !names.contains(request.capability.rawValue) {
                names.append(request.capability.rawValue)
            }
            return CapabilityName(rawValue: names.joined(separator: "+"))
        }
    }
}
