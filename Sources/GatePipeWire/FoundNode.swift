import CPipeWire
import CaptureGate

/// Node of the graph that something can be captured from, or the monitor of a sink.
///
/// *thread-safe*
struct FoundNode: Hashable, Sendable {
    /// Its name in the graph, by which it is captured.
    let name: String
    /// Its name for persons.
    let description: String
    let capability: CapabilityName
    /// True for what a sink plays.
    let isMonitor: Bool
    /// ALSA's name of the hardware behind it, or the device file; empty where the daemon does not tell.
    let hardware: String
    /// True if the session manager takes it where none is named.
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

    /// Id of the device: the node's name, in which what is no visible ASCII character is written as `%` and its number.
    var id: DeviceID {
        let visible = name.utf8.map { byte in
            byte > 0x20 && byte < 0x7F && byte != 0x25
                ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        return DeviceID(rawValue: Self.prefix + visible.joined() + (isMonitor ? Self.monitor : ""))
    }

    /// The sources that a node of the graph is: a sink is its monitor, and a duplex node both.
    static func all(of found: cp_found) -> [FoundNode] {
        guard let name = found.name.map({ String(cString: $0) }), !name.isEmpty, !name.hasPrefix(own) else { return [] }
        let kind = found.media_class.map { String(cString: $0) } ?? ""
        let description = found.description.map { String(cString: $0) } ?? name
        let hardware = found.hardware.map { String(cString: $0) } ?? ""
        let isSink = kind == "Audio/Sink" || kind == "Audio/Duplex"
        let source = FoundNode(
            name: name, description: description, capability: kind.hasPrefix("Video/") ? .camera : .microphone,
            isMonitor: false, hardware: hardware, isDefault: found.is_default != 0 && kind != "Audio/Sink",
            modes: UnsafeBufferPointer(start: found.modes, count: Int(found.mode_count)).compactMap { VideoMode($0) })
        let played = FoundNode(
            name: name, description: "Monitor of \(description)", capability: .microphone, isMonitor: true,
            hardware: hardware, isDefault: false, modes: [])
        return (kind == "Audio/Sink" ? [] : [source]) + (isSink ? [played] : [])
    }

    /// The device that it is.
    ///
    /// - Parameter listing: hardware of its kind, among which is what may be behind it: a denial of that denies this.
    func device(among listing: [Device]) -> Device {
        let behind = isMonitor ? nil : listing.first { $0.pcmName == hardware || $0.nodes.contains(hardware) }
        return Device(
            provided: id, name: description, capability: capability,
            ambiguity: hardware.isEmpty
                ? "the name is that of a node in PipeWire's graph, which another program may take" : nil,
            formats: capability == .camera ? .video(modes) : .audio(Self.ranges),
            aliases: behind.map { [$0.id] + $0.aliases } ?? [],
            facts: ProvidedFacts(isDefault: isDefault, mayBeAny: !isMonitor && behind == nil))
    }

    /// PipeWire converts to all of these.
    private static let ranges = AudioRanges(
        sampleRates: 8000...192_000, channels: 1...8, sampleFormats: [.s16, .s24Packed, .s24, .s32, .float32])
}

/// Longest side of a picture; a range may have no end.
private let longestSide: UInt32 = 65_535

extension VideoMode {
    /// Mode that a node tells of; `nil` for an impossible one.
    fileprivate init?(_ mode: cp_mode) {
        guard let format = OfferedPicture.shims.first(where: { $0.value == mode.pixels })?.key,
            mode.least_width > 0, mode.least_height > 0, mode.least_width <= mode.width, mode.least_height <= mode.height,
            mode.least_width <= longestSide, mode.least_height <= longestSide
        else { return nil }
        let isRange = mode.least_width != mode.width || mode.least_height != mode.height
        let steps = SizeSteps(
            width: Int(mode.least_width), height: Int(mode.least_height), widthStep: Int(max(mode.width_step, 1)),
            heightStep: Int(max(mode.height_step, 1)))
        self.init(
            pixelFormat: format, width: Int(min(mode.width, longestSide)), height: Int(min(mode.height, longestSide)),
            smaller: isRange ? steps : nil,
            frameRates: Self.rates(mode), takesRatesBetween: mode.takes_rates_between != 0)
    }

    /// Rates, fastest first, each once.
    private static func rates(_ mode: cp_mode) -> [FrameRate] {
        let told = withUnsafeBytes(of: mode.rates) { Array($0.bindMemory(to: cp_rate.self)) }
        let rates = told.prefix(Int(min(mode.rate_count, UInt32(told.count)))).compactMap {
            FrameRate(Int($0.numerator), Int($0.denominator))
        }
        return Set(rates).sorted { $0.framesPerSecond > $1.framesPerSecond }
    }
}
