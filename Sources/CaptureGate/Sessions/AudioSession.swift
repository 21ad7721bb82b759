import CaptureRealtime
import Gate
import LinuxSystem

/// Wishes of a program about a microphone; a property that is `nil` leaves the choice to the device.
///
/// *thread-safe*
public struct AudioSettings: Hashable, Sendable {
    /// Sample rate in Hz; 48000 where `nil`.
    public var sampleRate: Int?
    /// Number of channels; 2 where `nil` and the device can.
    public var channels: Int?
    /// Sample format; `.s16` if `nil` and the device can.
    public var sampleFormat: SampleFormat?
    /// Time between two deliveries, 1 ms to 1 s: a short one for low latency, a long one for few wake-ups.
    ///
    /// 10 ms where `nil`. The device takes the nearest that it can, in a strict capture too.
    public var period: Duration?
    /// Refuses to open where the device would do otherwise than asked.
    public var isStrict: Bool
    /// Claps of the built-in tone: ``testTone(claps:)``.
    package var claps = false

    /// Describes wishes.
    ///
    /// - Parameters:
    ///   - sampleRate: Hz.
    ///   - channels: 1 upwards.
    ///   - sampleFormat: layout of a sample.
    ///   - period: 1 ms to 1 s.
    ///   - isStrict: refuses a device that would do otherwise.
    public init(
        sampleRate: Int? = nil, channels: Int? = nil, sampleFormat: SampleFormat? = nil, period: Duration? = nil,
        isStrict: Bool = false
    ) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.sampleFormat = sampleFormat
        self.period = period
        self.isStrict = isStrict
    }
}

extension CaptureSession where Format == AudioFormat {
    /// Opens the microphone that the permit names, and negotiates; nothing is captured before `start()`.
    ///
    /// - Parameters:
    ///   - permit: of one microphone, at level `.record`; used up.
    ///   - settings: wishes; ``differences`` says which were not met.
    /// - Throws: `.notAuthorized` if the permission has gone meanwhile or is for less than `.record`, `.busy`,
    ///   `.noDevice`, `.stalled` if the device does not answer within 10 s, `.cancelled` if the task is, and
    ///   `.notAsAsked` if the settings are strict and the device would do otherwise. The C functions are
    ///   `snd_pcm_open` and `snd_pcm_hw_params`.
    public init(
        opening permit: consuming DevicePermit, settings: AudioSettings = AudioSettings()
    ) async throws(CaptureError) {
        try await self.init(opening: permit, settings: settings, for: .record)
    }

    /// Opens the microphone for code that gives the program less than audio, such as its level.
    ///
    /// - Parameters:
    ///   - permit: of one microphone; used up.
    ///   - settings: wishes.
    ///   - level: least level of the permit that is needed for that.
    ///   - hasThreads: true if the caller has checked that there are threads for it: a check makes as many.
    package init(
        opening permit: consuming DevicePermit, settings: AudioSettings, for level: AccessLevel,
        hasThreads: Bool = false
    ) async throws(CaptureError) {
        // The permit is used up first; then the PCM's name leads to hardware; then the gate is asked about that
        // hardware.
        try await self.init(
            try await CaptureCore(permit, as: .microphone, for: level, hasThreads: hasThreads), settings)
    }

    /// Opens the microphone of a core, whose permission is redeemed.
    init(_ core: CaptureCore, _ settings: AudioSettings) async throws(CaptureError) {
        try await self.init(core, settings, asked: settings.pcm)
    }

    /// Opens the microphone by settings in the capture loop's terms.
    init(_ core: CaptureCore, _ settings: AudioSettings, asked: PCMSettings) async throws(CaptureError) {
        try await core.admitProvided()
        let opened = try await core.opening { () throws(CaptureError) in
            try OpenedMicrophone.opened(core, asked, claps: settings.claps)
        }
        try await core.admit(hardware: opened.hardware)
        try await self.init(core, opened, settings)
    }

    /// Makes the session, or refuses where the settings are strict and were not met.
    private init(
        _ core: CaptureCore, _ opened: consuming OpenedMicrophone, _ settings: AudioSettings
    ) async throws(CaptureError) {
        let format = AudioFormat(opened.settings)
        let differences = settings.differences(from: format)
        if settings.isStrict, !differences.isEmpty { throw await core.notAsAsked(differences) }
        self.init(
            core, opened.stream, .audio(opened.reader), format: format,
            frameInterval: opened.settings.periodNanoseconds,
            differences: differences)
        native = .audio(opened.settings)
    }
}

