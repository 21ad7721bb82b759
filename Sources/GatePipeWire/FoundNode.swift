import CaptureGate

/// Node of the graph that something can be captured from, or the monitor of a sink.
///
/// *thread-safe*
struct FoundNode: Hashable, Sendable {
    /// Its name in the graph, used to capture from it.
    let name: String
    /// Its name for persons.
    let description: String
    let capability: CapabilityName
    /// True for what a sink plays.
    let isMonitor: Bool
    /// ALSA's name of its hardware, or the device file; empty if the daemon does not report it.
    let hardware: String
    /// True for the session manager's default node.
    let isDefault: Bool
    /// A camera's.
    let modes: [VideoMode]

    private static let prefix = "pipewire:"
    /// Ending of a monitor's id, as PulseAudio's programs know it.
    private static let monitor = ".monitor"
    /// Beginning of the names of nodes that `capturegate pipewire` has made: what is behind them is listed by its own id.
    private static let own = "capturegate."

    /// True for an id that a node of the graph could have.
    static func mayBeID(_ id: DeviceID) -> Bool { id.rawValue.hasPrefix(prefix) }

    /// Id of the device: the node's name, in which characters that are not visible ASCII are written as `%` and their number.
    var id: DeviceID {
        let visible = name.utf8.map { byte in
            byte > 0x20 && byte < 0x7F && byte != 0x25
                ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        return DeviceID(rawValue: Self.prefix + visible.joined() + (isMonitor ? Self.monitor : ""))
    }

    /// The camera that the desktop's portal shows a program in a sandbox, whichever it is.
    static let portal = FoundNode(
        name: "portal", description: "Camera from the desktop's portal", capability: .camera, isMonitor: false,
        hardware: "", isDefault: true, modes: [])

    /// The sources that a node of the graph is: a sink is its monitor, and a duplex node both.
    static func all(of source: GraphSource) -> [FoundNode] {
        guard !source.name.isEmpty, !source.name.hasPrefix(own) else { return [] }
        let kind = source.mediaClass
        let isSink = kind == "Audio/Sink" || kind == "Audio/Duplex"
        let node = FoundNode(
            name: source.name, description: source.description,
            capability: kind.hasPrefix("Video/") ? .camera : .microphone, isMonitor: false, hardware: source.hardware,
            isDefault: source.isDefault, modes: source.modes)
        let played = FoundNode(
            name: source.name, description: "Monitor of \(source.description)", capability: .microphone,
            isMonitor: true, hardware: source.hardware, isDefault: false, modes: [])
        return (kind == "Audio/Sink" ? [] : [node]) + (isSink ? [played] : [])
    }

    /// Device of this node.
    ///
    /// - Parameter listing: hardware of its kind that may be its source: a denial of that hardware denies this node.
    func device(among listing: [Device]) -> Device {
        let behind = isMonitor ? nil : listing.first { $0.pcmName == hardware || $0.nodes.contains(hardware) }
        return Device(
            provided: id, name: description, capability: capability,
            ambiguity: hardware.isEmpty
                ? "the name is that of a PipeWire node, which another program can take" : nil,
            formats: formats,
            aliases: behind.map { [$0.id] + $0.aliases } ?? [],
            facts: ProvidedFacts(isDefault: isDefault, mayBeAny: !isMonitor && behind == nil))
    }

    private var formats: Device.Formats {
        // The portal tells nobody before the person has said yes.
        if self == .portal { return .unknown }
        return capability == .camera ? .video(modes) : .audio(Self.ranges)
    }

    /// PipeWire converts to all of these.
    private static let ranges = AudioRanges(
        sampleRates: 8000...192_000, channels: 1...8, sampleFormats: [.s16, .s24Packed, .s24, .s32, .float32])
}
