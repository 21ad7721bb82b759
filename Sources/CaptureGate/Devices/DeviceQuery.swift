import Gate

/// Device that a person means by a word on the command line.
///
/// *thread-safe*
public enum DeviceQuery: Hashable, Sendable {
    /// The machine's default: the first real and free device of its kind. If there is no such device, or a sound server uses it,
    /// the default of that server: PipeWire's, or otherwise ALSA's `default`.
    case `default`
    /// An id, a device file, ALSA's name of hardware, or a name or a piece of one that only one device has.
    case text(String)

    /// Interprets a word: `default`, or a text to look for.
    public init(_ text: String) {
        self = text == "default" ? .default : .text(text)
    }

    /// Picks the device out of a listing.
    ///
    /// - Parameters:
    ///   - devices: listing, of any capability.
    ///   - capability: kind that is meant.
    /// - Throws: `.noDevice` if none or several fit, naming those that are there.
    public func pick(from devices: [Device], _ capability: CapabilityName) throws(CaptureError) -> Device {
        let candidates = devices.filter { $0.capability == capability }
        switch self {
        case .default: return try Self.machinesChoice(candidates, capability)
        case .text(let text): return try Self.named(text, candidates, capability)
        }
    }

    /// First free device, otherwise a sound server's shared device, otherwise the first busy one, whose error names its holder.
    /// Built-in devices are never chosen silently.
    private static func machinesChoice(
        _ candidates: [Device], _ capability: CapabilityName
    ) throws(CaptureError) -> Device {
        let real = candidates.filter { !$0.isBuiltIn && $0.provided == nil }
        if let free = real.first(where: \.availability.isAvailable) { return free }
        let isShared = real.contains(where: \.availability.isOfAudioServer)
        if isShared || real.isEmpty, let choice = serversChoice(candidates, capability) { return choice }
        if capability == .microphone, isShared { return NamedPCM.default }
        if let busy = real.first { return busy }
        throw CaptureError(
            .noDevice, "This machine has no \(capability).", remedies: listing(candidates, capability))
    }

    /// Sound server's default device.
    private static func serversChoice(_ candidates: [Device], _ capability: CapabilityName) -> Device? {
        let listed = candidates.filter { $0.provided != nil }
        return (listed.isEmpty ? DeviceCatalog.provided(capability) : listed).first { $0.provided?.isDefault ?? false }
    }

    /// Device that a text names. A sound server has most hardware a second time under the same name, so it is searched only if no
    /// hardware matches.
    private static func named(
        _ text: String, _ candidates: [Device], _ capability: CapabilityName
    ) throws(CaptureError) -> Device {
        let own = candidates.filter { $0.provided == nil }
        do throws(CaptureError) {
            return try named(text, among: own, capability)
        } catch {
            guard error.kind == .noDevice, SystemName(text, capability) == nil else { throw error }
            let listed = candidates.filter { $0.provided != nil }
            let provided = listed.isEmpty ? DeviceCatalog.provided(capability) : listed
            if provided.isEmpty || fits(text, own) { throw error }
            return try named(text, among: own + provided, capability)
        }
    }

    /// True if several devices have a name, so that another one would not make it clear.
    private static func fits(_ text: String, _ devices: [Device]) -> Bool {
        text.count >= shortestPiece && devices.contains { $0.name.lowercased().contains(text.lowercased()) }
    }

    /// Letters from which on a piece of a name counts: fewer fit by chance.
    private static let shortestPiece = 3

    /// Device by its id, by the system's names, by its whole name, otherwise by a part of it; names in either case.
    private static func named(
        _ text: String, among candidates: [Device], _ capability: CapabilityName
    ) throws(CaptureError) -> Device {
        if capability == .microphone, let named = try NamedPCM.device(DeviceID(rawValue: text)) { return named }
        if let exact = candidates.first(where: { $0.id.rawValue == text }) { return exact }
        if let name = SystemName(text, capability) { return try name.device(among: candidates, capability) }
        let wanted = text.lowercased()
        let whole = candidates.filter { $0.name.lowercased() == wanted }
        if let card = SystemName(card: text), whole.isEmpty, capability == .microphone,
            let found = candidates.first(where: card.isName)
        {
            return found
        }
        let pieces = wanted.count < shortestPiece ? [] : candidates.filter { $0.name.lowercased().contains(wanted) }
        let fitting = whole.isEmpty ? pieces : whole
        if fitting.count == 1 { return fitting[0] }
        let shown = "\"\(QuestionText.visible(text))\""
        let isShort = !wanted.isEmpty && wanted.count < shortestPiece
        let message =
            fitting.count > 1
            ? "\(shown) matches \(fitting.count) \(capability)s: \(fitting.map(\.id.rawValue).joined(separator: ", "))."
            : "No \(capability) matches \(shown)\(isShort ? ". A part of a name needs at least three letters" : "")."
        throw CaptureError(.noDevice, message, remedies: listing(candidates, capability))
    }

