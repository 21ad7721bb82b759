import CaptureRealtime
import Gate

/// Devices that a module above this one finds and opens: the nodes of a sound server's graph.
///
/// They go through the same gate, loop and rings. The provider fills a shared ring, which the session reads as one that the broker
/// has lent.
///
/// *thread-safe*
package protocol DeviceProvider: Sendable {
    /// Devices of a kind that are there now, with their formats; none if there is no server, which costs no time.
    func devices(of capability: CapabilityName) -> [Device]

    /// Looks a device up by its id.
    ///
    /// - Returns: `nil` for an id of another kind, and for a missing device.
    func device(_ id: DeviceID, _ capability: CapabilityName) -> Device?

    /// Opens a device; blocks. Nothing is captured before ``StreamLender/begin()``.
    ///
    /// - Parameters:
    ///   - device: one of the provider's devices.
    ///   - wish: format; the nearest one of the device is used.
    /// - Throws: `.noDevice` if it has gone, `.unavailable` if it can't be opened.
    func open(_ device: Device, _ wish: StreamWish) throws(CaptureError) -> ProvidedStream
}

/// Facts about a device that a ``DeviceProvider`` has.
///
/// *thread-safe*
package struct ProvidedFacts: Hashable, Sendable {
    /// True for the server's default device.
    package let isDefault: Bool
    /// True if any hardware could be its source: a denial of any device of its kind denies it, too.
    package let mayBeAny: Bool

    package init(isDefault: Bool, mayBeAny: Bool) {
        self.isDefault = isDefault
        self.mayBeAny = mayBeAny
    }
}

/// Device that a provider has opened, and the ring of its frames.
package struct ProvidedStream: ~Copyable, Sendable {
    let format: LentDevice.Format
    let lender: any StreamLender
    var reader: SharedRingReader

    package init(_ format: LentDevice.Format, of lender: any StreamLender, _ reader: consuming SharedRingReader) {
        self.format = format
        self.lender = lender
        self.reader = reader
    }
}

/// Owner of a stream of this process that a provider has opened.
///
/// *thread-safe*
package protocol StreamLender: RingLender {
    /// Has the frames come.
    func begin()
    /// The provider's description of an end that it caused; `nil` if none exists.
    var failure: CaptureError? { get }
}

extension Device {
    /// A device of a provider's.
    package init(
        provided id: DeviceID, name: String, capability: CapabilityName, ambiguity: String?, formats: Formats,
        aliases: [DeviceID], facts: ProvidedFacts
    ) {
        self.init(
            id: id, name: name, capability: capability, availability: .available, ambiguity: ambiguity, nodes: [],
            pcmName: nil, formats: formats, aliases: aliases)
        provided = facts
    }
}

extension DeviceCatalog {
    /// Provider of this process; `nil` in most.
    private static let provider = Locked<(any DeviceProvider)?>(nil)

    /// Adds the devices of a provider to what can be listed, named and opened from now on.
    package static func add(_ devices: any DeviceProvider) { provider.withLock { $0 = devices } }

    /// Devices of the provider. The server is asked, so a lookup that hardware can answer skips this.
    static func provided(_ capability: CapabilityName) -> [Device] {
        provider.withLock { $0 }?.devices(of: capability) ?? []
    }

    /// Device of the provider's by its id.
    static func provided(_ id: DeviceID, _ capability: CapabilityName) -> Device? {
        provider.withLock { $0 }?.device(id, capability)
    }

    /// Opens a device of the provider's; blocks.
    ///
    /// - Throws: what the provider does.
    static func open(provided device: Device, _ wish: StreamWish) throws(CaptureError) -> ProvidedStream {
        guard let provider = provider.withLock({ $0 }) else {
            throw CaptureError(
                .noDevice, "\(device.id) can't be opened here.",
                remedies: [Remedy("Choose another device.", .listDevices)])
        }
        return try provider.open(device, wish)
    }
}
