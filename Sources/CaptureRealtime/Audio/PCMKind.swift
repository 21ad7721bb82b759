/// What lies behind the name of a PCM: snd_pcm_type_t of its outermost plugin.
///
/// *thread-safe*
public struct PCMType: RawRepresentable, BitwiseCopyable, Sendable, Hashable {
    public let rawValue: Int32

    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The kernel's own device.
    public static let hardware = PCMType(rawValue: 0)
    /// Somebody's code: PulseAudio, PipeWire, JACK, Bluetooth.
    public static let ioplug = PCMType(rawValue: 28)

    /// The kernel's device, or conversions in front of one: hw, hooks, copy, linear, alaw, mulaw, rate, route, plug,
    /// float, iec958, softvol, mmap emulation. Anything else may spin or call a server.
    var isHardwareOrConversion: Bool {
        [0, 1, 7, 8, 9, 10, 12, 13, 14, 20, 26, 27, 30].contains(rawValue)
    }
}