    /// Remedy that names the choices.
    static func listing(_ candidates: [Device], _ capability: CapabilityName) -> [Remedy] {
        let ids = candidates.map(\.id.rawValue).joined(separator: ", ")
        return [Remedy("Choose one of: \(ids).", .listDevices)]
    }
}

extension Availability {
    /// True if a sound server holds the device.
    fileprivate var isOfAudioServer: Bool {
        guard case .busy(let holder?) = self else { return false }
        return AudioServer.isOne(holder)
    }
}

/// PCM devices of ALSA's configuration, such as a sound server's: `alsa:default`, `alsa:pulse`.
///
/// They are not hardware: opening one leads to a card, a plugin or a server, which is known only then.
enum NamedPCM {
    /// Prefix that no id of hardware has.
    private static let prefix = "alsa:"

    /// Device of an id of this kind.
    ///
    /// - Returns: `nil` for an id of another kind.
    /// - Throws: `.noDevice` for hardware by its ALSA name (`hw:0`), since decisions are stored for its own id.
    static func device(_ id: DeviceID) throws(CaptureError) -> Device? {
        guard id.rawValue.hasPrefix(prefix) else { return nil }
        let name = String(id.rawValue.dropFirst(prefix.count))
        guard !name.isEmpty, !name.contains("hw:"),
            name.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7F })
        else {
            throw CaptureError(
                .noDevice, "\(QuestionText.visible(id.rawValue)) is not a name in ALSA's configuration.",
                remedies: [Remedy("Name the hardware by its id.", .listDevices)])
        }
        return device(named: name)
    }

    /// PCM for programs that name no device: a sound server's, if there is one.
    static let `default` = device(named: "default")

    /// Makes the device without querying libasound, so that a lookup starts no server.
    private static func device(named name: String) -> Device {
        Device(
            id: DeviceID(rawValue: prefix + name), name: "ALSA \(name)", capability: .microphone,
            availability: .available,
            ambiguity: "the name comes from ALSA's configuration, which can change", nodes: [], pcmName: name,
            formats: .unknown)
    }
}

/// Programs that hold sound cards to share them among others.
///
/// A microphone that one of them holds is not lost: it can be recorded through the server.
enum AudioServer {
    /// Names as in /proc/PID/comm, which the kernel cuts to 15 characters.
    private static let commands: Set<String> = [
        "pipewire", "pipewire-pulse", "wireplumber", "pulseaudio", "jackd", "jackdbus",
    ]

    /// True if the holder of a device is a sound server.
    static func isOne(_ holder: DeviceHolder) -> Bool { commands.contains(holder.command) }
}

/// The gate's directory of devices: resolves a request by a scan that opens nothing.
///
/// *thread-safe*
package struct SystemDeviceDirectory: DeviceDirectory {
    package init() {}

    /// Resolves a request; an absent device is an answer, not an error.
    package func resolve(_ request: DeviceRequest) async -> DeviceResolution {
        do {
            let device = try Self.find(request)
            return DeviceResolution(
                device: device.description, availability: device.availability,
                restriction: device.nodes.lazy.compactMap { NodeAccess.restriction(on: $0) }.first,
                aliases: device.aliases)
        } catch {
            return DeviceResolution(device: nil, availability: .absent(error.message))
        }
    }

    /// Looks a device up by its id, or takes the machine's choice.
    fileprivate static func find(_ request: DeviceRequest) throws(CaptureError) -> Device {
        switch request.device {
        case .any:
            try DeviceQuery.default.pick(
                from: DeviceCatalog.scan(.identity, of: request.capability), request.capability)
        case .id(let id): try DeviceCatalog.device(id, request.capability)
        }
    }
}

/// The directory of a program whose devices a broker opens: their nodes are closed to it, and several may use one.
///
/// *thread-safe*
struct BrokeredDirectory: DeviceDirectory {
    private let broker: BrokerLink

    init(_ broker: BrokerLink) {
        self.broker = broker
    }

    func resolve(_ request: DeviceRequest) async -> DeviceResolution {
        do {
            let device = try SystemDeviceDirectory.find(request)
            return DeviceResolution(
                device: device.description, availability: broker.shares(device) ? .available : device.availability,
                aliases: device.aliases)
        } catch {
            return DeviceResolution(device: nil, availability: .absent(error.message))
        }
    }
}

extension BrokerLink {
    /// True for a device that the broker itself has open: it lends it to the next one, too.
    fileprivate func shares(_ device: Device) -> Bool {
        guard case .busy(let holder?) = device.availability else { return false }
        return holder.command == "capturegated"
    }
}