/// Microphone after negotiation.
package struct OpenedMicrophone: ~Copyable, Sendable {
    let core: CaptureCore
    /// Settings that the device has taken.
    let settings: PCMSettings
    /// Hardware that the name has led to; `nil` for the built-in tone.
    var hardware: PCMHardware?
    var stream: CaptureStream
    var reader: AudioRing.Consumer

    /// Opens a microphone, or has the broker open it; called on a separate thread, unless it is built in.
    static func opened(
        _ core: CaptureCore, _ asked: PCMSettings, claps: Bool = false
    ) throws(CaptureError) -> OpenedMicrophone {
        if let lent = core.lent {
            let opening = try lent.open(.audio(asked))
            guard case .audio(let got) = opening.device.format else { throw BrokerFault.value.error }
            let carried = Handoff(opening)
            return try core.calling { () throws(RealtimeFault) in try Self.lent(core, carried, got) }
        }
        if core.device.provided != nil {
            let stream = try core.openProvided(.audio(asked))
            guard case .audio(let got) = stream.format else { throw BrokerFault.value.error }
            let carried = Handoff(stream)
            return try core.calling { () throws(RealtimeFault) in try Self.provided(core, carried, got) }
        }
        return try core.calling { () throws(RealtimeFault) in
            core.device.isBuiltIn ? try tone(core, asked, claps: claps) : try microphone(core, asked)
        }
    }

    /// Reads a microphone that the broker has opened.
    private static func lent(
        _ core: CaptureCore, _ carried: Handoff<LentHold.Opening>, _ got: PCMSettings
    ) throws(RealtimeFault) -> OpenedMicrophone {
        guard let opening = carried.take() else { throw RealtimeFault(.openPCM, result: -Errno.noSuchDevice.number) }
        let source = try SharedMicrophone(opening.reader, settings: got)
        let capture = try AudioCapture(source, control: core.control, counters: core.counters)
        return OpenedMicrophone(
            core: core, settings: got, stream: .lentMicrophone(capture.stream), reader: capture.consumer)
    }

    /// Reads a microphone that a provider has opened.
    private static func provided(
        _ core: CaptureCore, _ carried: Handoff<ProvidedStream>, _ got: PCMSettings
    ) throws(RealtimeFault) -> OpenedMicrophone {
        guard let stream = carried.take() else { throw RealtimeFault(.openPCM, result: -Errno.noSuchDevice.number) }
        let lender = stream.lender
        let source = try SharedMicrophone(stream.reader, settings: got, of: lender)
        let capture = try AudioCapture(source, control: core.control, counters: core.counters)
        return OpenedMicrophone(
            core: core, settings: got, stream: .lentMicrophone(capture.stream), reader: capture.consumer)
    }

    /// Opens a PCM.
    private static func microphone(_ core: CaptureCore, _ asked: PCMSettings) throws(RealtimeFault) -> OpenedMicrophone
    {
        let source = try PCMSource(opening: core.device.pcmName ?? "", asked: asked)
        guard DeviceCatalog.isStillAtNode(core.device) else {
            throw RealtimeFault(.openPCM, result: -Errno.noSuchDevice.number)
        }
        let (got, hardware) = (source.settings, source.hardware)
        let capture = try AudioCapture(source, control: core.control, counters: core.counters)
        return OpenedMicrophone(
            core: core, settings: got, hardware: hardware, stream: .microphone(capture.stream), reader: capture.consumer
        )
    }

    /// Opens the built-in tone.
    private static func tone(_ core: CaptureCore, _ asked: PCMSettings, claps: Bool) throws(RealtimeFault)
        -> OpenedMicrophone
    {
        let source = try TestTone(settings: asked, claps: claps)
        let got = source.settings
        let capture = try AudioCapture(source, control: core.control, counters: core.counters)
        return OpenedMicrophone(core: core, settings: got, stream: .tone(capture.stream), reader: capture.consumer)
    }
}

extension AudioSettings {
    /// The same settings in the capture loop's terms, with a default for every missing one.
    fileprivate var pcm: PCMSettings {
        PCMSettings(
            rate: sampleRate ?? 48_000, channels: channels ?? 2, format: (sampleFormat ?? .s16).pcm,
            periodTime: periodTime)
    }

    /// Period in ns, between 1 ms and 1 s; 0 if none is given.
    private var periodTime: Int64 {
        guard let period else { return 0 }
        return Int64((min(max(period / .seconds(1), 0.001), 1) * 1e9).rounded())
    }
}

extension AudioFormat {
    /// Format of negotiated settings.
    init(_ settings: PCMSettings) {
        self.init(
            sampleRate: settings.rate, channels: settings.channels, sampleFormat: SampleFormat(settings.format))
    }
}
