import CMedia

/// An ALSA capture device, opened and negotiated; deinit closes it.
///
/// *session-bound*; *realtime-safe* while its loop runs
@safe
public struct PCMSource: ~Copyable, @unchecked Sendable {
    // Sendable by hand because of the pointers, which this alone owns.
    public let asked: PCMSettings
    /// What the device does.
    public let got: PCMSettings
    /// Of the device; what the ring gets is interleaved in any case.
    public let isInterleaved: Bool
    public let kind: PCMType
    public let allowsRealtimePriority: Bool
    /// The cards' devices that it ends at.
    public let hardware: PCMHardware

    let handle: PCMHandle
    let pollSet: PollSet
    let planes: PlanarReader
    /// Where in time the last frame read ends, ns.
    var end: Int64 = 0
    /// Frames from before a sleep that are still to be read.
    var unread = 0
    /// It is still to be told that the machine slept.
    var isWaking = false

    /// Opens a PCM and negotiates with it. No sound is captured before the loop starts it.
    ///
    /// - Parameter name: As ALSA has it: `hw:0,0`, `default` …
    /// - Throws: ENOENT or ENODEV: there is no such device. EBUSY: somebody has it. EACCES: the node's permissions refuse.
    ///   EINVAL in a negotiating call: the device can nothing of the kind. The corresponding C function is `snd_pcm_open`.
    package init(opening name: String, asked: PCMSettings = PCMSettings()) throws(RealtimeFault) {
        let handle = try PCMHandle(opening: name)
        let hardware = try PCMHardware(of: handle)
        var negotiated = try PCMNegotiation(handle, asked: asked)
        try negotiated.negotiate()
        let count = try unsafe checked(.descriptorsPCM, cm_pcm_descriptor_count(handle.pcm))
        let pollSet = PollSet(devices: Int(count))
        _ = try unsafe checked(.descriptorsPCM, cm_pcm_descriptors(handle.pcm, pollSet.entries, count))
        self.asked = asked
        got = negotiated.got
        isInterleaved = negotiated.isInterleaved
        kind = PCMType(rawValue: unsafe cm_pcm_type(handle.pcm))
        self.hardware = hardware
        // A conversion in front of a server has no card.
        allowsRealtimePriority = kind.isHardwareOrConversion && !hardware.names.isEmpty
        planes = PlanarReader(negotiated.got)
        self.handle = handle
        self.pollSet = pollSet
    }

    public var settings: PCMSettings { got }
}
